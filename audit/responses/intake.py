"""From the files of one source to the response table, with every row kept or counted.

files -> text under canonical names -> selection -> numbers, statuses, systems -> items and tasks
-> repeats -> one row per metric. Each stage notes all its mistakes before any is raised, so that
nothing is half read; what a later stage needs is checked by the one before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import polars as pl

from audit.io import file_digest
from audit.responses.accounting import Accounting, FileAccount
from audit.responses.cache import cached
from audit.responses.columns import (
    CANONICAL,
    canonical,
    check_columns,
    match_columns,
    names_in,
)
from audit.responses.counting import account
from audit.responses.items import ItemTable, item_frames, item_table, with_tasks
from audit.responses.logs import facts_of
from audit.responses.problems import Problems
from audit.responses.published import PublishedTable, published_table
from audit.responses.readers import READERS
from audit.responses.readers.raw import RawTable
from audit.responses.readers.table import read_table
from audit.responses.repeats import settle
from audit.responses.scoring import refuse_unscored_files, score_columns
from audit.responses.selection import refuse_outcomes, select_rows
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
        with every mistake of the first stage that finds any: files and columns; wanted values
        that never occur; values, systems and variants; items, tasks, units and repeats
    """
    problems = Problems()
    raw = _read(slice_, files, problems)
    answers = raw.answers
    _refuse_copies(answers, problems)
    refuse_outcomes(answers, slice_, problems)
    scores = score_columns(answers, slice_, problems)
    check_columns(answers, raw.items, slice_, scores, problems)
    listed = item_table(raw.items, slice_, problems)
    problems.raise_any()

    rows = pl.concat([canonical(one, slice_, scores) for one in answers])
    kept = select_rows(rows, answers, slice_, problems)
    refuse_unscored_files(kept, answers, scores, problems)
    problems.raise_any()
    parsed = _parse(kept, answers, slice_, scores, problems)
    columns = {one.file: names_in(one, slice_.columns, CANONICAL) for one in answers}
    by_match = ", ".join(match_columns(slice_))
    systems = {file: names.get("system", by_match) for file, names in columns.items()}
    resolved = resolve_systems(parsed, slice_, systems, problems)
    problems.raise_any()

    tasked = with_tasks(resolved.rows, listed, slice_, problems)
    check_units(tasked, slice_, problems)
    settled = settle(tasked, slice_, problems)
    published = _published(raw, slice_, resolved.names, problems)
    problems.raise_any()

    answered, items = _without_excluded(settled, listed, slice_)
    asked = {key: text for one in answers if one.log for key, text in one.log.texts.items()}
    frame, texts = item_frames(answered, items, asked, slice_)
    table = ResponseTable.of(_by_metric(answered, slice_), frame)
    lost = {
        NOT_SELECTED: _lost(rows, kept),
        _REPEAT.get(slice_.repeats, "repeat"): _lost(kept, settled),
        EXCLUDED: _lost(settled, answered),
    }
    accounts = [_file_account(one, lost, raw.digests[one.file]) for one in answers]
    accounts += [_beside_account(name, raw.digests[name]) for name in raw.beside]
    if raw.items is not None:
        accounts.append(_items_account(raw.items, listed, items, raw.digests[raw.items.file]))
    if raw.published is not None:
        accounts.append(_published_account(raw.published, published, raw.digests))
    counted = account(slice_, table, accounts, resolved.names, tasked["date"])
    facts = facts_of(answers, resolved.rows, slice_)
    return Ingested(
        table,
        texts,
        counted.model_copy(
            update={
                "runs": facts.runs,
                "reproductions": facts.reproductions,
                "losses": facts.losses,
                "published": published.figures,
                "unmatched_published": published.unmatched,
            }
        ),
    )


# ------------------------------------------------------------------------------------------- files


@dataclass(frozen=True)
class _Files:
    """A source's files by what they are."""

    answers: list[RawTable]
    items: RawTable | None
    published: RawTable | None
    digests: dict[str, str]
    """{file as declared: digest}."""

    @property
    def beside(self) -> tuple[str, ...]:
        """Further files that were read for the answers, each once."""
        read = {one.file for one in self.answers}
        named = dict.fromkeys(name for one in self.answers for name in one.beside)
        return tuple(name for name in named if name not in read)


def _read(slice_: SourceSlice, files: Sequence[ResolvedFile], problems: Problems) -> _Files:
    """Read every file by what it is; a named file that is not there, or alone, is noted."""
    published = None if slice_.published is None else slice_.published.file
    others = {
        "item table": _named_file(files, slice_.items, "item table", "items", problems),
        "table of published figures": _named_file(
            files, published, "table of published figures", "published", problems
        ),
    }
    problems.raise_any()
    answers = [one for one in files if one not in others.values()]
    if not answers:
        what = next(key for key, one in others.items() if one)
        problems.add(
            files[0].declared, f"this is the {what}, and no file of answers is beside it",
            remedy="answers and items are two files; leave out items: if the answers say all",
        )  # fmt: skip
        problems.raise_any()
    tables = {key: None if one is None else read_table(one) for key, one in others.items()}
    return _Files(
        _answers(slice_, answers),
        tables["item table"],
        tables["table of published figures"],
        {file.declared: file_digest(file.path) for file in files},
    )


def _answers(slice_: SourceSlice, files: Sequence[ResolvedFile]) -> list[RawTable]:
    """Tables are read each time; what logs gave is kept by their content."""
    reader = READERS[slice_.format]
    return reader(files) if slice_.format == "table" else cached(slice_.format, reader, files)


def _named_file(
    files: Sequence[ResolvedFile], name: str | None, what: str, key: str, problems: Problems
) -> ResolvedFile | None:
    if name is None:
        return None
    found = [one for one in files if _plain_path(one.declared) == _plain_path(name)]
    if not found:
        problems.add(
            name, f"the {what} is none of the files that were found",
            allowed=choices(one.declared for one in files),
            remedy=f"{key} names one file by its path, without * or ?, and no file of answers",
        )  # fmt: skip
        return None
    return found[0]


def _plain_path(declared: str) -> PurePosixPath:
    """A declared path without its `./`, also behind the name of a data root."""
    return PurePosixPath(declared.replace(":", ":/", 1))


def _refuse_copies(answers: Sequence[RawTable], problems: Problems) -> None:
    """Refuse a file that holds the same rows as another, packed or not: they would count twice."""
    seen: dict[tuple[int, int], list[RawTable]] = {}
    for one in answers:
        if one.frame.is_empty():
            continue
        alike = seen.setdefault((len(one.frame), int(one.frame.hash_rows().sum())), [])
        before = next((other for other in alike if other.frame.equals(one.frame)), None)
        alike.append(one)
        if before is not None:
            problems.add(
                one.file, "the file holds the same rows as another one", before.file,
                remedy="name one of them: a copy is no second run",
            )  # fmt: skip


# ------------------------------------------------------------------------------------------ values


def _parse(
    rows: pl.DataFrame,
    files: Sequence[RawTable],
    slice_: SourceSlice,
    scores: Mapping[str, str],
    problems: Problems,
) -> pl.DataFrame:
    """Numbers, statuses and variants, file by file; mistakes are noted, not raised."""
    made = []
    by_file = {str(key[0]): part for key, part in rows.partition_by("file", as_dict=True).items()}
    for file in files:
        if file.file not in by_file:
            continue
        own = by_file[file.file]
        names = names_in(file, slice_.columns, CANONICAL)
        check_names(own, names, file.file, problems)
        parse_status(own, names.get("status", "status"), file.file, problems)
        own = parse_dates(own, names.get("date", "date"), file.file, problems)
        own = parse_amounts(own, names, file.file, problems)
        own = own.with_columns(pl.col("variant").fill_null("base"))
        _check_variants(own, names.get("variant", "variant"), slice_, file.file, problems)
        for metric in slice_.metrics:
            said = {} if file.log is None else {**file.log.values}
            read_as = metric.model_copy(
                update={"column": scores[metric.id], "values": said | metric.values}
            )
            found = parse_scores(own, read_as, file.file, problems)
            own = own.with_columns(
                found["score"].alias(f"score.{metric.id}"),
                pl.coalesce(found["status"], f"status.{metric.id}").alias(f"status.{metric.id}"),
            )
        made.append(own)
    return pl.concat(made)


def _check_variants(
    rows: pl.DataFrame, column: str, slice_: SourceSlice, file: str, problems: Problems
) -> None:
    unknown = rows.filter(~pl.col("variant").is_in(list(slice_.variants)))
    first = unknown.unique("variant", keep="first", maintain_order=True)
    for variant, row in first.select("variant", "row").iter_rows():
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
    """Leave out items that are excluded, unscored, for every system; for some only it is loss.

    A declared system without any row on the item is no system that it is excluded for.
    """
    primary = slice_.metrics[0].id
    scored = [pl.col(f"score.{one.id}").is_not_null() for one in slice_.metrics]
    out = (_status(primary) == "excluded") & ~pl.any_horizontal(scored)
    declared = pl.col("system").is_in([one.system for one in slice_.systems])
    every = rows.filter(declared)["system"].n_unique()
    having = pl.col("system").filter(declared).n_unique()
    by_item = rows.group_by("item").agg(out.all().alias("out"), having.alias("systems"))
    gone = by_item.filter(pl.col("out") & (pl.col("systems") == every))["item"].to_list()
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
    if len(before) == len(after):
        return {}
    counts = [dict(one.group_by("file").len().iter_rows()) for one in (before, after)]
    return {file: count - counts[1].get(file, 0) for file, count in counts[0].items()}


def _beside_account(file: str, digest: str) -> FileAccount:
    return FileAccount(file=file, digest=digest, rows_read=0, rows_kept=0, rows_left_out={})


def _published_account(
    file: RawTable, found: PublishedTable, digests: Mapping[str, str]
) -> FileAccount:
    lost = {
        NOT_SELECTED: {file.file: found.read - found.selected},
        "on a system that the source lacks": {file.file: found.unmatched},
    }
    return _file_account(file, lost, digests[file.file])


def _published(
    raw: _Files, slice_: SourceSlice, names: Mapping[str, tuple[str, ...]], problems: Problems
) -> PublishedTable:
    if raw.published is None:
        return PublishedTable((), 0, 0, 0)
    return published_table(raw.published, slice_, names, problems)


def _items_account(file: RawTable, listed: ItemTable, left: ItemTable, digest: str) -> FileAccount:
    lost = {
        NOT_SELECTED: {file.file: listed.read - len(listed.frame)},
        EXCLUDED: _lost(listed.frame, left.frame),
    }
    return _file_account(file, lost, digest)


def _file_account(file: RawTable, lost: dict[str, dict[str, int]], digest: str) -> FileAccount:
    out = {reason: counts[file.file] for reason, counts in lost.items() if counts.get(file.file)}
    return FileAccount(
        file=file.file,
        digest=digest,
        rows_read=len(file.frame),
        rows_kept=len(file.frame) - sum(out.values()),
        rows_left_out=out,
    )
