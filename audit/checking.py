"""`audit check`: every mistake with its place, all at once, and what a study can hope for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import typer

from audit.argument.timing import when_fixed
from audit.errors import InputError, Issue
from audit.prospects import LOW_CHANCE, GuardNeed, Prospect, prospects
from audit.reading import Reading, located, read_study
from audit.running import DataRoots, data_roots
from audit.spec.showing import ascii_safe

_MOST_LOSSES: Final = 5
"""Remarks on the logs of one source."""


def run(
    path: Annotated[list[Path], typer.Argument(help="Studies: their files or folders.")],
    data: DataRoots = [],  # noqa: B006 - the command line's default, never changed
) -> None:
    """Name every mistake with file:line:column, what is allowed, and what to do."""
    roots = data_roots(data)
    mistakes: list[Issue] = []
    for one in path:
        try:
            reading = read_study(one, roots)
        except InputError as error:
            mistakes.extend(error.issues)
            continue
        found = [
            issue for error in reading.unreadable.values() for issue in located(reading, error)
        ]
        mistakes.extend(found)
        for line in (*map(str, reading.loaded.remarks), *_told(reading, well=not found)):
            typer.echo(line)
    if mistakes:
        raise InputError(mistakes)


def _told(reading: Reading, *, well: bool) -> Iterator[str]:
    """What is worth knowing of a study without mistakes of its own."""
    study = reading.loaded.study
    for source, error in reading.absent.items():
        yield f"{study.study}: source {source}: files not checked: {error.issues[0]}"
    for source, account in reading.accounting.items():
        read = sum(file.rows_read for file in account.files)
        yield f"{study.study}: source {source}: {read} rows, {account.items} items read"
        for loss in account.losses[:_MOST_LOSSES]:
            yield f"{study.study}: source {source}: {ascii_safe(loss.file)}: {loss.text}"
        more = len(account.losses) - _MOST_LOSSES
        if more > 0:
            yield f"{study.study}: source {source}: {more} further remarks on its logs"
    if reading.accounting and study.claims and not reading.absent and well:
        fixing = when_fixed(reading.argument, list(reading.accounting.values()))
        yield f"{study.study}: timing {fixing.timing}: {fixing.text}"
    for prospect in prospects(study, reading.argument, reading.accounting):
        yield from (f"{study.study}: {line}" for line in _hopes(prospect))
    if well:
        yield f"{study.study}: no mistakes found"


def _hopes(prospect: Prospect) -> Iterator[str]:
    if prospect.chance is None:
        yield f"{prospect.claim}: chance of support not computed: {prospect.why_none}"
    else:
        low = " (warning: less than one in two)" if prospect.chance < LOW_CHANCE else ""
        text = f"{prospect.chance:.0%} at the expected effect, if nothing else narrows it"
        without = f"; without {', '.join(prospect.left_out)}" if prospect.left_out else ""
        yield f"{prospect.claim}: chance of support {text}{without}{low}"
    for guard in prospect.guards:
        yield f"{guard.criterion}: {_need(guard)}"


def _need(guard: GuardNeed) -> str:
    where = f"in {guard.task}" if guard.task else "over all items"
    has = "" if guard.present is None else f"; there are {guard.present}"
    shown = (
        "to be met" if guard.policy == "show" else "to exclude the loss (it stops only shown harm)"
    )
    return f"{guard.needed} items {where} {shown}{has}"
