"""From a file's own columns to the canonical ones, still as text.

A canonical column is the one that the study names for it, else the one of the same name. What the
study needs beside them (columns that select rows, that name systems, that hold scores) is kept
under a prefix: `rows.`, `match.` and `score.`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from audit.responses.problems import Problems
from audit.responses.readers.table import RawTable
from audit.spec.plan import SourceSlice
from audit.spec.showing import choices, closest, shown

TEXTS: Final = (
    "system",
    "item",
    "variant",
    "status",
    "task",
    "cluster",
    "label",
    "item_hash",
    "date",
)
WHOLE: Final = ("attempt", "samples")
AMOUNTS: Final = (
    "confidence",
    "cost_usd",
    "tokens_in",
    "tokens_out",
    "latency_s",
    "human_minutes",
)
CANONICAL: Final = (*TEXTS, *WHOLE, *AMOUNTS)
ITEM_TEXTS: Final = ("item", "text", "task", "cluster", "label", "author")


def names_in(file: RawTable, declared: Mapping[str, str], known: tuple[str, ...]) -> dict[str, str]:
    """Give the file's column of each canonical one that it has.

    Parameters
    ----------
    declared : {canonical: column in the file}; it may name columns that this file lacks
    known : canonical columns
    """
    held = set(file.frame.columns)
    named = {key: column for key, column in declared.items() if key in known and column in held}
    taken = set(named.values())
    same = {key: key for key in known if key in held and key not in taken and key not in declared}
    return {**same, **named}


def match_columns(slice_: SourceSlice) -> tuple[str, ...]:
    """Columns by which systems are told apart, as the study names them."""
    return tuple(sorted({key for one in slice_.systems for key in one.match}))


def canonical(file: RawTable, slice_: SourceSlice, problems: Problems) -> pl.DataFrame | None:
    """Lay a file's columns out under their canonical names; None if a needed one is missing.

    Returns
    -------
    All of `CANONICAL` as text (null where the file lacks them), `row` from 1, `file`, and the
    prefixed columns of the module's text; values are mapped as `values` says.
    """
    frame = file.frame
    names = names_in(file, slice_.columns, CANONICAL)
    whole = _demand(file, slice_, names, problems)
    if not whole:
        return None
    chosen = [
        (_mapped(pl.col(names[key]), slice_.values.get(key, {})) if key in names else _nothing())
        .alias(key)
        for key in CANONICAL
    ]  # fmt: skip
    chosen += [pl.col(key).alias(f"rows.{key}") for key in slice_.rows]
    for key in match_columns(slice_):
        if key in names:
            chosen.append(
                _mapped(pl.col(names[key]), slice_.values.get(key, {})).alias(f"match.{key}")
            )
        else:
            column = slice_.columns.get(key, key)
            chosen.append(
                (pl.col(column) if column in frame.columns else _nothing()).alias(f"match.{key}")
            )
    chosen += [pl.col(one.column or one.id).alias(f"score.{one.id}") for one in slice_.metrics]
    return frame.select(
        *chosen,
        pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("row"),
        pl.lit(file.file).alias("file"),
    )


def _nothing() -> pl.Expr:
    return pl.lit(None, dtype=pl.String)


def _mapped(column: pl.Expr, values: Mapping[str, str]) -> pl.Expr:
    return column.replace(dict(values)) if values else column


def _demand(
    file: RawTable, slice_: SourceSlice, names: Mapping[str, str], problems: Problems
) -> bool:
    """Note every column that must be there and is not."""
    held = file.frame.columns
    item_only = {"text", "author"}
    wanted = {
        column: f"columns: {{{key}: {column}}}"
        for key, column in slice_.columns.items()
        if key not in item_only
    }
    wanted |= {column: f"rows: {{{column}: …}}" for column in slice_.rows}
    wanted |= {
        one.column or one.id: f"scores: {{{one.id}: {one.column or one.id}}}"
        for one in slice_.metrics
    }
    missing = {column: why for column, why in wanted.items() if column not in held}
    for column, why in missing.items():
        problems.add(
            file.file, f"there is no column {shown(column)}", allowed=choices(held),
            remedy=_remedy(column, held, f"the study says {why}"),
        )  # fmt: skip
    if "item" not in names and "item" not in slice_.columns:
        problems.add(
            file.file, 'there is no column "item"', allowed=choices(held),
            remedy=_remedy("item", held, "name the column of items: columns: {item: …}"),
        )  # fmt: skip
        return False
    told = [key for key in match_columns(slice_) if slice_.columns.get(key, key) in held]
    if not told:
        problems.add(
            file.file, f"there is no column that names systems ({choices(match_columns(slice_))})",
            allowed=choices(held), remedy="name it: columns: {system: …}",
        )  # fmt: skip
        return False
    return not missing


def _remedy(column: str, held: list[str], otherwise: str) -> str:
    near = closest(column, held)
    return f"{otherwise}; did you mean {near}?" if near else otherwise
