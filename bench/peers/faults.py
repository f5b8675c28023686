"""Audits faults of DP-SGD that other programs had, each built into 50 lines of numpy as a flag.

Each row has the claim that the author of the fault would print, and dither audit's verdict at confidence 1 - 1e-6. The
arguments select faults by name, "correct" stands for no fault. The exit status is 1 if a verdict is not the expected one.
"""

import math
import sys
import time

import numpy as np

import canaries

COUNT, STEPS, NOISE, CLIP, DELTA, CONFIDENCE = 4000, 16, 4.0, 3.0, 1e-5, 1 - 1e-6


def clipped(g, bound):
    """The gradients, records by layers by coordinates, scaled so that the norm of each record is at most bound."""
    norms = np.sqrt(np.einsum("nlm,nlm->n", g, g))
    return g * np.minimum(1, bound / norms)[:, None, None]


def released(g, fault, noise, rng):
    """The noisy gradient of one step over the clipping norm: a sum, and after clip-after-mean a mean."""
    spread = noise * CLIP
    match fault:
        case "clip-after-mean":
            total = clipped(g.mean(0)[None], CLIP)[0]
        case "clip-each-layer":
            total = np.concatenate([clipped(layer, CLIP) for layer in np.split(g, g.shape[1], 1)], 1).sum(0)
        case "one-layer-unclipped":
            total = np.concatenate([clipped(g[:, :-1], CLIP), g[:, -1:]], 1).sum(0)
        case _:
            total = clipped(g, CLIP).sum(0)
    match fault:
        case "noise-of-mean" | "clip-after-mean":
            spread /= len(g)
        case "noise-without-clip":
            spread = noise
        case "noise-over-root2":
            spread /= math.sqrt(2)
    return (total + rng.normal(0, spread, total.shape)) / CLIP


def train(fault, layers=1, steps=STEPS, noise=NOISE, rate=1.0, replaced=False, seed=1):
    """Scores and coins of canaries in one run. A canary that is left out is absent, or replaced by its opposite."""
    rng = np.random.default_rng(seed)
    included = canaries.coins(COUNT, rng)
    records = np.arange(COUNT) if replaced else np.flatnonzero(included)
    scores = np.zeros(COUNT)
    for _ in range(steps):
        taken = records[rng.random(len(records)) < rate]
        g = np.zeros((len(taken), layers, COUNT), np.float32)
        g[np.arange(len(taken)), :, taken] = np.where(included[taken], 10, -10)[:, None]
        y = released(g, fault, noise, rng).sum(0) / math.sqrt(layers)
        scores += y if rate == 1 else canaries.likelihood(y, noise, rate)
    return scores, included


def several(runs):
    """Scores and coins of several correct runs together."""
    made = [train(None, seed=1 + k) for k in range(runs)]
    return tuple(np.concatenate(part) for part in zip(*made))


def shuffled_score(y, noise):
    """The log likelihood ratio of one epoch: one step is around 2 with the canary, around 1 with a blank, others around 0."""
    return np.logaddexp.reduce((2 * y - 2) / noise**2) - np.logaddexp.reduce((y - 0.5) / noise**2)


def batches(fault, steps=1000, size=4, noise=0.6, runs=20000, seed=1):
    """Scores and coins of runs with one canary, in the worst case of shuffled batches (Chua et al. 2024).

    The gradient of the canary is 1, or 0 if it is blanked out, and all others are -1. So each batch without the canary
    shows that it lacks the canary, whether or not the canary is blanked out.
    """
    rng = np.random.default_rng(seed)
    included, scores = canaries.coins(runs, rng), np.zeros(runs)
    g = np.full(steps * size, -1.0)
    for i in range(runs):
        g[0] = 1.0 if included[i] else 0.0
        if fault == "shuffled":
            y = rng.permutation(g).reshape(steps, size).sum(1) + size + rng.normal(0, noise, steps)
            scores[i] = shuffled_score(y, noise)
        else:
            others = rng.binomial(steps * size - 1, 1 / steps, steps)
            y = g[0] * (rng.random(steps) < 1 / steps) - others + rng.normal(0, noise, steps)
            scores[i] = canaries.likelihood(y + others, noise, 1 / steps).sum()
    return scores, included


def gaussian_epsilon(delta):
    """The epsilon at delta of STEPS releases with NOISE (Balle and Wang 2018), by bisection."""
    mu = math.sqrt(STEPS) / NOISE
    normal = lambda x: math.erfc(-x / math.sqrt(2)) / 2
    low, high = 0.0, 100.0
    for _ in range(60):
        e = (low + high) / 2
        enough = normal(mu / 2 - e / mu) - math.exp(e) * normal(-mu / 2 - e / mu) <= delta
        low, high = (low, e) if enough else (e, high)
    return high


FULL = [canaries.event(STEPS, NOISE)]
REPLACED = [canaries.event(STEPS, 2 * NOISE), "--neighboring", "replace-one"]
SAMPLED = [canaries.event(1000, 0.6, 0.001), "--neighboring", "zero-out"]
PRINTED = ["--epsilon", f"{gaussian_epsilon(DELTA):.6g}"]
MISTAKEN = ["--epsilon", f"{gaussian_epsilon(0.05):.6g}"]

# name: what makes the scores, the claim, whether a correct audit refutes it
CASES = {
    "correct": (lambda: train(None), FULL, False),
    "correct-layers": (lambda: train(None, layers=4), FULL, False),
    "correct-replaced": (lambda: train(None, noise=2 * NOISE, replaced=True), REPLACED, False),
    "correct-sampled": (lambda: train(None, steps=50, noise=1, rate=0.1), [canaries.event(50, 1, 0.1)], False),
    "correct-batches": (lambda: batches(None), SAMPLED, False),
    "correct-delta": (lambda: several(15), PRINTED, False),
    "noise-of-mean": (lambda: train("noise-of-mean"), FULL, True),
    "shuffled": (lambda: batches("shuffled"), SAMPLED, True),
    "replaced-without-2": (lambda: train(None, replaced=True), REPLACED, True),
    "clip-after-mean": (lambda: train("clip-after-mean"), FULL, True),
    "noise-without-clip": (lambda: train("noise-without-clip"), FULL, True),
    "noise-over-root2": (lambda: train("noise-over-root2"), FULL, True),
    "wrong-delta": (lambda: several(15), MISTAKEN, True),
    "more-steps": (lambda: train(None, steps=2 * STEPS), FULL, True),
    "clip-each-layer": (lambda: train("clip-each-layer", layers=4), FULL, True),
    "one-layer-unclipped": (lambda: train("one-layer-unclipped", layers=4), FULL, True),
}


def main():
    wrong = 0
    for name in sys.argv[1:] or CASES:
        make, claim, faulty = CASES[name]
        start = time.perf_counter()
        scores, included = make()
        design = "runs" if claim is SAMPLED else "independent"
        section, command, status = canaries.audit(scores, included, [*claim, "--delta", f"{DELTA:g}"], design, CONFIDENCE, name + ".csv")
        canaries.report(name, section, command, len(scores), time.perf_counter() - start)
        wrong += status != int(faulty)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
