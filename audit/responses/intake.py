"""From the files of one source to the response table, with every row kept or counted.

files -> text under canonical names -> selection -> numbers, statuses, systems -> items and tasks
-> repeats -> one row per metric. Each stage notes all its mistakes before any is raised, so that
nothing is half read; what a later stage needs is checked by the one before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from audit.io import file_digest
from audit.responses.accounting import Accounting, FileAccount
from audit.responses.columns import CANONICAL, canonical, names_in
from audit.responses.counting import account
from audit.responses.items import ItemTable, is_wanted, item_frames, item_table, with_tasks
from audit.responses.problems import Problems
from audit.responses.readers import READERS
from audit.responses.readers.table import RawTable
from audit.responses.repeats import settle
from audit.responses.systems import check_units, resolve_systems
from audit.responses.table import RESPONSE_SCHEMA, ResponseTable
from audit.responses.values import (
    check_names,
    parse_amounts,
    parse_dates,
    parse_scores,
    parse_status,
)
from audit.spec.files import ResolvedFile
from audit.spec.plan import SourceSlice
from audit.spec.showing import choices, shown

NOT_SELECTED = "not selected"
EXCLUDED = "item excluded for every system"
_REPEAT = {
    "first": "later repeat",
    "last": "earlier repeat",
    "mean": "averaged into another row",
}


@dataclass(frozen=True)
class Ingested:
    """What intake makes of a source."""

    table: ResponseTable
    texts: pl.DataFrame
    """`TEXT_SCHEMA`; empty for private sources."""
    accounting: Accounting


def ingest(slice_: SourceSlice, files: Sequence[ResolvedFile]) -> Ingested:
    """Read a source's files into the response table.

    Parameters
    ----------
    slice_ : all that intake may know of the study
    files : the source's files in the declared order, the item table's among them

    Raises
    ------
    DataError
        with every mistake of the first stage that finds any: damaged files, missing columns; then
        text that is no number or status, scores out of range, undeclared systems, variants and
        tasks; then one id with two contents, and repeated keys
    """
    problems = Problems()
    raw = {file.declared: READERS["table"](file) for file in files}
    of_items = raw.get(slice_.items) if slice_.items is not None else None
    answers = [one for one in raw.values() if one is not of_items]
    frames = [canonical(one, slice_, problems) for one in answers]
    items = item_table(of_items, slice_, problems)
    problems.raise_any()

    rows = pl.concat([frame for frame in frames if frame is not None])
    kept = _select(rows, answers, slice_, problems)
    parsed = _parse(kept, answers, slice_, problems)
    columns = {one.file: names_in(one, slice_.columns, CANONICAL) for one in answers}
    systems = {file: names.get("system", "system") for file, names in columns.items()}
    resolved = resolve_systems(parsed, slice_, systems, problems)
    problems.raise_any()

    tasked = with_tasks(resolved.rows, items, slice_, problems)
    check_units(tasked, slice_, problems)
    settled = settle(tasked, slice_, problems)
    problems.raise_any()

    answered, items = _without_excluded(settled, items, slice_)
    frame, texts = item_frames(answered, items, slice_)
    table = ResponseTable.of(_by_metric(answered, slice_), frame)
    digests = {file.declared: file_digest(file.path) for file in files}
    lost = {
        NOT_SELECTED: _lost(rows, kept),
        _REPEAT.get(slice_.repeats, "repeat"): _lost(kept, settled),
        EXCLUDED: _lost(settled, answered),
    }
    accounts = [_file_account(one, rows, lost, digests[one.file]) for one in answers]
    if of_items is not None:
        accounts.append(_items_account(of_items, items, digests[of_items.file]))
    return Ingested(table, texts, account(slice_, table, accounts, resolved.names))


# -------------------------------------------------------------------------------------- selection


def _select(
    rows: pl.DataFrame, files: Sequence[RawTable], slice_: SourceSlice, problems: Problems
) -> pl.DataFrame:
    """Rows that the study keeps; a wanted value that never occurs is noted."""
    named = ", ".join(one.file for one in files[:3])
    for key, wanted in slice_.rows.items():
        column = f"rows.{key}"
        for one in wanted if isinstance(wanted, list) else [wanted]:
            if not rows.select(is_wanted(column, one).any()).item():
                held = rows[column].drop_nulls().unique(maintain_order=True).to_list()
                problems.add(
                    named, "a value that rows keeps never occurs", shown(one), column=key,
                    allowed=choices(held), remedy=f"correct rows: {{{key}: …}}",
                )  # fmt: skip
        rows = rows.filter(is_wanted(column, wanted))
    if rows.is_empty():
        problems.add(named, "no row is left", remedy="look at rows: {…}, or at the files")
    return rows


# ------------------------------------------------------------------------------------------ values


def _parse(
    rows: pl.DataFrame, files: Sequence[RawTable], slice_: SourceSlice, problems: Problems
) -> pl.DataFrame:
    """Numbers, statuses and variants, file by file; mistakes are noted, not raised."""
    made = []
    for file in files:
        own = rows.filter(pl.col("file") == file.file)
        names = names_in(file, slice_.columns, CANONICAL)
        check_names(own, names, file.file, problems)
        parse_status(own, names.get("status", "status"), file.file, problems)
        parse_dates(own, names.get("date", "date"), file.file, problems)
        own = parse_amounts(own, names, file.file, problems)
        own = own.with_columns(pl.col("variant").fill_null("base"))
        _check_variants(own, names.get("variant", "variant"), slice_, file.file, problems)
        for metric in slice_.metrics:
            found = parse_scores(own, metric, file.file, problems)
            own = own.with_columns(
                found["score"].alias(f"score.{metric.id}"),
                found["status"].alias(f"status.{metric.id}"),
            )
        made.append(own)
    return pl.concat(made)


def _check_variants(
    rows: pl.DataFrame, column: str, slice_: SourceSlice, file: str, problems: Problems
) -> None:
    unknown = rows.filter(~pl.col("variant").is_in(list(slice_.variants)))
    for variant, row in unknown.unique("variant", maintain_order=True)[
        "variant", "row"
    ].iter_rows():
        problems.add(
            file, "this variant is not declared", shown(variant), row=row, column=column,
            allowed=choices(slice_.variants),
            remedy=f"declare it, map it: values: {{variant: {{{shown(variant)}: base}}}}, "
            "or leave its rows out by rows: {…}",
        )  # fmt: skip


# --------------------------------------------------------------------------------------- the table


def _without_excluded(
    rows: pl.DataFrame, items: ItemTable, slice_: SourceSlice
) -> tuple[pl.DataFrame, ItemTable]:
    """Leave out items that are excluded, unscored, for every system; for some only it is loss."""
    primary = f"score.{slice_.metrics[0].id}"
    out = (pl.col("status") == "excluded").fill_null(value=False) & pl.col(primary).is_null()
    gone = rows.filter(out.all().over("item"))["item"].unique().to_list()
    if not gone:
        return rows, items
    frame = items.frame.filter(~pl.col("item").is_in(gone))
    return rows.filter(~pl.col("item").is_in(gone)), ItemTable(frame, items.read, items.declared)


def _by_metric(rows: pl.DataFrame, slice_: SourceSlice) -> pl.DataFrame:
    """One row per metric, in the columns of `RESPONSE_SCHEMA`."""
    parts = [
        rows.with_columns(
            pl.lit(slice_.source).alias("source"),
            pl.lit(metric.id).alias("metric"),
            pl.col(f"score.{metric.id}").alias("score"),
            _status(metric.id).alias("status"),
            pl.col("samples").fill_null(1),
        ).select([pl.col(name).cast(kind) for name, kind in RESPONSE_SCHEMA.items()])
        for metric in slice_.metrics
    ]
    return pl.concat(parts)


def _status(metric: str) -> pl.Expr:
    """The row's status; a mapped value wins over `ok`, and without a score `ok` is `not_run`."""
    stated = pl.col("status").fill_null("ok")
    mapped = pl.col(f"status.{metric}")
    status = pl.when(stated == "ok").then(pl.coalesce(mapped, stated)).otherwise(stated)
    unscored = pl.col(f"score.{metric}").is_null() & (status == "ok")
    return pl.when(unscored).then(pl.lit("not_run")).otherwise(status)


# --------------------------------------------------------------------------------------- accounting


def _lost(before: pl.DataFrame, after: pl.DataFrame) -> dict[str, int]:
    """{file: rows that went}."""
    counts = [dict(one.group_by("file").len().iter_rows()) for one in (before, after)]
    return {file: count - counts[1].get(file, 0) for file, count in counts[0].items()}


def _file_account(
    file: RawTable, rows: pl.DataFrame, lost: dict[str, dict[str, int]], digest: str
) -> FileAccount:
    out = {reason: counts[file.file] for reason, counts in lost.items() if counts.get(file.file)}
    read = int((rows["file"] == file.file).sum())
    return FileAccount(
        file=file.file,
        digest=digest,
        rows_read=read,
        rows_kept=read - sum(out.values()),
        rows_left_out=out,
    )


def _items_account(file: RawTable, items: ItemTable, digest: str) -> FileAccount:
    kept = len(items.frame)
    return FileAccount(
        file=file.file,
        digest=digest,
        rows_read=items.read,
        rows_kept=kept,
        rows_left_out={"not selected": items.read - kept} if kept < items.read else {},
    )
