"""Times other programs on reading tables and on questions about them.

    python tables.py FOLDER

writes FOLDER/table.csv and FOLDER/table.parquet, 104 columns of integers from 0 to 1000 and
a column of labels, unless they are there. It times pyarrow on them, with one thread and with two. dither's side is
`DITHER_TABLES=FOLDER go test ./internal/format/parquet -run '^$' -bench Table`. Then it asks numpy and diffprivlib for
a mean, a histogram and a median of a million numbers; dither's side is `go test ./query -run '^$' -bench Ask`.
"""

import os
import sys
import time
import warnings

warnings.filterwarnings("ignore")

ROWS, COLUMNS, RECORDS = 200_000, 104, 1_000_000


def median_time(run, times=5):
    spent = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        spent.append(time.perf_counter() - start)
    return sorted(spent)[times // 2]


def write(folder):
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    r = np.random.default_rng(7)
    columns = {f"x{j}": r.integers(0, 1001, ROWS) for j in range(COLUMNS)}
    table = pa.table(columns | {"y": r.integers(0, 2, ROWS)})
    pa.csv.write_csv(table, os.path.join(folder, "table.csv"), pa.csv.WriteOptions(quoting_style="none"))
    pa.parquet.write_table(table, os.path.join(folder, "table.parquet"))


def reading(folder):
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    text, parquet = os.path.join(folder, "table.csv"), os.path.join(folder, "table.parquet")
    if not os.path.exists(parquet):
        write(folder)
    for threads in (1, 2):
        pa.set_cpu_count(threads)
        options = pa.csv.ReadOptions(use_threads=threads > 1)
        for name, run in {
            "table.csv": lambda: pa.csv.read_csv(text, read_options=options),
            "table.parquet": lambda: pa.parquet.read_table(parquet, use_threads=threads > 1),
        }.items():
            seconds = median_time(run)
            size = os.path.getsize(os.path.join(folder, name)) / 1e6
            print(f"pyarrow, {threads} threads, {name}: {seconds * 1e3:.1f} ms, {size / seconds:.0f} MB/s", flush=True)


def questions():
    import numpy as np

    r = np.random.default_rng(7)
    x, cities = r.random(RECORDS, dtype=np.float32) * 1000, r.integers(0, 10, RECORDS).astype(np.float32)
    asked = {
        "numpy, mean": lambda: x.mean(),
        "numpy, histogram": lambda: np.histogram(cities, bins=10, range=(-0.5, 9.5)),
        "numpy, median": lambda: np.median(x),
    }
    try:
        from diffprivlib import tools
    except ImportError as error:  # a peer that is not installed, or does not fit the others, is said so
        print(f"diffprivlib: not run: {error}", flush=True)
    else:
        asked |= {
            "diffprivlib, mean": lambda: tools.mean(x, epsilon=1, bounds=(0, 1000)),
            "diffprivlib, histogram": lambda: tools.histogram(cities, epsilon=1, bins=10, range=(-0.5, 9.5)),
            "diffprivlib, median": lambda: tools.median(x, epsilon=1, bounds=(0, 1000)),
        }
    for name, run in asked.items():
        print(f"{name}: {median_time(run) * 1e3:.2f} ms", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    reading(sys.argv[1])
    questions()
