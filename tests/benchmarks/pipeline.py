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

import numpy as np

from audit.analyses.arrays import prepare
from audit.analyses.comparison import evaluate
from audit.analyses.estimates import Choices
from audit.io import read_model
from audit.spec.plan import AnalysisSlice
from audit.steps.tables import read_table
from tests.benchmarks.wide_study import write_wide_study
from tests.workflow.house import ROOT, House, new_house

FORKS = 50
_COMMAND = re.compile(r'"\$AUDIT_PYTHON" -P -m audit (\S+) (.*?) > \S+ 2>&1', re.DOTALL)


def seconds(action: Callable[[], object], repeats: int) -> float:
    """Median time of an action."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def house_with(folder: Path, study: Path) -> House:
    """A copy of the program whose only study is this one."""
    house = new_house(folder)
    shutil.copytree(study.parent, house.root / "specs" / study.parent.name)
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
    """(verb and source, command) of each step, as the Snakefile calls them."""
    shown = house.run("--dry-run", "--forceall", "--printshellcmds").stdout
    for verb, rest in _COMMAND.findall(shown):
        place = str((house.results / ".run" / "places.json").absolute())
        words = shlex.split(rest.replace('"$AUDIT_RUN/places.json"', shlex.quote(place)))
        yield verb, [sys.executable, "-P", "-m", "audit", verb, *words]


def time_steps(house: House, repeats: int) -> None:
    """Print the time of each step in a process of its own, outputs thrown away."""
    environment = house.environment(
        PYTHONPATH=str(house.root), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
        POLARS_MAX_THREADS="1",
    )  # fmt: skip
    for verb, command in steps(house):

        def call(command: list[str] = command) -> None:
            subprocess.run(
                command, cwd=house.root, env=environment, check=True, stdout=subprocess.DEVNULL
            )

        print(f"  {verb:14} {seconds(call, repeats):7.2f} s", flush=True)


def time_forks(house: House, study: str, source: str, repeats: int) -> None:
    """Print 50 re-weighted evaluations in process against one run of the step."""
    folder = house.results / study
    slice_ = read_model(folder / "slices" / f"comparison.{source}.json", AnalysisSlice)
    responses = folder / "responses"
    table = read_table(responses / f"{source}.parquet", responses / f"{source}.items.parquet")
    request = next(one for one in slice_.requests if one.kind == "comparison")
    metric = next(one for one in slice_.metrics if one.id == request.metric)
    arrays = prepare(table, metric, slice_.unscored)
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(len(slice_.weights)), size=FORKS)
    weightings = [
        tuple(
            one.model_copy(update={"share": float(share)})
            for one, share in zip(slice_.weights, row, strict=True)
        )
        for row in shares
    ]

    def forks() -> None:
        for weights in weightings:
            evaluate(arrays, Choices(request, weights, "share"))

    environment = house.environment(PYTHONPATH=str(house.root))
    command = next(command for verb, command in steps(house) if verb == "comparison")

    def once() -> None:
        subprocess.run(command, cwd=house.root, env=environment, check=True)

    many, one = seconds(forks, repeats), seconds(once, repeats)
    print(f"  {FORKS} forks in process {many:.2f} s, one run of the step {one:.2f} s: "
          f"ratio {many / one:.2f}")  # fmt: skip


def measure(title: str, study: Path, source: str, place: Path, repeats: int) -> None:
    """Print everything about one study."""
    print(f"{title}:", flush=True)
    house = house_with(place / "house", study)
    run(house)  # compiles what is imported
    empty = emptied(house, place / "empty")
    whole = seconds(lambda: run(house), repeats)
    graph = seconds(lambda: run(empty), repeats)
    time_steps(house, repeats)
    print(f"  whole run {whole:.1f} s, the same graph with empty steps {graph:.1f} s: "
          f"ratio {whole / graph:.2f}")  # fmt: skip
    time_forks(house, study.parent.name, source, repeats)


def main() -> None:
    """Measure both studies."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3, help="runs of each, median shown")
    repeats = parser.parse_args().repeats
    print(f"{os.cpu_count()} cores, two jobs at a time, median of {repeats}")
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        pilot = ROOT / "specs" / "docs-pilot" / "study.yaml"
        measure("docs-pilot", pilot, "questions", place / "pilot", repeats)
        wide = write_wide_study(place / "studies")
        measure("simulated, 70 systems x 1,000 items", wide, "simulated", place / "wide", repeats)


if __name__ == "__main__":
    main()
