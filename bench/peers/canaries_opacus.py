"""Trains a linear model on canaries by Opacus's DP-SGD, and audits the epsilon that Opacus's accountant prints.

The scores come from the noisy gradients that Opacus gives to the optimizer. Without arguments, a run on the full batch
and a run with Poisson sampling are audited, each against Opacus's epsilon and against the event that it stands for. With
the argument "shuffled", Opacus trains with poisson_sampling=False on the worst case of shuffled batches.
"""

import sys
import time
import warnings

import numpy as np
import torch
from opacus import PrivacyEngine
from torch.utils.data import DataLoader, Dataset, TensorDataset

import canaries
import faults

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
CLIP, DELTA = 0.5, 1e-5


class OneHots(Dataset):
    """The canaries that take part, as rows with a single 1."""

    def __init__(self, included):
        self.which, self.width = np.flatnonzero(included), len(included)

    def __len__(self):
        return len(self.which)

    def __getitem__(self, i):
        x = torch.zeros(self.width)
        x[self.which[i]] = 1
        return x


def train(count, steps, noise, batches, seed=1):
    """Scores, coins, Opacus's epsilon and its sampling probability. A batch has one part in batches of all records."""
    torch.manual_seed(seed)
    included = canaries.coins(count, np.random.default_rng(seed))
    data = OneHots(included)
    model = torch.nn.Linear(count, 1, bias=False)
    engine = PrivacyEngine(accountant="prv")
    model, optimizer, loader = engine.make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=DataLoader(data, batch_size=-(-len(data) // batches)),
        noise_multiplier=noise,
        max_grad_norm=CLIP,
    )
    rate, scores, done = 1 / len(loader), np.zeros(count), 0
    while done < steps:
        for x in loader:
            optimizer.zero_grad()
            (-10 * model(x)).mean().backward()
            optimizer.step()
            noisy = next(model.parameters()).grad.numpy().ravel() * optimizer.expected_batch_size / -CLIP
            scores += canaries.likelihood(noisy.astype(float), noise, rate)
            done += 1
            if done == steps:
                break
    return scores, included, engine.get_epsilon(DELTA), rate


def shuffled(runs, steps, noise, size=4, seed=1):
    """Scores and coins of runs with one canary on shuffled batches. The gradients are those of faults.batches."""
    torch.manual_seed(seed)
    included, scores = canaries.coins(runs, np.random.default_rng(seed)), np.zeros(runs)
    x = torch.full((steps * size, 1), -1.0)
    model = torch.nn.Linear(1, 1, bias=False)
    model, optimizer, loader = PrivacyEngine(accountant="prv").make_private(
        module=model,
        optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
        data_loader=DataLoader(TensorDataset(x), batch_size=size, shuffle=True),
        noise_multiplier=noise,
        max_grad_norm=1.0,
        poisson_sampling=False,
    )
    for i in range(runs):
        x[0] = 1.0 if included[i] else 0.0
        y = []
        for (batch,) in loader:
            optimizer.zero_grad()
            model(batch).mean().backward()
            optimizer.step()
            y.append(next(model.parameters()).grad.item() * size + size)
        scores[i] = faults.shuffled_score(np.array(y), noise)
    return scores, included


def main_shuffled(runs=600, steps=100, noise=0.6):
    start = time.perf_counter()
    scores, included = shuffled(runs, steps, noise)
    took = time.perf_counter() - start
    claim = [canaries.event(steps, noise, 1 / steps), "--neighboring", "zero-out", "--delta", f"{DELTA:g}"]
    section, command, _ = canaries.audit(scores, included, claim, "runs", faults.CONFIDENCE)
    canaries.report(f"Opacus, {steps} shuffled steps, noise {noise}", section, command, runs, took)


def main():
    for count, steps, noise, batches in ((5000, 16, 4, 1), (5000, 100, 1, 10)):
        start = time.perf_counter()
        scores, included, epsilon, rate = train(count, steps, noise, batches)
        took = time.perf_counter() - start
        name = f"Opacus, {steps} steps, noise {noise}, {'full batch' if rate == 1 else f'Poisson {rate:g}'}"
        for claim in (["--epsilon", f"{epsilon:.6g}"], [canaries.event(steps, noise, rate)]):
            section, command, _ = canaries.audit(scores, included, [*claim, "--delta", f"{DELTA:g}"])
            canaries.report(name, section, command, count, took)


if __name__ == "__main__":
    main_shuffled() if sys.argv[1:] == ["shuffled"] else main()
