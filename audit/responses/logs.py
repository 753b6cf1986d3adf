"""What the logs of a source say besides their rows, under the study's names of systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import polars as pl

from audit.responses.facts import Loss, Reproduction, Run
from audit.responses.readers.raw import RawTable
from audit.spec.plan import SourceSlice

Fact = TypeVar("Fact", Run, Reproduction)


@dataclass(frozen=True)
class Facts:
    """Runs, published figures and losses of all logs whose rows the study keeps."""

    runs: tuple[Run, ...] = ()
    reproductions: tuple[Reproduction, ...] = ()
    losses: tuple[Loss, ...] = ()


def facts_of(files: Sequence[RawTable], rows: pl.DataFrame, slice_: SourceSlice) -> Facts:
    """Collect the facts of every log that has rows here, or none at all.

    Parameters
    ----------
    rows : of resolved systems, with `file`; a log all of whose rows the study leaves out says
        nothing of this source
    """
    by_file: dict[str, list[str]] = {}
    for file, system in rows.select("file", "system").unique(maintain_order=True).iter_rows():
        by_file.setdefault(file, []).append(system)
    declared = {one.match["system"]: one.system for one in slice_.systems if "system" in one.match}
    runs: list[Run] = []
    reproductions: list[Reproduction] = []
    losses: list[Loss] = []
    for one in files:
        if one.log is None or (len(one.frame) and one.file not in by_file):
            continue
        systems = by_file.get(one.file, [])

        def known(name: str, systems: list[str] = systems) -> str:
            return systems[0] if len(systems) == 1 else declared.get(name, name)

        runs += [_of(run, known(run.system)) for run in one.log.runs]
        reproductions += [_of(each, known(each.system)) for each in one.log.reproductions]
        losses += one.log.losses
    return Facts(tuple(runs), tuple(reproductions), tuple(losses))


def _of(fact: Fact, system: str) -> Fact:
    return fact.model_copy(update={"system": system})
