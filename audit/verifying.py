"""`audit verify`: recomputes a results folder from its study and names the first difference."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from audit.layout import STUDY_FILE
from audit.record import Record
from audit.results import first_altered, read_result, refusal
from audit.running import DataRoots, Wanted, build, data_roots

DIFFERS = 1
_CAUSES = ("program", "spec", "decision", "sources", "modules", "versions")
"""What explains a difference, before what differs because of it."""
_PAGES = ("summary.md", "report.html", "report.pdf")


def run(
    folder: Annotated[Path, typer.Argument(help="Results folder of a study.")],
    study: Annotated[
        Path | None, typer.Option(help="The study; specs/<its name> when not given.")
    ] = None,
    data: DataRoots = [],  # noqa: B006 - the command line's default, never changed
) -> None:
    """Recompute everything into a temporary folder and compare, byte by byte."""
    record = read_result(folder, "record.json", Record)
    path = study or Path("specs") / record.study
    if not (path / STUDY_FILE if path.is_dir() else path).is_file():
        raise refusal(path, "the study of these results is not here", "name it with --study PATH")
    altered = first_altered(folder, record)
    if altered is not None:
        _differ(altered)
    with tempfile.TemporaryDirectory(prefix="audit-verify-") as place:
        wanted = Wanted((path,), Path(place), data_roots(data))
        outcome = build(wanted, cores=os.cpu_count() or 1, tell=lambda line: None)
        if outcome.exit_code:
            print("\n".join(outcome.complaints), file=sys.stderr)
            raise typer.Exit(outcome.exit_code)
        found = first_difference(folder, Path(place) / record.study)
    if found is not None:
        _differ(found)
    typer.echo(f"{record.study}: recomputed, no difference")


def _differ(text: str) -> None:
    typer.echo(text)
    raise typer.Exit(DIFFERS)


def first_difference(old: Path, new: Path) -> str | None:
    """The first difference of two results folders of one study, causes first; None: the same.

    Returns
    -------
    `file: JSON path: old, recomputed new`, or the row and column of a table, or the file alone
    """
    before, after = (json.loads((one / "record.json").read_bytes()) for one in (old, new))
    for cause in _CAUSES:
        for where in _json_differences(before.get(cause), after.get(cause), cause):
            return f"record.json: {where}"
    for name in _names(old, new):
        if not (old / name).is_file() or not (new / name).is_file():
            missing = "not there" if not (old / name).is_file() else "not made again"
            return f"{name}: {missing}"
        if (old / name).read_bytes() != (new / name).read_bytes():
            return f"{name}: {_inside(old / name, new / name)}"
    return None


def _names(old: Path, new: Path) -> list[str]:
    """Files to compare, in the order of the path: what comes first explains what follows."""
    recorded: set[str] = set()
    for one in (old, new):
        recorded.update(json.loads((one / "record.json").read_bytes())["files"])
    order = ("plan.json", "responses/", "analyses/", "evidence.json", "verdicts.json")
    known = sorted(recorded, key=lambda name: (_place(name, order), name))
    figures = {f"figures/{path.name}" for one in (old, new) for path in one.glob("figures/*.svg")}
    return [*known, "record.json", *sorted(figures), *_PAGES]


def _place(name: str, order: tuple[str, ...]) -> float:
    place = next((i for i, head in enumerate(order) if name.startswith(head)), len(order))
    return place + 0.5 * (name == "analyses/assessment.json")


def _inside(old: Path, new: Path) -> str:
    if old.suffix == ".json":
        before, after = (json.loads(path.read_bytes()) for path in (old, new))
        return next(_json_differences(before, after, ""), "other bytes, same content")
    if old.suffix == ".parquet":
        return _table_difference(old, new)
    return "other bytes"


def _json_differences(old: Any, new: Any, where: str) -> Iterator[str]:
    """Every difference of two JSON values, as `path: old, recomputed new`."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            yield from _json_differences(old.get(key), new.get(key), f"{where}.{key}".lstrip("."))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from _json_differences(one, other, f"{where}[{index}]")
    elif old != new or type(old) is not type(new):
        yield f"{where}: {_shown(old)}, recomputed {_shown(new)}"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"a list of {len(value)}"
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _table_difference(old: Path, new: Path) -> str:
    import polars as pl

    before, after = pl.read_parquet(old.read_bytes()), pl.read_parquet(new.read_bytes())
    if before.columns != after.columns or before.height != after.height:
        return f"{before.height} rows, recomputed {after.height}"
    for name in before.columns:
        same = before[name].eq_missing(after[name])
        if not same.all():
            row = int((~same).arg_max() or 0)
            return (
                f"row {row + 1}, {name}: {_shown(before[name][row])}, recomputed "
                f"{_shown(after[name][row])}"
            )
    return "other bytes, same content"
