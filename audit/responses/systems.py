"""Which declared system a row belongs to; names that nobody declared are refused or references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from audit.responses.columns import match_columns
from audit.responses.problems import Problems
from audit.spec.plan import SourceSlice
from audit.spec.showing import choices, closest, shown


@dataclass(frozen=True)
class Resolved:
    """Rows with their system, and how the files name each system."""

    rows: pl.DataFrame
    names: dict[str, tuple[str, ...]]
    """{system: texts of the columns that name it}."""


def resolve_systems(
    rows: pl.DataFrame, slice_: SourceSlice, columns: Mapping[str, str], problems: Problems
) -> Resolved:
    """Replace what the files say by the ids of systems.

    Parameters
    ----------
    rows : canonical rows of all files
    columns : {file: its column of `system`}

    Returns
    -------
    Rows of resolved systems only. A name that matches no declared system is noted as a problem, or
    becomes a reference under the file's own name; one that matches several always is a problem.
    """
    keys = ["system", *(f"match.{one}" for one in match_columns(slice_))]
    combinations = rows.group_by(keys, maintain_order=True).agg(
        pl.col("file").first(), pl.col("row").first()
    )
    declared = _Declared.of(slice_)
    ids: list[str | None] = []
    names: dict[str, dict[str, None]] = {}
    for one in combinations.iter_rows(named=True):
        found = declared.fitting(one)
        name = _name(one, keys)
        where = (one["file"], one["row"], columns.get(one["file"], "system"))
        resolved = found[0] if len(found) == 1 else None
        if len(found) > 1:
            _several(where, name, found, problems)
        elif not found:
            resolved = _undeclared(where, name, declared, problems)
        if resolved is not None:
            names.setdefault(resolved, {})[name] = None
        ids.append(resolved)
    ids_frame = combinations.select(keys).with_columns(pl.Series("resolved", ids, pl.String))
    joined = rows.join(
        ids_frame, on=keys, how="left", nulls_equal=True, maintain_order="left"
    ).filter(pl.col("resolved").is_not_null())
    kept = joined.with_columns(pl.col("resolved").alias("system")).drop("resolved")
    return Resolved(kept, {system: tuple(sorted(found)) for system, found in names.items()})


@dataclass(frozen=True)
class _Declared:
    """The declared systems, ready for many rows."""

    by_match: dict[tuple[str, ...], dict[tuple[str | None, ...], list[str]]]
    """{columns: {their texts: systems}}."""
    ids: frozenset[str]
    known: dict[str, str]
    """{text of a match: system}."""
    allowed: str
    others_are_references: bool

    @classmethod
    def of(cls, slice_: SourceSlice) -> _Declared:
        by_match: dict[tuple[str, ...], dict[tuple[str | None, ...], list[str]]] = {}
        for one in slice_.systems:
            columns = tuple(sorted(one.match))
            texts = tuple(one.match[key] for key in columns)
            by_match.setdefault(columns, {}).setdefault(texts, []).append(one.system)
        known = {text: one.system for one in slice_.systems for text in one.match.values()}
        ids = frozenset(one.system for one in slice_.systems)
        return cls(by_match, ids, known, choices(known), slice_.other_systems == "reference")

    def fitting(self, row: Mapping[str, str | None]) -> list[str]:
        """Systems all of whose columns say what the row says."""
        return [
            system
            for columns, by_texts in self.by_match.items()
            for system in by_texts.get(tuple(row[f"match.{key}"] for key in columns), ())
        ]


def _name(row: Mapping[str, str | None], keys: Sequence[str]) -> str:
    """A system as the file names it: its own column, and all else that tells systems apart.

    Rows of one name and two values of another such column are two systems.
    """
    others = [
        key
        for key in keys
        if key not in ("system", "match.system") and row[key] not in (None, row["system"])
    ]
    parts = [f"{key.removeprefix('match.')}={row[key]}" for key in others]
    return ", ".join(parts if row["system"] is None else [row["system"], *parts])


def _several(
    where: tuple[str, int, str], name: str, found: Sequence[str], problems: Problems
) -> None:
    file, row, column = where
    problems.add(
        file, "several declared systems match this row", shown(name), row=row, column=column,
        remedy=f"make the match of {choices(found)} tell them apart",
    )  # fmt: skip


def _undeclared(
    where: tuple[str, int, str],
    name: str,
    declared: _Declared,
    problems: Problems,
) -> str | None:
    """A reference's id, where the study lets undeclared names be references."""
    file, row, column = where
    if not name:
        problems.add(
            file, "the row names no system", row=row, column=column,
            remedy="name its system, or leave the row out by rows: {…}",
        )  # fmt: skip
        return None
    if declared.others_are_references:
        if name not in declared.ids:
            return name
        problems.add(
            file, "an undeclared system has the id of a declared one", shown(name), row=row,
            column=column, remedy=f"declare it, or give the declared {shown(name)} another id",
        )  # fmt: skip
        return None
    problems.add(
        file, "this system is not declared", shown(name), row=row, column=column,
        allowed=declared.allowed, remedy=lambda: _declare(name, declared.known),
    )  # fmt: skip
    return None


def _declare(name: str, known: Mapping[str, str]) -> str:
    near = closest(name, known)
    meant = f"did you mean {near}? (match of {known[near]}); " if near else ""
    return (
        f"{meant}declare it, give a declared one match: {shown(name)}, "
        "or write other_systems: reference"
    )


def check_units(rows: pl.DataFrame, slice_: SourceSlice, problems: Problems) -> None:
    """Refuse shares in a percent metric: a whole file of at most 1, or one system in a file.

    A file whose largest score is above 0 and at most 1 holds shares, or the metric is no percent;
    of one system within a file this is said only if it also has a score between 0 and 1.
    """
    for metric in slice_.metrics:
        if (metric.lower, metric.upper) != (0.0, 100.0):
            continue
        name = f"score.{metric.id}"
        scored = rows.filter(pl.col(name).is_not_null())
        for keys, by in ((("file",), ""), (("file", "system"), " of one system")):
            for group in _small(scored, name, keys, inner=bool(by)):
                problems.add(
                    group["file"],
                    f"all scores{by} are at most 1, and the metric is in percent",
                    shown(group["score"]), row=group["row"], column=metric.column or metric.id,
                    allowed="percent throughout, 0 to 100",
                    remedy="bring all files to one unit; for shares declare range: [0, 1]",
                )  # fmt: skip


def _small(
    scored: pl.DataFrame, name: str, keys: Sequence[str], *, inner: bool
) -> Iterator[dict[str, Any]]:
    """Groups whose largest score is above 0 and at most 1, with their first score above 0."""
    value = pl.col(name)
    groups = (
        scored.group_by(list(keys), maintain_order=True)
        .agg(
            value.max().alias("top"),
            ((value > 0) & (value < 1)).any().alias("between"),
            pl.col("row").filter(value > 0).first(),
            value.filter(value > 0).first().alias("score"),
        )
        .filter((pl.col("top") > 0) & (pl.col("top") <= 1))
    )
    for group in groups.iter_rows(named=True):
        if not inner or group["between"]:
            yield group
