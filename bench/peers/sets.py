"""The data sets of quality.py: what is declared in public about each, and its training and test part.

Every program gets the same declarations: bounds of numbers, levels of texts, the largest number of records. None
is taken from the records. dither reads them as a schema. The other programs get columns that are encoded by them.
"""

import csv
import gzip
import pathlib

import numpy as np

MISSING = {"", "?", "N", "NA", "nan"}


class Number:
    """A number between bounds, on the scale of log(1 + x) if log is true. Cut points, if any, divide it into bins.
    integer says that the documentation of the set has integers only. Only dither reads it."""

    def __init__(self, low, high, log=False, bins=(), integer=False):
        self.low, self.high, self.log, self.bins, self.integer = low, high, log, list(bins), integer

    def yaml(self):
        extra = ", integer: true" if self.integer else ""
        extra += ", transform: log1p" if self.log else ""
        if self.bins:
            extra += f", bins: {self.bins}"
        return f"numeric: [{self.low}, {self.high}]{extra}"

    def values(self, cells):
        """The numbers within their bounds, on their scale, and NaN for missing cells."""
        x = np.array([np.nan if c in MISSING else float(c) for c in cells])
        x = np.clip(x, self.low, self.high)
        return np.log1p(x) if self.log else x

    def bounds(self):
        return (np.log1p(self.low), np.log1p(self.high)) if self.log else (self.low, self.high)

    def encoded(self, cells):
        x, missing = self.values(cells), np.array([c in MISSING for c in cells])
        if self.bins:
            columns = [(np.digitize(x, self.bins) == k) & ~missing for k in range(len(self.bins) + 1)]
        else:
            low, high = self.bounds()
            columns = [np.where(missing, 0, (x - low) / (high - low))]
        return columns + [missing]


class Levels:
    """A text out of a list."""

    def __init__(self, *levels):
        self.levels = [str(v) for v in levels]

    def yaml(self):
        return "levels: [" + ", ".join(f'"{v}"' for v in self.levels) + "]"

    def codes(self, cells):
        """The places of the levels in the list, then one for other texts and one for missing cells."""
        known, other = {v: k for k, v in enumerate(self.levels)}, len(self.levels)
        return np.array([known.get(c, other + 1 if c in MISSING else other) for c in cells])

    def encoded(self, cells):
        codes = self.codes(cells)
        return [codes == k for k in range(len(self.levels) + 2)]


def whole(low, high):
    """An integer between bounds."""
    return Number(low, high, integer=True)


def span(first, last):
    return Levels(*range(first, last + 1))


class Set:
    """A data set. The target is a list of two levels, or bounds of a number. A number above `above` has the second level.

    read returns the training and the test part: lists of rows, which are dictionaries of texts."""

    def __init__(self, name, target, declared, columns, most, read, above=None, person=None, missing="indicator", about=""):
        self.name, self.target, self.declared, self.columns, self.most, self.read = name, target, declared, columns, most, read
        self.above, self.person, self.missing, self.about = above, person, missing, about
        self.classes = isinstance(declared, list)

    def parts(self, folder):
        """The rows of both parts that have a target. Of a person, the first rows are in the training part."""
        training, test = ([row for row in part if row[self.target] not in MISSING] for part in self.read(pathlib.Path(folder)))
        if self.person:
            column, most = self.person
            seen, kept = {}, []
            for row in training:
                seen[row[column]] = seen.get(row[column], 0) + 1
                if seen[row[column]] <= most:
                    kept.append(row)
            training = kept
        return training, test

    def labels(self, rows):
        cells = [row[self.target] for row in rows]
        if not self.classes:
            return np.clip(np.array(cells, float), *self.declared)
        if self.above is not None:
            return (np.array(cells, float) > self.above).astype(float)
        return np.array([self.declared.index(c) for c in cells], float)

    def encoded(self, rows):
        """All columns as numbers between 0 and 1. The norm of a row is at most the root of the number of declared columns."""
        columns = [c for name, d in self.columns.items() for c in d.encoded([row[name] for row in rows])]
        return np.column_stack(columns).astype(np.float64)

    def schema(self):
        target = f'column: "{self.target}", ' + (f"above: {self.above}, " if self.above is not None else "")
        target += "levels: [" + ", ".join(f'"{v}"' for v in self.declared) + "]" if self.classes else f"bounds: {list(self.declared)}"
        lines = ["dither-schema: 1", f"name: {self.name}", "row: one record", f"max-records: {self.most}", 'missing-marks: ["?", "N", "NA", "nan"]',
                 "target: {" + target + "}", f"defaults: {{missing: {self.missing}, out-of-range: clamp, unknown: other}}", "columns:"]
        if self.person:
            lines.append(f"  {self.person[0]}: ignore")
        return "\n".join(lines + [f'  "{name}": {{{d.yaml()}}}' for name, d in self.columns.items()]) + "\n"

    def write(self, rows, path):
        names = list(self.columns) + [self.target] + ([self.person[0]] if self.person else [])
        with open(path, "w", newline="") as file:
            out = csv.writer(file, lineterminator="\n")
            out.writerow(names)
            out.writerows([["" if row[n] in MISSING else row[n] for n in names] for row in rows])


def table(path, header=None):
    with gzip.open(path, "rt", newline="") as file:
        return list(csv.DictReader(file, fieldnames=header))


def libsvm(path, features):
    names = [f"f{k}" for k in range(1, features + 1)]
    with gzip.open(path, "rt") as file:
        rows = []
        for line in file:
            label, *cells = line.split()
            row = dict.fromkeys(names, "0")
            row["label"] = str(int(float(label)))
            for cell in cells:
                index, value = cell.split(":")
                row["f" + index] = value
            rows.append(row)
    return rows


def two(read, training, test):
    return lambda folder: (read(folder / training), read(folder / test))


def every_fifth(read, path):
    def parts(folder):
        rows = read(folder / path)
        return [r for k, r in enumerate(rows) if k % 5], rows[::5]

    return parts


def unseen(parts, target):
    """The same parts without test rows whose columns are those of a training row."""

    def less(folder):
        training, test = parts(folder)
        columns = lambda row: tuple(v for name, v in row.items() if name != target)
        known = {columns(row) for row in training}
        return training, [row for row in test if columns(row) not in known]

    return less


def persons(path, column):
    """Every fifth person is in the test part."""

    def parts(folder):
        rows = table(folder / path)
        return [r for r in rows if int(r[column]) % 5], [r for r in rows if int(r[column]) % 5 == 0]

    return parts


ADULT = {
    "age": whole(17, 90),
    "workclass": Levels("Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov", "Local-gov", "State-gov", "Without-pay", "Never-worked"),
    "education": Levels("Bachelors", "Some-college", "11th", "HS-grad", "Prof-school", "Assoc-acdm", "Assoc-voc", "9th", "7th-8th", "12th", "Masters",
                        "1st-4th", "10th", "Doctorate", "5th-6th", "Preschool"),
    "education-num": whole(1, 16),
    "marital-status": Levels("Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed", "Married-spouse-absent", "Married-AF-spouse"),
    "occupation": Levels("Tech-support", "Craft-repair", "Other-service", "Sales", "Exec-managerial", "Prof-specialty", "Handlers-cleaners",
                         "Machine-op-inspct", "Adm-clerical", "Farming-fishing", "Transport-moving", "Priv-house-serv", "Protective-serv", "Armed-Forces"),
    "relationship": Levels("Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried"),
    "race": Levels("White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"),
    "sex": Levels("Female", "Male"),
    "capital-gain": whole(0, 99999),
    "capital-loss": whole(0, 5000),
    "hours-per-week": whole(1, 99),
    "native-country": Levels("United-States", "Cambodia", "England", "Puerto-Rico", "Canada", "Germany", "Outlying-US(Guam-USVI-etc)", "India", "Japan",
                             "Greece", "South", "China", "Cuba", "Iran", "Honduras", "Philippines", "Italy", "Poland", "Jamaica", "Vietnam", "Mexico",
                             "Portugal", "Ireland", "France", "Dominican-Republic", "Laos", "Ecuador", "Taiwan", "Haiti", "Columbia", "Hungary",
                             "Guatemala", "Nicaragua", "Scotland", "Thailand", "Yugoslavia", "El-Salvador", "Trinadad&Tobago", "Peru", "Hong",
                             "Holand-Netherlands"),
}

ACS = {
    "AGEP": whole(0, 99), "SEX": span(1, 2), "MSP": span(1, 6), "HISP": span(0, 4), "RAC1P": span(1, 9), "NOC": span(0, 3), "NPF": span(2, 6),
    "HOUSING_TYPE": span(1, 3), "OWN_RENT": span(0, 2), "DENSITY": Number(0, 60000, log=True), "INDP_CAT": span(0, 18), "EDU": span(1, 12),
    "DVET": span(1, 6), "DREM": span(1, 2), "DPHY": span(1, 2), "DEYE": span(1, 2), "DEAR": span(1, 2),
}

CREDIT = {
    "LIMIT_BAL": whole(0, 1000000), "SEX": span(1, 2), "EDUCATION": span(1, 4), "MARRIAGE": span(1, 3), "AGE": whole(18, 80),
    **{f"PAY_{k}": whole(-2, 8) for k in (0, 2, 3, 4, 5, 6)},
    **{f"BILL_AMT{k}": Number(0, 500000) for k in range(1, 7)},
    **{f"PAY_AMT{k}": Number(0, 1000000, log=True) for k in range(1, 7)},
}

# The levels are those of the documentation of the contest of 1999.
KDD = {
    "duration": Number(0, 86400, log=True),
    "protocol": Levels("tcp", "udp", "icmp"),
    "service": Levels(*"""aol auth bgp courier csnet_ns ctf daytime discard domain domain_u echo eco_i ecr_i efs exec finger ftp ftp_data gopher harvest
        hostnames http http_2784 http_443 http_8001 imap4 IRC iso_tsap klogin kshell ldap link login mtp name netbios_dgm netbios_ns netbios_ssn netstat
        nnsp nntp ntp_u other pm_dump pop_2 pop_3 printer private red_i remote_job rje shell smtp sql_net ssh sunrpc supdup systat telnet tftp_u tim_i
        time urh_i urp_i uucp uucp_path vmnet whois X11 Z39_50""".split()),
    "flag": Levels("OTH", "REJ", "RSTO", "RSTOS0", "RSTR", "S0", "S1", "S2", "S3", "SF", "SH"),
    "src_bytes": Number(0, 10**9, log=True), "dst_bytes": Number(0, 10**9, log=True), "land": whole(0, 1), "wrong_fragment": whole(0, 3),
    "urgent": whole(0, 10), "hot": Number(0, 100, log=True), "num_failed_logins": whole(0, 5), "logged_in": whole(0, 1),
    "num_compromised": Number(0, 10000, log=True), "root_shell": whole(0, 1), "su_attempted": whole(0, 2), "num_root": Number(0, 10000, log=True),
    "num_file_creations": Number(0, 100, log=True), "num_shells": whole(0, 5), "num_access_files": whole(0, 10), "num_outbound_cmds": whole(0, 10),
    "is_host_login": whole(0, 1), "is_guest_login": whole(0, 1), "count": whole(0, 511), "srv_count": whole(0, 511),
    **{name: Number(0, 1) for name in ("serror_rate", "srv_serror_rate", "rerror_rate", "srv_rerror_rate", "same_srv_rate", "diff_srv_rate", "srv_diff_host_rate")},
    "dst_host_count": whole(0, 255), "dst_host_srv_count": whole(0, 255),
    **{f"dst_host_{name}_rate": Number(0, 1) for name in ("same_srv", "diff_srv", "same_src_port", "srv_diff_host", "serror", "srv_serror", "rerror", "srv_rerror")},
}


def kdd(path):
    rows = table(path, list(KDD) + ["label"])
    for row in rows:
        row["label"] = "normal" if row["label"] == "normal." else "attack"
    return rows


HOUSING = {
    "longitude": Number(-125, -114), "latitude": Number(32, 42), "housing_median_age": whole(0, 52), "total_rooms": Number(0, 40000, log=True),
    "total_bedrooms": Number(0, 7000, log=True), "population": Number(0, 40000, log=True), "households": Number(0, 7000, log=True),
    "median_income": Number(0, 15), "ocean_proximity": Levels("<1H OCEAN", "INLAND", "NEAR OCEAN", "NEAR BAY", "ISLAND"),
}

DIAMONDS = {
    "carat": Number(0, 5), "cut": Levels("Fair", "Good", "Very Good", "Premium", "Ideal"), "color": Levels(*"DEFGHIJ"),
    "clarity": Levels("I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"), "depth": Number(40, 80), "table": Number(40, 80), "x": Number(0, 11),
    "y": Number(0, 11), "z": Number(0, 7),
}

WAGES = {
    "year": whole(68, 88), "birth_yr": whole(41, 54), "age": whole(14, 46), "race": span(1, 3), "msp": span(0, 1), "nev_mar": span(0, 1),
    "grade": whole(0, 18), "collgrad": span(0, 1), "not_smsa": span(0, 1), "c_city": span(0, 1), "south": span(0, 1), "ind_code": span(1, 12),
    "occ_code": span(1, 13), "union": span(0, 1), "wks_ue": whole(0, 76), "ttl_exp": Number(0, 29), "tenure": Number(0, 26), "hours": whole(0, 168),
    "wks_work": whole(0, 104),
}

WINE = {
    "colour": Levels("red", "white"), "fixed_acidity": Number(3, 16), "volatile_acidity": Number(0, 1.6), "citric_acid": Number(0, 1.6),
    "residual_sugar": Number(0, 60, log=True), "chlorides": Number(0, 0.6), "free_sulfur_dioxide": Number(0, 300, log=True),
    "total_sulfur_dioxide": Number(0, 450), "density": Number(0.98, 1.04), "pH": Number(2.7, 4.1), "sulphates": Number(0.2, 2), "alcohol": Number(8, 15),
}

# As data/builtin/randhie.yaml declares them.
RAND = {
    "year": span(1, 5), "site": span(1, 6), "coinsurance": Levels(0, 25, 50, 95, 100), "deductible-plan": Levels("no", "yes"),
    "age": Number(0, 65, bins=[1, 2, 4, 6, 10, 14, 18, 25, 35, 45, 55]), "female": Levels("no", "yes"), "child": Levels("no", "yes"), "black": Number(0, 1),
    "income": Number(0, 30000), "education": Number(0, 25), "family-size": Number(1, 15), "mental-health": Number(0, 100),
    "general-health": Number(0, 100), "chronic-diseases": Number(0, 60), "physical-limitation": Number(0, 1),
    "health": Levels("excellent", "good", "fair", "poor"), "time-eligible": Number(0, 1, bins=[0.25, 0.5, 0.75, 0.99]),
}

DIABETES = {
    "age": Number(18, 90), "sex": span(1, 2), "bmi": Number(15, 50), "bp": Number(50, 150), "s1": Number(50, 350), "s2": Number(20, 280), "s3": Number(10, 110),
    "s4": Number(1, 10), "s5": Number(3, 7), "s6": Number(50, 150),
}


def diabetes(folder):
    with gzip.open(folder / "small-classics/diabetes_data_raw.csv.gz", "rt") as x, gzip.open(folder / "small-classics/diabetes_target.csv.gz", "rt") as y:
        rows = [dict(zip(DIABETES, [f"{float(c):g}" for c in a.split()]), progression=str(float(b))) for a, b in zip(x, y)]
    return [r for k, r in enumerate(rows) if k % 5], rows[::5]


BUILTIN = pathlib.Path(__file__).resolve().parents[2] / "data" / "builtin"

SETS = [
    Set("adult-raw", "income", ["<=50K", ">50K"], ADULT, 50000, two(table, "adult-raw/adult-train.csv.gz", "adult-raw/adult-test.csv.gz"), about="income above 50,000 dollars; the parts of UCI"),
    Set("a9a", "label", ["-1", "1"], {f"f{k}": whole(0, 1) for k in range(1, 124)}, 40000,
        two(lambda p: libsvm(p, 123), "libsvm-a9a/a9a.gz", "libsvm-a9a/a9a.t.gz"), missing="zero", about="the same persons as 123 numbers, from LIBSVM"),
    Set("acs-nist", "PINCP_DECILE", ["lower", "upper"], ACS, 30000, two(table, "acs-nist/national2018.csv.gz", "acs-nist/national2019.csv.gz"), above=4,
        about="income in the upper half; trained on 2018, tested on 2019"),
    Set("credit-default-taiwan", "default.payment.next.month", ["0", "1"], CREDIT, 30000, every_fifth(table, "credit-default-taiwan/UCI_Credit_Card.csv.gz"),
        about="a client defaults; every fifth row is for testing"),
    Set("mushrooms", "label", ["0", "1"], {f"f{k}": whole(0, 1) for k in range(1, 127)}, 8000,
        two(lambda p: libsvm(p, 126), "libsvm-mushrooms/agaricus.txt.train.gz", "libsvm-mushrooms/agaricus.txt.test.gz"), missing="zero",
        about="a mushroom is poisonous, as 126 numbers, from LIBSVM"),
    Set("kddcup99-10pct", "label", ["attack", "normal"], KDD, 500000, every_fifth(kdd, "kddcup99-10pct/kddcup.data_10_percent.gz"),
        about="a connection is normal; every fifth row is for testing"),
    Set("randhie", "visits", ["no", "yes"], RAND, 20000, lambda _: (table(BUILTIN / "randhie-train.csv.gz"), table(BUILTIN / "randhie-test.csv.gz")), above=0,
        about="a person sees a doctor in a year; the parts that dither has built in"),
    Set("california-housing", "median_house_value", (0, 500001), HOUSING, 25000, every_fifth(table, "california-housing/housing.csv.gz"),
        about="the median value of houses; every fifth row is for testing"),
    Set("diamonds", "price", (0, 20000), DIAMONDS, 60000, every_fifth(table, "diamonds/diamonds.csv.gz"), about="the price of a diamond; every fifth row is for testing"),
    Set("nlswork", "ln_wage", (0, 4), WAGES, 30000, persons("nlswork/nlswork.csv.gz", "idcode"), person=("idcode", 5),
        about="the logarithm of a wage; a record is a person with at most 5 rows, and every fifth person is for testing"),
    Set("winequality", "quality", (0, 10), WINE, 7000, every_fifth(table, "small-classics/winequality.csv.gz"), about="the grade of a wine; every fifth row is for testing"),
    Set("winequality-new", "quality", (0, 10), WINE, 7000, unseen(every_fifth(table, "small-classics/winequality.csv.gz"), "quality"),
        about="the same without test rows whose columns are those of a training row"),
    Set("diabetes", "progression", (0, 400), DIABETES, 500, diabetes, about="the progression of diabetes; every fifth row is for testing"),
]
