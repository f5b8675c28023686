"""What the scripts of canaries share: coins, scores, the file of scores, and the call of dither audit.

A canary is a one-hot record with a coordinate of its own. A fair coin decides whether it is in the training data. Its
score is the log of the likelihood ratio of its noisy gradients, which is the best attack on normal noise.
"""

import json
import math
import os
import subprocess
import tempfile

import numpy as np


def coins(count, rng):
    """True for each canary that takes part."""
    return rng.random(count) < 0.5


def likelihood(y, noise, rate=1.0):
    """The log likelihood ratio of y, which is normal around 1 with probability rate and around 0 otherwise."""
    return np.logaddexp(np.log1p(-rate) if rate < 1 else -np.inf, np.log(rate) + (2 * y - 1) / (2 * noise**2))


def event(steps, noise, rate=1.0):
    """The steps as dither writes them."""
    one = f"gaussian({noise:g})"
    return f"repeat({steps}, {one if rate == 1 else f'poisson({rate:.15g}, {one})'})"


def write(path, scores, included):
    with open(path, "w") as f:
        f.write("score,included\n")
        f.writelines(f"{float(s)!r},{int(i)}\n" for s, i in zip(scores, included))


def audit(scores, included, claim, design="independent", confidence=0.95, file="scores.csv"):
    """The section of dither audit's report on the scores, its command, and its exit status. dither is $DITHER or on the PATH."""
    write(file, scores, included)
    options = [*claim, "--scores", file, "--design", design, "--confidence", f"{confidence:.15g}"]
    with tempfile.TemporaryDirectory() as out:
        run = [os.environ.get("DITHER", "dither"), "audit", *options, "--json", "--out", out, "--replace"]
        done = subprocess.run(run, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    command = " ".join(f'"{o}"' if " " in o else o for o in ["dither", "audit", *options])
    return json.loads(done.stdout)["sections"][0], command, done.returncode


def down(bound):
    """A lower bound with two decimals, rounded down."""
    return f"{math.floor(100 * bound) / 100:.2f}"


def report(name, section, command, count, seconds):
    """Prints a row of a table. The lower bound is the greatest one that counts, beside the one that holds for any mechanism."""
    counts = [b for b in section["bounds"] if b["verdict"] != "estimate only"]
    best = max(counts, key=lambda b: b["lower-bound"])
    free = max(b["lower-bound"] for b in counts if b["name"] in ("one-run", "clopper-pearson", "hockey-stick"))
    bounds = f"{down(best['lower-bound'])} by {best['name']}, {down(free)}"
    print(f"| {name} | {section['claimed']:.4g} | {bounds} | {section['verdict']} | {count} | {seconds:.1f} | `{command}` |", flush=True)
