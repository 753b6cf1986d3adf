"""`audit lock`: pins what decides, with the day and the data then there; append only."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated

import typer

from audit import __version__
from audit.errors import InputError
from audit.reading import read_study
from audit.running import DataRoots, data_roots
from audit.spec.lock import append_lock, decision_digest
from audit.spec.plan import LockEntry


def run(
    path: Annotated[Path, typer.Argument(help="The study: its file or folder.")],
    data: DataRoots = [],  # noqa: B006 - the command line's default, never changed
) -> None:
    """Pin the decision digest: systems, sources, scope, measures, bars, weights; not wording."""
    reading = read_study(path, data_roots(data))
    mistakes = [issue for error in reading.unreadable.values() for issue in error.issues]
    if mistakes:
        raise InputError(mistakes)
    decision = decision_digest(reading.loaded.study)
    if reading.lock and reading.lock[-1].decision == decision:
        typer.echo(f"already pinned on {reading.lock[-1].at}: {decision}")
        return
    now = datetime.datetime.now(tz=datetime.UTC).replace(microsecond=0)
    sources = {name: account.source_digest for name, account in reading.accounting.items()}
    entry = LockEntry(
        at=now.isoformat(), decision=decision, sources=sources, program=f"claimscope {__version__}"
    )
    append_lock(reading.loaded.folder, entry)
    typer.echo(f"pinned on {entry.at}: {decision}")
    if sources:
        typer.echo(f"data was there already: {', '.join(sorted(sources))}")
