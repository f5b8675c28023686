"""Times numpy on the products of matrices of dither's benchmarks, in float32: milliseconds, the median of 9 runs.

dither's side is `go test ./internal/kernel -run '^$' -bench Gemm/float32`. OPENBLAS_NUM_THREADS sets the threads.
"""

import time

import numpy as np

for m, k, n in ((256, 784, 1000), (60000, 784, 10), (50176, 64, 16), (16384, 800, 64)):
    r = np.random.default_rng(4)
    a, b, c = r.random((m, k), np.float32), r.random((k, n), np.float32), np.zeros((m, n), np.float32)
    spent = []
    for _ in range(9):
        start = time.perf_counter()
        np.matmul(a, b, out=c)
        spent.append(time.perf_counter() - start)
    print(f"numpy, {m} x {k} x {n}: {sorted(spent)[4] * 1e3:.2f} ms", flush=True)
