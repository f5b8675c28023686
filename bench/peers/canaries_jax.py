"""Trains a linear model on canaries by JAX-Privacy's DP-SGD, and audits the epsilon that its accountant prints.

The parts are JAX-Privacy's own: clipped_grad, gaussian_privatizer, CyclicPoissonSampling and DpsgdTrainingAccountant.
The scores come from the noisy gradients. A run on the full batch and a run with Poisson sampling are audited, each
against the accountant's epsilon and against the event that it stands for.
"""

import time

import jax
import jax.numpy as jnp
import numpy as np
from jax_privacy import batch_selection, clipping, noise_addition
from jax_privacy.accounting import accountants, analysis

import canaries

CLIP, DELTA = 0.5, 1e-5


def price(records, batch, steps, noise):
    """JAX-Privacy's epsilon by its own accountant of distributions of privacy losses."""
    params = analysis.DpParams(noise_multipliers=noise, num_samples=records, delta=DELTA, batch_size=batch)
    accountant = analysis.DpsgdTrainingAccountant(accountants.PldAccountantConfig())
    return float(accountant.compute_epsilon(steps, params))


def train(count, steps, noise, rate, seed=1):
    """Scores, coins and the accountant's epsilon of steps that take each record with probability rate."""
    rng = np.random.default_rng(seed)
    included = canaries.coins(count, rng)
    which = np.flatnonzero(included)
    gradient = clipping.clipped_grad(lambda w, x: -10 * jnp.sum(x @ w), l2_clip_norm=CLIP)
    privatizer = noise_addition.gaussian_privatizer(stddev=noise * gradient.sensitivity(), prng_key=jax.random.key(seed))

    @jax.jit
    def step(w, state, index):
        padding = index < 0
        x = jax.nn.one_hot(jnp.where(padding, 0, index), count)
        noisy, state = privatizer.update(gradient(w, x, is_padding_example=padding), state)
        return w - 0.1 * noisy, state, noisy

    w = jnp.zeros(count)
    state, scores = privatizer.init(w), np.zeros(count)
    sampling = batch_selection.CyclicPoissonSampling(sampling_prob=rate, iterations=steps)
    for batch in sampling.batch_iterator(len(which), rng=rng):
        at = batch_selection.pad_to_multiple_of(np.arange(len(batch)), 512)
        index = np.where(at < 0, -1, which[batch[at]])
        w, state, noisy = step(w, state, index)
        scores += canaries.likelihood(np.asarray(noisy, float) / -CLIP, noise, rate)
    # The accountant takes the batch in place of the probability: their ratio is the probability itself.
    return scores, included, price(1000, round(1000 * rate), steps, noise)


def main():
    for count, steps, noise, rate in ((5000, 16, 4, 1), (5000, 100, 1, 0.1)):
        start = time.perf_counter()
        scores, included, epsilon = train(count, steps, noise, rate)
        took = time.perf_counter() - start
        name = f"JAX-Privacy, {steps} steps, noise {noise}, {'full batch' if rate == 1 else f'Poisson {rate:g}'}"
        for claim in (["--epsilon", f"{epsilon:.6g}"], [canaries.event(steps, noise, rate)]):
            section, command, _ = canaries.audit(scores, included, [*claim, "--delta", f"{DELTA:g}"])
            canaries.report(name, section, command, count, took)


if __name__ == "__main__":
    main()
