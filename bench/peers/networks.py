"""Times other programs on private training of networks: one epoch of DP-SGD over 60000 images of 28 x 28 (random
numbers, one in five not zero), for the network 784-1000-10 and for the small convolutional network of Papernot et al.
(AAAI 2021), with Poisson samples.

    python networks.py [mlp|cnn] [batch] [threads] [way ...]

where ways are parts of the names below, or all without any. Each way runs in a process of its own; time of an epoch and peak memory of the process are printed.
"""

import multiprocessing
import resource
import sys
import time
import warnings

warnings.filterwarnings("ignore")

N, CLASSES = 60_000, 10


def table(shape):
    import numpy as np
    import torch

    r = np.random.default_rng(5)
    x = r.random((N, 784), dtype=np.float32)
    x[r.random((N, 784), dtype=np.float32) > 0.2] = 0
    y = torch.from_numpy((np.arange(N) * 7 % CLASSES).astype(np.int64))
    return torch.from_numpy(x).reshape(N, *shape), y


def network(kind):
    from torch import nn

    if kind == "mlp":
        return (784,), nn.Sequential(nn.Linear(784, 1000), nn.Tanh(), nn.Linear(1000, CLASSES))
    layers = [nn.Conv2d(1, 16, 8, 2, 3), nn.Tanh(), nn.MaxPool2d(2, 1), nn.Conv2d(16, 32, 4, 2), nn.Tanh(), nn.MaxPool2d(2, 1)]
    return (1, 28, 28), nn.Sequential(*layers, nn.Flatten(), nn.Linear(512, 32), nn.Tanh(), nn.Linear(32, CLASSES))


def plain(kind, batch):
    """One epoch without privacy."""
    import torch

    shape, model = network(kind)
    x, y = table(shape)
    loss, optimizer = torch.nn.CrossEntropyLoss(), torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)

    def epoch():
        order = torch.randperm(N)
        for first in range(0, N, batch):
            part = order[first : first + batch]
            optimizer.zero_grad()
            loss(model(x[part]), y[part]).backward()
            optimizer.step()

    return epoch


def opacus(kind, batch, mode):
    """One epoch of Opacus, by per-sample gradients ("hooks") or ghost clipping ("ghost")."""
    import torch
    from opacus import PrivacyEngine

    shape, model = network(kind)
    x, y = table(shape)
    loss, optimizer = torch.nn.CrossEntropyLoss(), torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=batch)
    options = {"module": model, "optimizer": optimizer, "data_loader": loader, "noise_multiplier": 1.0, "max_grad_norm": 1.0}
    if mode == "ghost":
        model, optimizer, loss, loader = PrivacyEngine().make_private(criterion=loss, grad_sample_mode="ghost", **options)
    else:
        model, optimizer, loader = PrivacyEngine().make_private(**options)

    def epoch():
        for a, b in loader:
            if len(a):
                optimizer.zero_grad()
                loss(model(a), b).backward()
                optimizer.step()

    return epoch


WAYS = {
    "torch, not private": lambda kind, batch: plain(kind, batch),
    "opacus, per-sample gradients": lambda kind, batch: opacus(kind, batch, "hooks"),
    "opacus, ghost clipping": lambda kind, batch: opacus(kind, batch, "ghost"),
}


def measured(name, kind, batch, threads, answer):
    import torch

    torch.set_num_threads(threads)
    epoch, best = WAYS[name](kind, batch), float("inf")
    for _ in range(3):
        start = time.perf_counter()
        epoch()
        best = min(best, time.perf_counter() - start)
    answer.put((best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def main():
    multiprocessing.set_start_method("spawn")
    kinds = [a for a in sys.argv[1:] if a in ("mlp", "cnn")] or ["mlp", "cnn"]
    numbers = [int(a) for a in sys.argv[1:] if a.isdigit()]
    batch, threads = numbers[0] if numbers else 2048, numbers[1] if len(numbers) > 1 else 2
    words = [a for a in sys.argv[1:] if not a.isdigit() and a not in ("mlp", "cnn")]
    for kind in kinds:
        for name in (n for n in WAYS if not words or any(w in n for w in words)):
            answer = multiprocessing.Queue()
            process = multiprocessing.Process(target=measured, args=(name, kind, batch, threads, answer))
            process.start()
            seconds, memory = answer.get()
            process.join()
            print(f"{kind}, batch {batch}, {threads} threads, {name}: {seconds:.2f} s an epoch, {memory:.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
