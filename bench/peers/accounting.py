"""Times other accountants on the questions of dither's benchmarks.

Each question runs in a process of its own, so that peak memory is that question's. Arguments
select questions or programs by name; without any all are asked.
"""

import multiprocessing
import resource
import sys
import time
import warnings

warnings.filterwarnings("ignore")

EPSILON = {
    "epsilon of q=0.01 sigma=1 T=1e4 delta=1e-5": (0.01, 1.0, 10_000, 1e-5),
    "epsilon of q=0.001 sigma=1 T=1e6 delta=1e-5": (0.001, 1.0, 1_000_000, 1e-5),
}
CALIBRATE = {"sigma for epsilon=2 at q=256/60000 T=3525 delta=1e-5": (256 / 60000, 3525, 2.0, 1e-5)}
TERMS = {"epsilon of 1000 different sampled Gaussians at delta=1e-6": [(0.001 + 1e-5 * k, 1 + 0.001 * k) for k in range(1000)]}


def dp_events(q, sigma, steps):
    import dp_accounting as dp

    step = dp.PoissonSampledDpEvent(q, dp.GaussianDpEvent(sigma))
    return dp.SelfComposedDpEvent(step, steps)


def dp_accountant(kind):
    import dp_accounting as dp

    if kind == "pld":
        return dp.pld.PLDAccountant()
    return dp.rdp.RdpAccountant()


def dp_epsilon(kind):
    return lambda q, sigma, steps, delta: dp_accountant(kind).compose(dp_events(q, sigma, steps)).get_epsilon(delta)


def dp_calibrate(kind):
    def run(q, steps, epsilon, delta):
        import dp_accounting as dp

        return dp.calibrate_dp_mechanism(
            lambda: dp_accountant(kind), lambda sigma: dp_events(q, sigma, steps), epsilon, delta, tol=1e-6
        )

    return run


def dp_terms(kind):
    def run(*terms):
        accountant = dp_accountant(kind)
        for q, sigma in terms:
            accountant.compose(dp_events(q, sigma, 1))
        return accountant.get_epsilon(1e-6)

    return run


def prv_epsilon(q, sigma, steps, delta):
    from prv_accountant import PRVAccountant, PoissonSubsampledGaussianMechanism

    mechanism = PoissonSubsampledGaussianMechanism(noise_multiplier=sigma, sampling_probability=q)
    accountant = PRVAccountant(prvs=mechanism, max_self_compositions=steps, eps_error=0.01, delta_error=delta / 1000)
    return accountant.compute_epsilon(delta=delta, num_self_compositions=steps)


def prv_calibrate(q, steps, epsilon, delta):
    from prv_accountant.dpsgd import find_noise_multiplier

    return find_noise_multiplier(sampling_probability=q, num_steps=steps, target_epsilon=epsilon, target_delta=delta)


def opacus_epsilon(kind):
    def run(q, sigma, steps, delta):
        from opacus.accountants import create_accountant

        accountant = create_accountant(kind)
        accountant.history = [(sigma, q, steps)]
        return accountant.get_epsilon(delta)

    return run


def opacus_calibrate(kind):
    def run(q, steps, epsilon, delta):
        from opacus.accountants.utils import get_noise_multiplier

        return get_noise_multiplier(
            target_epsilon=epsilon, target_delta=delta, sample_rate=q, steps=steps, accountant=kind
        )

    return run


PROGRAMS = {
    "dp_accounting pld": (dp_epsilon("pld"), dp_calibrate("pld"), dp_terms("pld")),
    "dp_accounting rdp": (dp_epsilon("rdp"), dp_calibrate("rdp"), dp_terms("rdp")),
    "prv_accountant": (prv_epsilon, prv_calibrate, None),
    "opacus prv": (opacus_epsilon("prv"), opacus_calibrate("prv"), None),
    "opacus rdp": (opacus_epsilon("rdp"), opacus_calibrate("rdp"), None),
}


def ask(question, arguments, runs, pipe):
    try:
        start = time.perf_counter()
        answer = question(*arguments)  # imports, and compiles: of a long question that is little
        first = time.perf_counter() - start
        best = first if first > 20 else float("inf")
        for _ in range(runs if first <= 20 else 0):
            start = time.perf_counter()
            answer = question(*arguments)
            best = min(best, time.perf_counter() - start)
            if best > 5:
                break
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        pipe.send(f"{answer}   {best:.4g} s   {peak:.0f} MB")
    except Exception as error:  # a program that refuses is an answer, too
        pipe.send(f"refused: {type(error).__name__}: {error}"[:120])


def main(words):
    context = multiprocessing.get_context("spawn")
    for place, questions in enumerate((EPSILON, CALIBRATE, TERMS)):
        for name, arguments in questions.items():
            for program, answers in PROGRAMS.items():
                if answers[place] is None or words and not any(w in name + " " + program for w in words):
                    continue
                here, there = context.Pipe()
                process = context.Process(target=run_one, args=(place, name, program, there))
                process.start()
                # A process that dies without a word, of memory for example, ends the wait too.
                while not here.poll(1) and process.is_alive():
                    pass
                print(f"{name} | {program} | {here.recv() if here.poll() else 'died'}", flush=True)
                process.join()


def run_one(place, name, program, pipe):
    arguments = (EPSILON, CALIBRATE, TERMS)[place][name]
    ask(PROGRAMS[program][place], arguments, 3, pipe)


if __name__ == "__main__":
    main(sys.argv[1:])
