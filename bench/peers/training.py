"""Times other programs on the training jobs of dither's benchmarks: steps and epochs of logistic and softmax
regression on a table of the size of MNIST (60000 x 784, filled with random numbers, one in five not zero).

Each job runs in a process of its own, the least time of several runs is printed. Arguments select jobs or
programs by name; without any all are run.
"""

import multiprocessing
import sys
import time
import warnings

warnings.filterwarnings("ignore")

N, D, BATCH = 60_000, 784, 600


def table(classes):
    import numpy as np

    r = np.random.default_rng(5)
    x = r.random((N, D), dtype=np.float32)
    x[r.random((N, D), dtype=np.float32) > 0.2] = 0
    return x, (np.arange(N) * 7 % classes).astype(np.int64)


def least(run, times):
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best


def numpy_step(classes):
    """One full-batch step without privacy, as two products."""
    import numpy as np

    x, y = table(classes)
    k = 1 if classes == 2 else classes
    w = np.zeros((D, k), np.float32)
    target = y[:, None].astype(np.float32) if k == 1 else np.eye(k, dtype=np.float32)[y]

    def step():
        z = x @ w
        if k == 1:
            p = 1 / (1 + np.exp(-z))
        else:
            e = np.exp(z - z.max(1, keepdims=True))
            p = e / e.sum(1, keepdims=True)
        w[:] -= 1e-6 * (x.T @ (p - target))

    return least(step, 15)


def numpy_private_step(classes):
    """The same with clipping to norm 1 and noise, in float32, from one norm a row: no exact sum, no verification."""
    import numpy as np

    x, y = table(classes)
    k = 1 if classes == 2 else classes
    w = np.zeros((D, k), np.float32)
    target = y[:, None].astype(np.float32) if k == 1 else np.eye(k, dtype=np.float32)[y]
    norms = np.linalg.norm(x, axis=1, keepdims=True)
    r = np.random.default_rng(1)

    def step():
        z = x @ w
        if k == 1:
            p = 1 / (1 + np.exp(-z))
        else:
            e = np.exp(z - z.max(1, keepdims=True))
            p = e / e.sum(1, keepdims=True)
        residual = p - target
        residual *= np.minimum(1, 1 / (norms * np.linalg.norm(residual, axis=1, keepdims=True) + 1e-12))
        w[:] -= 1e-6 * (x.T @ residual + r.normal(size=(D, k)).astype(np.float32))

    return least(step, 15)


def sklearn_sgd(classes):
    """One epoch of SGDClassifier without privacy."""
    from sklearn.linear_model import SGDClassifier

    x, y = table(classes)
    model = SGDClassifier(loss="log_loss", max_iter=1, tol=None, n_jobs=2)
    return least(lambda: model.fit(x, y), 2)


def torch_epoch(classes, private, mode="hooks"):
    """One epoch of SGD in batches of about 600; private: DP-SGD by Opacus with Poisson sampling."""
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    x, y = table(classes)
    model = torch.nn.Linear(D, max(classes, 2))
    loss = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(TensorDataset(torch.from_numpy(x), torch.from_numpy(y)), batch_size=BATCH, shuffle=True)
    if private:
        from opacus import PrivacyEngine

        made = PrivacyEngine().make_private(
            module=model, optimizer=optimizer, data_loader=loader, criterion=loss, noise_multiplier=1.0, max_grad_norm=1.0, grad_sample_mode=mode
        )
        model, optimizer, loader = (made[0], made[1], made[-1])
        if mode == "ghost":
            model, optimizer, loss, loader = made

    def epoch():
        for a, b in loader:
            optimizer.zero_grad()
            loss(model(a), b).backward()
            optimizer.step()

    return least(epoch, 2)


def torch_batches(classes):
    """One epoch of SGD without privacy on slices of tensors: no loader."""
    import torch

    x, y = (torch.from_numpy(v) for v in table(classes))
    model, loss = torch.nn.Linear(D, max(classes, 2)), torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def epoch():
        for i in range(0, N, BATCH):
            optimizer.zero_grad()
            loss(model(x[i : i + BATCH]), y[i : i + BATCH]).backward()
            optimizer.step()

    return least(epoch, 3)


def diffprivlib_fit(classes):
    """A whole fit of the private logistic regression (objective perturbation), 20 iterations at most."""
    from diffprivlib.models import LogisticRegression

    x, y = table(classes)
    return least(lambda: LogisticRegression(epsilon=1, data_norm=28, max_iter=20).fit(x, y), 1)


def jax_epoch(classes):
    """One epoch of per-example clipped gradients in JAX, jit and vmap, batches of 600: what JAX-Privacy runs, without its sampler and loader."""
    import jax
    import jax.numpy as jnp
    from jax_privacy import clipping

    x, y = table(classes)
    x, y = jnp.asarray(x), jnp.asarray(y)
    k = max(classes, 2)

    def loss(w, a, b):
        return -jax.nn.log_softmax(a @ w)[b].sum()

    gradient = clipping.clipped_grad(lambda w, a, b: loss(w, a[0], b[0]), l2_clip_norm=1.0, batch_argnums=(1, 2))

    @jax.jit
    def step(w, key, i):
        a = jax.lax.dynamic_slice_in_dim(x, i, BATCH)
        b = jax.lax.dynamic_slice_in_dim(y, i, BATCH)
        g = gradient(w, a, b)
        return w - 1e-4 * (g + jax.random.normal(key, w.shape))

    def epoch():
        w, key = jnp.zeros((D, k), jnp.float32), jax.random.key(0)
        for i in range(0, N, BATCH):
            key, now = jax.random.split(key)
            w = step(w, now, i)
        w.block_until_ready()

    epoch()
    return least(epoch, 3)


JOBS = {
    "numpy, a full-batch step without privacy": numpy_step,
    "numpy, a full-batch step with float32 clipping and noise": numpy_private_step,
    "scikit-learn SGDClassifier, an epoch without privacy": sklearn_sgd,
    "PyTorch on slices, an epoch without privacy": torch_batches,
    "PyTorch with its loader, an epoch without privacy": lambda c: torch_epoch(c, False),
    "Opacus, an epoch": lambda c: torch_epoch(c, True),
    "Opacus ghost clipping, an epoch": lambda c: torch_epoch(c, True, "ghost"),
    "JAX-Privacy, an epoch": jax_epoch,
    "diffprivlib LogisticRegression, a fit": diffprivlib_fit,
}


def answer(queue, name, classes):
    try:
        queue.put(f"{JOBS[name](classes) * 1e3:.1f} ms")
    except Exception as error:  # a peer that is not installed, or has changed, is said so
        queue.put(f"not run: {type(error).__name__}: {str(error)[:200]}")


def main():
    wanted = sys.argv[1:]
    for classes in (2, 10):
        for name in JOBS:
            if wanted and not any(w.lower() in name.lower() for w in wanted):
                continue
            queue = multiprocessing.Queue()
            process = multiprocessing.Process(target=answer, args=(queue, name, classes))
            process.start()
            result = queue.get()
            process.join()
            print(f"{classes} classes: {name}: {result}", flush=True)


if __name__ == "__main__":
    main()
