"""Compares the baseline of `dither train --non-private` with scikit-learn, on the sets of sets.py.

    DITHER_DATA=/path/to/data DITHER=/path/to/dither venv/bin/python baseline.py [SET...]

It prints a table in Markdown: the measure of both on the test part, and their seconds with reading and writing.
"""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sets import SETS

warnings.filterwarnings("ignore")


def dither(s, training, test, folder):
    """The predictions of the test part, and the seconds of the training."""
    s.write(training, folder / "train.csv")
    s.write(test, folder / "test.csv")
    (folder / "schema.yaml").write_text(s.schema())
    command = os.environ.get("DITHER", "dither")
    unit = ["--unit", "person:" + s.person[0], "--max-records-per-person", str(s.person[1])] if s.person else []
    began = time.perf_counter()
    subprocess.run([command, "train", "--data", "train.csv", "--schema", "schema.yaml", "--non-private", "--out", "model", "--quiet", *unit],
                   cwd=folder, check=True, capture_output=True)
    seconds = time.perf_counter() - began
    subprocess.run([command, "predict", "model", "test.csv", "--out", "predictions.csv"], cwd=folder, check=True, capture_output=True)
    with open(folder / "predictions.csv") as file:
        return np.array([float(row[-1]) for row in list(csv.reader(file))[1:]]), seconds


def main():
    print("| set | rows | features | measure | scikit-learn | dither | seconds of scikit-learn | seconds of dither |\n|---|---|---|---|---|---|---|---|")
    for s in SETS:
        if sys.argv[1:] and s.name not in sys.argv[1:]:
            continue
        training, test = s.parts(os.environ["DITHER_DATA"])
        x, y, target = s.encoded(training), s.labels(training), s.labels(test)
        began = time.perf_counter()
        model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=3000, tol=1e-6) if s.classes else Ridge()).fit(x, y)
        took = time.perf_counter() - began
        if s.classes:
            theirs = model.predict_proba(s.encoded(test))[:, 1]
            measures = {"AUC": roc_auc_score, "accuracy": lambda t, p: accuracy_score(t, p > 0.5)}
        else:
            theirs, measures = np.clip(model.predict(s.encoded(test)), *s.declared), {"R²": r2_score}
        with tempfile.TemporaryDirectory() as folder:
            ours, seconds = dither(s, training, test, pathlib.Path(folder))
        used = int((x.max(0) > x.min(0)).sum())
        name = " | ".join([", ".join(measures), ", ".join(f"{m(target, theirs):.4f}" for m in measures.values()), ", ".join(f"{m(target, ours):.4f}" for m in measures.values())])
        print(f"| {s.name} | {len(y)} | {used} | {name} | {took:.1f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
