"""How long each step takes, what the workflow adds, and what forks in process save.

`python -m tests.benchmarks.pipeline [--repeats N]` prints, for `docs-pilot` and for a simulated
study of 70 systems and 1,000 items: the median time of each step in a process of its own; the whole
run against the same graph with empty steps; and 50 forks of `evaluate` in process against one run
of the step. Ratios are of times measured in this run; nothing here is a test.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.benchmarks.forks import FORKS, fork_runner
from tests.benchmarks.wide_study import write_wide_study
from tests.workflow.house import ROOT, House, new_house

ENOUGH = 10.0
"""Seconds after which something is not measured once more."""
ONE_THREAD = {
    f"{name}_THREADS": "1" for name in ("OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "POLARS_MAX")
}
_COMMAND = re.compile(r'"\$AUDIT_PYTHON" -P -m audit (\S+) (.*?) > \S+ 2>&1', re.DOTALL)


def seconds(action: Callable[[], object]) -> float:
    """Time of an action."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def repeated(action: Callable[[], object], repeats: int) -> list[float]:
    """Times of an action, fewer than asked for when it is slow."""
    times = [seconds(action)]
    while len(times) < repeats and sum(times) < ENOUGH:
        times.append(seconds(action))
    return times


def shown(times: list[float]) -> str:
    """`1.23 s (3)`: median, and of how many."""
    return f"{statistics.median(times):.2f} s ({len(times)})"


def house_with(folder: Path, study: Path) -> House:
    """A copy of the program whose only study is this one, compiled."""
    house = new_house(folder)
    shutil.copytree(study.parent, house.root / "specs" / study.parent.name)
    compiling = [sys.executable, "-P", "-m", "compileall", "-q", "audit"]
    subprocess.run(compiling, cwd=house.root, env=house.environment(), check=True)
    return house


def run(house: House) -> None:
    """Everything from nothing."""
    shutil.rmtree(house.results, ignore_errors=True)
    done = house.run()
    if done.returncode:
        raise SystemExit(done.stdout)


def emptied(house: House, folder: Path) -> House:
    """The same house with steps that make their outputs and compute nothing."""
    empty = house.copy_to(folder)
    shutil.copy(
        ROOT / "tests" / "benchmarks" / "empty_steps.py", empty.root / "audit" / "__main__.py"
    )
    return empty


def steps(house: House) -> Iterator[tuple[str, list[str]]]:
    """(verb, command) of each step, as the Snakefile calls them."""
    printed = house.run("--dry-run", "--forceall", "--printshellcmds").stdout
    for verb, rest in _COMMAND.findall(printed):
        place = str((house.results / ".run" / "places.json").absolute())
        words = shlex.split(rest.replace('"$AUDIT_RUN/places.json"', shlex.quote(place)))
        yield verb, [sys.executable, "-P", "-m", "audit", verb, *words]


def time_steps(house: House, repeats: int) -> dict[str, list[float]]:
    """Print the times of each step in a process of its own; {verb: times}."""
    environment = house.environment(PYTHONPATH=str(house.root), **ONE_THREAD)
    found = {}
    for verb, command in steps(house):

        def call(command: list[str] = command) -> None:
            subprocess.run(command, cwd=house.root, env=environment, check=True)

        found[verb] = repeated(call, repeats)
        print(f"  {verb:14}{shown(found[verb])}", flush=True)
    return found


def time_graph(house: House, empty: House, repeats: int) -> None:
    """Print the whole run against the same graph with empty steps, taken in turn."""
    whole, graph = [], []
    while len(graph) < max(2, repeats) and sum(whole) < 3 * ENOUGH:
        graph.append(seconds(lambda: run(empty)))
        whole.append(seconds(lambda: run(house)))
    ratio = statistics.median(whole) / statistics.median(graph)
    print(f"  whole run {shown(whole)}, the same graph with empty steps {shown(graph)}: "
          f"ratio {ratio:.2f}", flush=True)  # fmt: skip


def measure(study: Path, source: str, place: Path, repeats: int) -> None:
    """Print everything about one study."""
    house = house_with(place / "house", study)
    time_graph(house, emptied(house, place / "empty"), repeats)
    one = time_steps(house, repeats)["comparison"]
    many = repeated(fork_runner(house.results / study.parent.name, source), repeats)
    ratio = statistics.median(many) / statistics.median(one)
    print(f"  {FORKS} forks of the comparison in process {shown(many)}, "
          f"one run of the step {shown(one)}: ratio {ratio:.2f} instead of {FORKS}")  # fmt: skip


def main() -> None:
    """Measure both studies."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3, help="most runs of each, median shown")
    repeats = parser.parse_args().repeats
    os.environ.update(ONE_THREAD)  # before a library starts its threads
    print(f"{os.cpu_count()} cores, two jobs at a time; medians (of how many)")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        print("docs-pilot:", flush=True)
        pilot = ROOT / "specs" / "docs-pilot" / "study.yaml"
        measure(pilot, "questions", place / "pilot", repeats)
        print("simulated, 70 systems x 1,000 items:", flush=True)
        measure(write_wide_study(place / "studies"), "simulated", place / "wide", repeats)


if __name__ == "__main__":
    main()
