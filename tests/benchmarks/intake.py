"""Intake of a million rows against polars' own read, sort and write of the same table.

`python -m tests.benchmarks.intake [--rows N] [--repeats N]` prints both times, their ratio, and the
peak memory of a process that does only the one or the other. The table is simulated: 50 systems,
five tasks, a fiftieth of the answers without a score. One thread each; nothing here is a test.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SYSTEMS = 50
ONE_THREAD = {"POLARS_MAX_THREADS": "1", "OMP_NUM_THREADS": "1"}


def write_table(path: Path, rows: int) -> None:
    """The simulated answers as CSV."""
    generator = random.Random(1)
    with path.open("w") as stream:
        stream.write("system,item,score,status,task,date,cost_usd,tokens_out\n")
        for system in range(SYSTEMS):
            for item in range(rows // SYSTEMS):
                luck = generator.random()
                score, status = (int(luck < 0.6), "ok") if luck < 0.98 else ("", "error")
                stream.write(
                    f"sys{system:02d},item-{item:06d},{score},{status},task{item % 5},"
                    f"2026-10-0{1 + system % 9},{generator.random():.6f},"
                    f"{generator.randint(10, 999)}\n"
                )


def ours(path: Path) -> None:
    """Read, check, account and write as `audit ingest` does."""
    from audit.io import write_json, write_parquet
    from audit.responses.intake import ingest
    from audit.spec.files import ResolvedFile
    from tests.responses.builders import slice_of, systems

    names = {f"sys{at:02d}": f"sys{at:02d}" for at in range(SYSTEMS)}
    slice_ = slice_of(systems=systems(**names), tasks=tuple(f"task{at}" for at in range(5)))
    found = ingest(slice_, [ResolvedFile("rows.csv", path)])
    write_parquet(path.with_name("ours.parquet"), found.table.responses)
    write_parquet(path.with_name("items.parquet"), found.table.items)
    write_json(path.with_name("accounting.json"), found.accounting)


def theirs(path: Path) -> None:
    """Read, sort by the key, write."""
    import polars as pl

    frame = pl.read_csv(path).sort("system", "item")
    frame.write_parquet(path.with_name("theirs.parquet"))


def child(what: str, path: Path) -> None:
    """Time one of them after a first import, and print seconds and peak megabytes."""
    action = {"ours": ours, "theirs": theirs}[what]
    import audit.responses.intake  # noqa: F401 - both sides: imports are not measured

    began = time.perf_counter()
    action(path)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{seconds:.4f} {peak:.0f}")


def measured(what: str, path: Path, repeats: int) -> tuple[float, float]:
    """Median seconds and peak megabytes."""
    command = [sys.executable, "-m", "tests.benchmarks.intake", "--child", what, str(path)]
    found = [
        subprocess.run(
            command, check=True, capture_output=True, text=True, env={**os.environ, **ONE_THREAD}
        ).stdout.split()
        for _ in range(repeats)
    ]
    return statistics.median(float(one[0]) for one in found), max(float(one[1]) for one in found)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--child", nargs=2, metavar=("WHAT", "PATH"))
    asked = parser.parse_args()
    if asked.child:
        child(asked.child[0], Path(asked.child[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        write_table(path, asked.rows)
        size = path.stat().st_size / 1e6
        (own, peak), (other, least) = (
            measured(what, path, asked.repeats) for what in ("ours", "theirs")
        )
    print(f"{asked.rows:,} simulated rows, {size:.0f} MB of CSV, median of {asked.repeats}")
    print(f"claimscope: read, checked, accounted, written  {own:6.2f} s  {peak:6.0f} MB at most")
    print(f"polars: read, sorted, written                  {other:6.2f} s  {least:6.0f} MB at most")
    print(f"ratio {own / other:.2f} (wanted: under 2)")


if __name__ == "__main__":
    main()
