import base64
import csv
import datetime
import itertools
import json
import math
import os
import re
import secrets
import signal
import sys

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline

MODEL = json.loads(r"""@MODEL@""")

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


SPACES = " \t\n\v\f\r\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def missing(cell):
    different = cell is None or cell != cell  # pandas.NA for pandas.NA
    return bool(different) if isinstance(different, (bool, np.bool_)) else True


def number_of(cell, column):
    """Return a cell as a finite number, or None for a missing one."""
    if isinstance(cell, str):
        cell = cell.strip(SPACES)
        if len(cell) > 1000 or not NUMBER.fullmatch(cell):
            return None
    elif missing(cell) or isinstance(cell, (datetime.date, np.datetime64, bytes)):
        return None
    try:
        value = float(cell)
    except OverflowError:
        return None
    if not math.isfinite(value) or value in column["mark-numbers"]:
        return None
    return value


MOMENT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})"
    r"(?:[ T]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(?:Z|([+-])([0-9]{2})(?::?([0-9]{2})|:([0-9]{2}):([0-9]{2}))?)?)?"
)
DAY = 86400 * 10**6


def micros_of(cell, column):
    """Return the microseconds of a date or moment since 1970-01-01 in UTC, or None for a missing one."""
    if isinstance(cell, np.datetime64):
        whole = {"Y": "D", "M": "D", "W": "D", "h": "s", "m": "s"}.get(np.datetime_data(cell)[0])
        cell = cell.astype("datetime64[" + whole + "]") if whole else cell
    text = text_of(cell)
    found = MOMENT.fullmatch(text)
    if not found:
        return None
    year, month, day, hour, minute, second = (int(v or 0) for v in found.groups()[:6])
    zone_hour, zone_minute, zone_second = int(found[9] or 0), int(found[10] or found[11] or 0), int(found[12] or 0)
    try:
        days = datetime.date(year, month, day).toordinal() - 719163
    except ValueError:
        return None
    if hour > 23 or minute > 59 or second > 59 or zone_hour > 23 or zone_minute > 59 or zone_second > 59:
        return None
    zone = (3600 * zone_hour + 60 * zone_minute + zone_second) * (-1 if found[8] == "-" else 1)
    fraction = int(((found[7] or "") + "000000")[:6])
    micros = days * DAY + ((hour * 60 + minute) * 60 + second - zone) * 10**6 + fraction
    return None if micros in column["mark-moments"] else micros


def days_of(micros, date):
    day, rest = divmod(micros, DAY)
    return float(day - date["since"]) + rest / DAY


def level_of(micros, date):
    """Return the level of a part of a date."""
    day, rest = divmod(micros, DAY)
    if date["part"] == "weekday":
        return (day + 3) % 7
    if date["part"] == "hour":
        return rest // (3600 * 10**6)
    # Years begin in March.
    period, day = divmod(day + 719468, 146097)
    years = (day - day // 1460 + day // 36524 - day // 146096) // 365
    march = (5 * (day - (365 * years + years // 4 - years // 100)) + 2) // 153
    if date["part"] == "month":
        return (march + 2) % 12
    year = 400 * period + years + (march >= 10)
    return min(max(year, date["first"]), date["first"] + date["count"] - 1) - date["first"]


def date_state(cell, column):
    """Return the state of a part of a date."""
    date, micros = column["date"], micros_of(cell, column)
    if micros is None:
        return column["missing"]
    days = days_of(micros, date)
    if column["outside"] != -2 and date["bounded"] and not date["lower"] <= days <= date["upper"]:
        return column["outside"]
    return level_of(micros, date)


def text_of(cell, bools=("false", "true")):
    """Return a cell as a text without white space at its ends."""
    if missing(cell):
        return ""
    if isinstance(cell, (bool, np.bool_)):
        return bools[int(cell)]
    if isinstance(cell, (float, np.floating)):
        if not abs(cell) < 2**53:  # which may be another number, rounded
            return ""
        if cell == int(cell):
            return str(int(cell))
    return str(cell).strip(SPACES)


def states_of(cells, column):
    """Return the state of each cell, -1 for one that drops the row, and the factor of its features."""
    state = np.empty(len(cells), dtype=np.int64)
    factor = np.ones(len(cells))
    if column["date"] and not column["number"]:
        for i, cell in enumerate(cells):
            state[i] = date_state(cell, column)
        return state, factor
    if not column["number"]:
        known = dict(zip(column["levels"], column["states"]))
        known.update((mark, column["missing"]) for mark in column["marks"])
        for i, cell in enumerate(cells):
            state[i] = known.get(text_of(cell, column["bools"]), column["unknown"])
        return state, factor
    if column["date"]:
        micros = [micros_of(cell, column) for cell in cells]
        numbers = [None if m is None else days_of(m, column["date"]) for m in micros]
    else:
        numbers = [number_of(cell, column) for cell in cells]
    there = np.array([v is not None for v in numbers], dtype=bool)
    v = np.array([column["lower"] if v is None else v for v in numbers], dtype=np.float64)
    inside = (v >= column["lower"]) & (v <= column["upper"])
    v = np.clip(v, column["lower"], column["upper"]).astype(np.float32).astype(np.float64)
    v = np.clip(v, column["least"], column["most"])
    if column["scaled"]:
        state[:] = 0
        t = np.log1p(v) if column["log"] else v
        factor = np.clip((t - column["low"]) * column["scale"], 0, 1)
    else:
        state[:] = np.searchsorted(np.array(column["cuts"], dtype=np.float64), v, side="right")
    if column["outside"] != -2:
        state[~inside] = column["outside"]
    state[~there] = column["missing"]
    if column["scaled"]:
        factor = np.where(state == 0, factor, 1.0)
    return state, factor


def add_features(x, state, factor, entries):
    """Add the features of each row's state, none for -1, to x. No table has all features of all states."""
    seen, place = np.unique(state, return_inverse=True)
    own = [entries[s] if s >= 0 else [] for s in seen]
    for k in range(max(map(len, own), default=0)):
        index, value = np.array([e[k] if k < len(e) else (0, 0) for e in own], dtype=np.float64).T
        x[np.arange(len(x)), index.astype(np.int64)[place]] += value[place] * factor


class DitherFeatures(TransformerMixin, BaseEstimator):
    """Turn raw columns into the rows of the model. A row that the schema drops becomes NaN."""

    def __init__(self, model=MODEL):
        self.model = model

    def __sklearn_is_fitted__(self):
        return True

    def fit(self, X, y=None):
        return self

    def factor(self, square):
        m = self.model
        with np.errstate(divide="ignore"):
            f = 1 / np.sqrt(square)
        if m["normalization"] == "clip":
            f = np.minimum(1, m["radius"] * f)
        return np.where(square > 0, f, 0)

    def normalized(self, x):
        if self.model["normalization"] == "none":
            return x
        return x * self.factor((x * x).sum(axis=1, keepdims=True))

    def transform(self, X):
        m = self.model
        states, factors = [], []
        for column in m["columns"]:
            s, f = states_of(list(X[column["name"]]), column)
            states.append(s)
            factors.append(f)
        rows = len(states[0])
        dropped = np.zeros(rows, dtype=bool)
        for s in states:
            dropped |= s < 0
        x = np.zeros((rows, m["features"]))
        for group in m["groups"]:
            a = group["columns"][0]
            at, f = np.maximum(states[a], 0), factors[a]
            if len(group["columns"]) > 1:
                j = np.array(group["classes"][0], dtype=np.int64)[at]
                k = np.array(group["classes"][1], dtype=np.int64)[np.maximum(states[group["columns"][1]], 0)]
                at = np.where((j < 0) | (k < 0), -1, j * group["width"] + k)
                f = np.ones(rows)
            add_features(x, at, f, group["entries"])
        x = self.normalized(x)
        if m["center"]:
            x = self.normalized(x - np.array(m["center"], dtype=np.float64))
        if m["scales"]:
            x = self.normalized(x * np.array(m["scales"], dtype=np.float64))
        if m["whitening"]:
            w = np.frombuffer(base64.b64decode(m["whitening"]), dtype="<f8").reshape(x.shape[1], x.shape[1])
            x = self.normalized(x @ w)
        if m["intercept"] > 0:
            x = np.hstack([x, np.full((rows, 1), m["intercept"])])
            if m["normalization"] == "unit":
                x = self.normalized(x)
        x[dropped] = np.nan
        return x


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def sigmoid(z):
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1 / (1 + e), e / (1 + e))


def nearest(z):
    counted = z[:, None, :] >= z[:, :, None]
    cut = (((counted * z[:, None, :]).sum(axis=2) - 1) / counted.sum(axis=2)).max(axis=1, keepdims=True)
    return np.maximum(0, z - cut)


class DitherLinear(BaseEstimator):
    """Predict from the rows of DitherFeatures. The weights are in coef_."""

    def __init__(self, model=MODEL):
        self.model = model
        self.coef_ = np.array(model["weights"], dtype=np.float64)
        self.n_features_in_ = self.coef_.shape[1]
        if model["levels"]:
            self.classes_ = np.array(model["levels"], dtype=object)
            self._estimator_type = "classifier"
        else:
            self._estimator_type = "regressor"

    def __sklearn_is_fitted__(self):
        return True

    def fit(self, X, y=None):
        return self

    def decision_function(self, X):
        return X @ self.coef_.T

    def mean(self, X):
        z, loss = self.decision_function(X), self.model["loss"]
        if loss["name"] == "logistic":
            return sigmoid(z)
        if loss["name"] == "hinge":
            return sigmoid(2 * z)
        if loss["name"] == "softmax":
            return softmax(z)
        if loss["name"] == "one-vs-rest":
            return softmax(np.minimum(z, 0) - np.log1p(np.exp(-np.abs(z))))
        if loss["name"] == "poisson":
            top = math.log1p(1 / loss["middle"])
            return np.where(z >= top, 1, loss["middle"] * np.exp(np.minimum(z, top)) - loss["middle"])
        if loss["name"] == "squared-classes":
            return np.clip((1 + z) / 2, 0, 1) if z.shape[1] == 1 else nearest(z)
        return z

    def predict_proba(self, X):
        """Return the probability of each level, NaN for a row that the schema drops."""
        if not self.model["levels"]:
            raise AttributeError("the target is a number: use predict")
        p = self.mean(X)
        return np.hstack([1 - p, p]) if p.shape[1] == 1 else p

    def predict(self, X):
        """Return levels, None for a row that the schema drops, or numbers."""
        m = self.model
        if not m["levels"]:
            v = (m["lower"] + m["upper"] + self.mean(X)[:, 0] * (m["upper"] - m["lower"])) / 2
            return np.clip(v, m["lower"], m["upper"])
        p = self.predict_proba(X)
        known = ~np.isnan(p).any(axis=1)
        best = np.zeros(len(p), dtype=np.int64)
        if p.shape[1] == 2:
            best[known] = p[known, 1] > m["threshold"]
        else:
            best[known] = p[known].argmax(axis=1)
        out = self.classes_[best]
        out[~known] = None
        return out


def pipeline():
    """Return the model as a pipeline of scikit-learn. Its input has the raw columns by name, as a pandas.DataFrame has."""
    return Pipeline([("features", DitherFeatures()), ("linear", DitherLinear())])


def names_of(path, line, first):
    """Return the names of the columns of a table that has this first row on a line."""
    form, wanted = MODEL["table"], [column["name"] for column in MODEL["columns"]]
    names, trimmed = form["header"], [name if name in wanted else name.strip(SPACES) for name in first]
    if not names:
        names, seen = trimmed, {}
        for i, name in enumerate(names, 1):
            if seen.setdefault(name, i) < i:
                sys.exit("%s line %d, column %d: the header names this column as it names column %d, want distinct names; rename or remove one of them" % (path, line, i, seen[name]))
    elif len(first) == len(names) - 1:
        names = [name for name in names if name != form["target"]]
    if form["header"] and trimmed == names:
        sys.exit("%s line %d: the first row holds the names of the columns, want a table without a header, since the model names its columns; remove this row" % (path, line))
    absent = [name for name in wanted if name not in names]
    if absent:
        sys.exit("the header of " + path + " lacks column " + repr(absent[0]) + ", want every column of the model")
    return names


def plainly_quoted(path, lines, delimiter):
    """Yield the lines of a CSV file, up to a quote inside a cell that is not quoted."""
    inside = False  # a quoted cell
    for number, line in enumerate(lines, 1):
        start = start if inside else number
        for i, part in enumerate(line.split('"')[:-1]):
            # A quote follows each part. Where no cell is open, a quote before it closed one.
            if not inside and (i == 0 or delimiter in part):
                before = part.rpartition(delimiter)[2]
                if before and (before.strip(" ") or delimiter.isspace()):
                    sys.exit("%s line %d: a quote stands inside a cell that is not quoted, want cells in plain quotes, with a quote inside doubled; mend the quotes of the row" % (path, start))
            inside = not inside
        yield line


def records_of(path):
    """Yield the rows of a CSV file, which has the form that the schema declares."""
    form = MODEL["table"]
    csv.field_size_limit(2**31 - 1)
    with open(path, newline="", encoding="utf-8-sig") as f:
        first = f.readline()
        if form["quotes"]:
            first = re.sub('"[^"]*"', "", first)
        f.seek(0)
        delimiter = form["delimiter"] or max(",;\t|", key=first.count)
        quoting = csv.QUOTE_MINIMAL if form["quotes"] else csv.QUOTE_NONE
        lines = plainly_quoted(path, f, delimiter) if form["quotes"] else f
        reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, skipinitialspace=not delimiter.isspace(), strict=True)
        names, line = None, 1
        try:
            for cells in reader:
                headed = names is None and not form["header"]
                if cells and names is None:
                    names = names_of(path, line, cells)
                if cells and len(cells) != len(names):
                    count = "1 cell" if len(cells) == 1 else "%d cells" % len(cells)
                    sys.exit("%s line %d: the row has %s, want %d; mend the row; a cell that holds the delimiter needs quotes" % (path, line, count, len(names)))
                if cells and not headed:
                    yield dict(zip(names, cells))
                line = reader.line_num + 1
        except csv.Error as e:
            sys.exit("%s line %d: the row cannot be read: %s; mend the quotes of the row" % (path, line, e))
        if names is None:
            names_of(path, line, [])


BLOCK_ROWS, BLOCK_NUMBERS = 4096, 2**22  # that memory holds at a time, at most


def predictions_of(path):
    """Yield the rows of a table of predictions, its header first."""
    steps = pipeline().named_steps
    levels = MODEL["levels"] or []
    records, number = records_of(path), 0
    size = max(1, min(BLOCK_ROWS, BLOCK_NUMBERS // max(1, MODEL["features"])))
    block = list(itertools.islice(records, size))
    yield ["row", "prediction"] + ["probability of " + level for level in levels]
    while block:
        rows = steps["features"].transform({column["name"]: [r[column["name"]] for r in block] for column in MODEL["columns"]})
        predicted = steps["linear"].predict(rows)
        p = steps["linear"].predict_proba(rows) if levels else np.empty((len(rows), 0))
        for i in range(len(rows)):
            number += 1
            if np.isnan(rows[i]).any():
                yield [number] + [""] * (1 + len(levels))
            else:
                yield [number, predicted[i]] + [repr(float(v)) for v in p[i]]
        block = list(itertools.islice(records, size))


def write_table(path, rows):
    """Write a table to a file, whole or not at all."""
    folder, name = os.path.split(os.path.abspath(path))
    part = os.path.join(folder, "." + name + "." + secrets.token_hex(8))
    try:
        with open(part, "x", newline="", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as f:
            csv.writer(f).writerows(rows)
            f.flush()
            os.fsync(f.fileno())
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.unlink(part)
        raise


def stop(number, frame):
    """End the program at a signal. What has been written of a file is removed on the way."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python FILE.py TABLE.csv [PREDICTIONS.csv]")
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) != signal.SIG_IGN:
            signal.signal(getattr(signal, name), stop)
    rows = predictions_of(sys.argv[1])
    if len(sys.argv) == 3:
        write_table(sys.argv[2], rows)
    else:
        csv.writer(sys.stdout).writerows(rows)


if __name__ == "__main__":
    main()
