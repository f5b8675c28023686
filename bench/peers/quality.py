"""Compares the accuracy of programs for private models on the same training and test parts, and writes docs/tables.md.

    DITHER_DATA=/path/to/data quality/bin/python quality.py --dither /path/to/dither --old old/bin/python \\
        --cache ~/quality.json --runs 3 --write ../../docs/tables.md

Every cell (set, program, epsilon, run) runs in a process of its own, and its measures are kept in the cache. A call
that was interrupted goes on when it is repeated. --again measures the selected cells anew, for example those of dither:

    ... quality.py --programs dither,dither-baseline --again ...

--sets, --programs, --epsilons and --runs select cells. The page holds all cells of the cache, whatever was selected.
"""

import argparse
import collections
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

from sets import SETS, Levels

DELTA = 1e-6
EPSILONS = [0.5, 1, 3]
HIDDEN, BATCH, EPOCHS, RATE, CLIP = 64, 512, 20, 0.01, 1.0
# Slow programs train on a random part of larger tables.
MOST_ROWS = 50_000

warnings.filterwarnings("ignore")


# Workers: each takes a cell and returns predictions of the test part.


def of_rows(cell):
    """The epsilon and delta of a program whose unit is a row, where a record is a person with several rows."""
    k, epsilon = cell["rows_per_person"], cell["epsilon"]
    return epsilon / k, DELTA if k == 1 else DELTA / (k * math.exp(epsilon))


def dither(cell, baseline=False):
    folder = pathlib.Path(cell["folder"])
    with tempfile.TemporaryDirectory() as out:
        budget = ["--non-private"] if baseline else ["--epsilon", str(cell["epsilon"]), "--delta", str(DELTA)]
        unit = ["--unit", "person:" + cell["person"], "--max-records-per-person", str(cell["rows_per_person"])] if cell["person"] else []
        run = lambda *command: subprocess.run([cell["dither"], *command], cwd=folder, check=True, capture_output=True, text=True)
        run("train", "--data", "train.csv", "--schema", "schema.yaml", "--out", out + "/model", "--quiet", *budget, *unit)
        run("predict", out + "/model", "test.csv", "--out", out + "/predictions.csv")
        with open(out + "/predictions.csv") as file:
            return np.array([float(row[-1]) for row in list(csv.reader(file))[1:]])


def some(cell, *arrays):
    """The arrays, or the same random part of them."""
    n = len(arrays[0])
    if n <= MOST_ROWS:
        return arrays
    chosen = np.random.default_rng(1).permutation(n)[:MOST_ROWS]
    return [a[chosen] for a in arrays]


def dp_ebm(cell):
    import pandas as pd
    from interpret.privacy import DPExplainableBoostingClassifier, DPExplainableBoostingRegressor

    data, (epsilon, delta) = np.load(cell["folder"] + "/columns.npz"), of_rows(cell)
    levels, middle = data["levels"], data["bounds"].mean(1)

    def frame(x):
        x = np.where(np.isnan(x), middle, x)  # private binning takes no missing cells
        texts = x.astype(int).astype(str)
        return pd.DataFrame({f"c{k}": pd.Series(texts[:, k], dtype=object) if levels[k] else x[:, k] for k in range(x.shape[1])})

    x, y = some(cell, data["x"], data["y"])
    settings = dict(epsilon=epsilon, delta=delta, random_state=None, n_jobs=1, feature_types=["nominal" if v else "continuous" for v in levels],
                    privacy_bounds={f"c{k}": tuple(b) for k, b in enumerate(data["bounds"]) if not levels[k]})
    if cell["classes"]:
        return DPExplainableBoostingClassifier(**settings).fit(frame(x), y.astype(int)).predict_proba(frame(data["test"]))[:, 1]
    low, high = cell["declared"]
    model = DPExplainableBoostingRegressor(privacy_target_min=low, privacy_target_max=high, **settings).fit(frame(x), y)
    return model.predict(frame(data["test"]))


def diffprivlib(cell):
    from diffprivlib.models import LinearRegression, LogisticRegression

    data, epsilon = np.load(cell["folder"] + "/features.npz"), of_rows(cell)[0]
    x, y = some(cell, data["x"], data["y"])
    if cell["classes"]:
        return LogisticRegression(epsilon=epsilon, data_norm=math.sqrt(cell["columns"]), max_iter=1000).fit(x, y.astype(int)).predict_proba(data["test"])[:, 1]
    return LinearRegression(epsilon=epsilon, bounds_X=(0, 1), bounds_y=tuple(cell["declared"])).fit(x, y).predict(data["test"])


def opacus(cell):
    import torch
    from opacus import PrivacyEngine
    from torch.utils.data import DataLoader, TensorDataset

    torch.set_num_threads(1)
    data, (epsilon, delta) = np.load(cell["folder"] + "/features.npz"), of_rows(cell)
    x, y = some(cell, data["x"], data["y"])
    if not cell["classes"]:
        low, high = cell["declared"]
        y = 2 * (y - low) / (high - low) - 1
    x, y = torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)[:, None]
    model = torch.nn.Sequential(torch.nn.Linear(x.shape[1], HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 1))
    loss = torch.nn.BCEWithLogitsLoss() if cell["classes"] else torch.nn.MSELoss()
    loader = DataLoader(TensorDataset(x, y), batch_size=min(BATCH, len(x) // 10))
    model, optimizer, loader = PrivacyEngine().make_private_with_epsilon(module=model, optimizer=torch.optim.Adam(model.parameters(), lr=RATE), data_loader=loader,
                                                                         target_epsilon=epsilon, target_delta=delta, epochs=EPOCHS, max_grad_norm=CLIP)
    for _ in range(EPOCHS):
        for a, b in loader:
            optimizer.zero_grad()
            if len(a):
                loss(model(a), b).backward()
                optimizer.step()
    with torch.no_grad():
        z = model(torch.tensor(data["test"], dtype=torch.float32))[:, 0].numpy().astype(float)
    return 1 / (1 + np.exp(-z)) if cell["classes"] else low + (z + 1) / 2 * (high - low)


def boosting(cell):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    data = np.load(cell["folder"] + "/columns.npz")
    make = HistGradientBoostingClassifier if cell["classes"] else HistGradientBoostingRegressor
    model = make(categorical_features=data["levels"], random_state=cell["run"]).fit(data["x"], data["y"])
    return model.predict_proba(data["test"])[:, 1] if cell["classes"] else model.predict(data["test"])


class Program:
    def __init__(self, name, work, title, settings, package=None, old=False, private=True, slow=False):
        self.name, self.work, self.title, self.settings = name, work, title, settings
        self.package, self.old, self.private, self.slow = package, old, private, slow


PROGRAMS = [
    Program("dither", dither, "dither", "`dither train` with its defaults"),
    Program("dp-ebm", dp_ebm, "DP-EBM", "`DPExplainableBoostingClassifier` and `…Regressor` with their defaults and declared bounds", "interpret", slow=True),
    Program("diffprivlib", diffprivlib, "diffprivlib", "`LogisticRegression` (1000 iterations) and `LinearRegression`, columns between 0 and 1, δ = 0", "diffprivlib", old=True, slow=True),
    Program("opacus", opacus, "Opacus", f"one hidden layer of {HIDDEN} ReLU units, Adam with rate {RATE:g}, expected batches of {BATCH}, {EPOCHS} epochs, clipping norm {CLIP:g}", "opacus", slow=True),
    Program("dither-baseline", lambda cell: dither(cell, True), "linear, not private", "`dither train --non-private`, which is what scikit-learn gives", private=False),
    Program("boosting", boosting, "boosting, not private", "`HistGradientBoostingClassifier` and `…Regressor` of scikit-learn with their defaults", "scikit-learn", private=False),
]


def work(cell):
    """Runs a cell in this process, and writes its predictions and seconds."""
    program = next(p for p in PROGRAMS if p.name == cell["program"])
    began = time.perf_counter()
    predictions = program.work(cell)
    np.savez(cell["out"], predictions=predictions, seconds=time.perf_counter() - began)


# Measures


def calibration_error(target, p, bins=20):
    """The mean distance of mean prediction and frequency over bins with equally many records."""
    order = np.argsort(p, kind="stable")
    return sum(len(part) / len(p) * abs(p[part].mean() - target[part].mean()) for part in np.array_split(order, bins))


def chance_error(p, bins=20):
    """The calibration error that right probabilities would have by chance: its mean over targets drawn independently from them."""
    draws = (np.random.default_rng(1).random((100, len(p))) < p).astype(float)
    return np.mean([calibration_error(y, p, bins) for y in draws])


def measures(classes, declared, target, predictions):
    from sklearn.metrics import log_loss, r2_score, roc_auc_score

    if not classes:
        return {"r2": r2_score(target, np.clip(np.nan_to_num(predictions, nan=declared[0]), *declared))}
    p = np.clip(np.nan_to_num(predictions, nan=0.5), 1e-7, 1 - 1e-7)
    return {"auc": roc_auc_score(target, p), "log-loss": log_loss(target, p), "ece": calibration_error(target, p), "chance": chance_error(p), "mean": p.mean() / target.mean() - 1}


# Cells


def prepare(s, data, folder):
    """Writes the files of a set for all workers, and returns the target of the test part and what cells say of the set."""
    folder.mkdir(parents=True, exist_ok=True)
    training, test = s.parts(data)
    s.write(training, folder / "train.csv")
    s.write(test, folder / "test.csv")
    (folder / "schema.yaml").write_text(s.schema())
    y = s.labels(training)
    np.savez(folder / "features.npz", x=s.encoded(training), y=y, test=s.encoded(test))
    levels = [isinstance(d, Levels) for d in s.columns.values()]
    column = lambda rows, name, d: d.codes([r[name] for r in rows]) if isinstance(d, Levels) else d.values([r[name] for r in rows])
    matrix = lambda rows: np.column_stack([column(rows, name, d) for name, d in s.columns.items()]).astype(float)
    bounds = [(0, 0) if isinstance(d, Levels) else d.bounds() for d in s.columns.values()]
    np.savez(folder / "columns.npz", x=matrix(training), y=y, test=matrix(test), levels=levels, bounds=bounds)
    about = {"set": s.name, "folder": str(folder), "classes": s.classes, "declared": s.declared, "columns": len(s.columns),
             "person": s.person[0] if s.person else "", "rows_per_person": s.person[1] if s.person else 1}
    return s.labels(test), about, {"rows": len(y), "test": len(test), "columns": len(s.columns)}


def version(program, options):
    if program.package is None:
        return subprocess.run([options.dither, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    code = f"import importlib.metadata as m; print(m.version('{program.package}'))"
    return subprocess.run([options.old if program.old else sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def measure(options, cache, save):
    for s in (s for s in SETS if s.name in options.sets):
        folder, target = pathlib.Path(options.cache).resolve().parent / "quality-sets" / s.name, None
        for program in (p for p in PROGRAMS if p.name in options.programs):
            for epsilon in options.epsilons if program.private else [None]:
                for run in range(options.runs if program.private else min(1, options.runs)):
                    key = f"{s.name} {program.name} {epsilon} {run}"
                    if key in cache["cells"] or cache["failed"].get(key):
                        continue
                    if target is None:
                        target, about, cache["sets"][s.name] = prepare(s, options.data, folder)
                    out = str(folder / "out.npz")
                    cell = {**about, "program": program.name, "epsilon": epsilon, "run": run, "dither": options.dither, "out": out}
                    python = options.old if program.old else sys.executable
                    try:
                        subprocess.run([python, __file__, "--work", json.dumps(cell)], check=True, timeout=options.limit, capture_output=True, text=True)
                        with np.load(out) as result:
                            found = measures(s.classes, s.declared, target, result["predictions"])
                            cache["cells"][key] = {"set": s.name, "program": program.name, "epsilon": epsilon, "run": run, "seconds": float(result["seconds"]), **{k: float(v) for k, v in found.items()}}
                        cache["programs"][program.name] = version(program, options)
                        print(key, {k: round(v, 4) for k, v in found.items()}, f"{cache['cells'][key]['seconds']:.1f} s", flush=True)
                    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                        cache["failed"][key] = "took too long" if isinstance(error, subprocess.TimeoutExpired) else (error.stderr or "")[-300:]
                        print(key, "failed:", cache["failed"][key], flush=True)
                        save()
                        break
                    save()


# The page

MEASURES = [
    ("auc", "Area under the curve", "Larger is better.", "{:.4f}"),
    ("log-loss", "Log-loss", "The loss is in nats, and smaller is better. Probabilities are limited to 1e-7 and 1 - 1e-7.", "{:.4f}"),
    ("ece", "Calibration error", "This is the mean distance between mean prediction and frequency over 20 bins with\nequally many records. Smaller is better. The column *by chance* is the error that the\nprobabilities of dither would have if they were right and records were independent.", "{:.4f}"),
    ("mean", "Mean prediction", "This is the relative error of the mean predicted probability, in percent. Zero is best.", "{:+.1f}"),
    ("r2", "R²", "Larger is better, and predicting the mean gives 0. Predictions are limited to the declared\nbounds of the target.", "{:.4f}"),
]


def figure(cells, name, form):
    values = [c[name] * (100 if name == "mean" else 1) for c in cells]
    if not values:
        return "–"
    text = form.format(np.mean(values))
    return text if len(values) < 2 else f"{text} ± {form.replace('+', '').format(np.std(values, ddof=1))}"


def page(cache):
    cells, present = list(cache["cells"].values()), [s for s in SETS if s.name in cache["sets"]]
    runs = [n for n in collections.Counter((c["set"], c["program"], c["epsilon"]) for c in cells).values() if n > 1] or [1]
    words = f"{runs[0]} runs" if min(runs) == max(runs) else f"{min(runs)} to {max(runs)} runs"
    lines = ["# Private models of tables", "",
             "This page compares programs that train private models. All programs got the same training and test",
             "parts. They also got the same public declarations: bounds of numbers and levels of texts. dither",
             "also gets which numbers are integers, since no other program takes that. It finds the coordinates of a",
             "point by the names of columns. No setting was tuned to a",
             f"set. Each entry is a mean ± the standard deviation on the test part, over {words}. An",
             "entry without a deviation is a single run. A dash means that it was not measured.", "",
             f"All private runs have δ = {DELTA:g} for adding or removing one record. The runs of diffprivlib have δ = 0.", ""]
    lines += ["| program | version | settings |", "|---|---|---|"]
    lines += [f"| {p.title} | {cache['programs'][p.name]} | {p.settings} |" for p in PROGRAMS if p.name in cache["programs"]]
    lines += ["", "| set | training rows | test rows | columns | what is predicted |", "|---|---|---|---|---|"]
    lines += [f"| {s.name} | {cache['sets'][s.name]['rows']} | {cache['sets'][s.name]['test']} | {cache['sets'][s.name]['columns']} | {s.about} |" for s in present]
    lines += ["", f"- DP-EBM, diffprivlib and Opacus train on {MOST_ROWS} random rows of larger tables.",
              "- A record of nlswork is a person with at most five rows. Only dither has this unit. The other",
              "  private programs protect a row, so each gets a fifth of ε. Five rows together then cost ε.",
              "- The deviation does not include the sampling error of the test part.",
              "- Of the test rows of winequality 388 have the columns of a training row. A model without privacy can",
              "  remember the grades of these rows. The set winequality-new leaves them out.",
              "- DP-EBM takes no missing numbers, so they are in the middle of their bounds.",
              "- Adam has the rate 0.01 because its default of 0.001 was worse on two sets.", ""]
    titles = [p.title for p in PROGRAMS]
    for name, title, words, form in MEASURES:
        rows, extra = [], name == "ece"
        for s in (s for s in present if s.classes == (name != "r2")):
            for epsilon in EPSILONS:
                of = lambda p: [c for c in cells if c["set"] == s.name and c["program"] == p.name and c["epsilon"] == (epsilon if p.private else None)]
                rows.append(f"| {s.name} | {epsilon:g} | " + " | ".join(figure(of(p), name, form) if p.private or epsilon == EPSILONS[0] else "" for p in PROGRAMS) + " |")
                if extra:
                    rows[-1] += " " + figure([c for c in of(PROGRAMS[0]) if "chance" in c], "chance", form) + " |"
        if rows:
            lines += [f"## {title}", "", *words.split("\n"), "", "| set | ε | " + " | ".join(titles + ["by chance"] * extra) + " |", "|---|---|" + "---|" * (len(titles) + extra), *rows, ""]
    lines += ["## Repeating the measurement", "", "The sets are declared in `bench/peers/sets.py`. From `bench/peers`, with the environments of its README,",
              "this command repeats the measurement of dither:", "", "    DITHER_DATA=/path/to/data quality/bin/python quality.py --dither /path/to/dither --old old/bin/python \\",
              "      --cache quality.json --programs dither,dither-baseline --again --write ../../docs/tables.md", "",
              "Without `--programs` and `--again` the command measures every cell that the cache does not hold."]
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:2] == ["--work"]:
        return work(json.loads(sys.argv[2]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    listed = lambda text: text.split(",")
    parser.add_argument("--data", default=os.environ.get("DITHER_DATA"), help="folder of the data sets")
    parser.add_argument("--dither", default="dither", help="the command dither")
    parser.add_argument("--old", default=sys.executable, help="the Python with diffprivlib")
    parser.add_argument("--cache", required=True, help="JSON file of the measures; files of the sets are written beside it")
    parser.add_argument("--sets", type=listed, default=[s.name for s in SETS if s.name != "diabetes"])
    parser.add_argument("--programs", type=listed, default=[p.name for p in PROGRAMS])
    parser.add_argument("--epsilons", type=lambda text: [float(v) if "." in v else int(v) for v in text.split(",")], default=EPSILONS)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=300, help="seconds of a cell; a program that takes longer is left out of the set at this epsilon")
    parser.add_argument("--again", action="store_true", help="measure the selected cells anew")
    parser.add_argument("--write", help="the page to write")
    options = parser.parse_args()
    for name in ("dither", "old"):  # workers run in other folders
        command = getattr(options, name)
        setattr(options, name, os.path.abspath(command) if os.sep in command else command)
    cache = {"cells": {}, "failed": {}, "sets": {}, "programs": {}}
    if os.path.exists(options.cache):
        cache = json.loads(pathlib.Path(options.cache).read_text())

    def save():
        new = options.cache + ".new"
        pathlib.Path(new).write_text(json.dumps(cache, indent=1))
        os.replace(new, options.cache)

    if options.again:
        chosen = lambda key: key.split()[0] in options.sets and key.split()[1] in options.programs
        cache["cells"] = {k: v for k, v in cache["cells"].items() if not chosen(k)}
        cache["failed"] = {k: v for k, v in cache["failed"].items() if not chosen(k)}
    measure(options, cache, save)
    if options.write:
        pathlib.Path(options.write).write_text(page(cache))


if __name__ == "__main__":
    main()
