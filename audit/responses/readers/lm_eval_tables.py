"""The tables of lm-evaluation-harness: documents with their scores, and what they lack."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from audit.responses.facts import Loss, Reproduction, Run
from audit.responses.readers.lm_eval_published import (
    Scored,
    group_reproductions,
    task_reproductions,
)
from audit.responses.readers.lm_eval_results import Results, folder_system, setting, stamp_date
from audit.responses.readers.lm_eval_rows import MOST_CELLS, WORDS, Documents
from audit.responses.readers.raw import Log, RawTable, check_names, refusal
from audit.spec.files import ResolvedFile
from audit.spec.showing import listed, shown

MOST_ADDED: Final = 100_000
"""Documents that were run and are not in the file, laid out as rows."""
_HARNESS: Final = "lm_eval"


@dataclass(frozen=True)
class Samples:
    """One samples file and the results file that it belongs to."""

    file: ResolvedFile
    task: str
    stamp: str | None
    results: Results | None
    documents: Documents
    remarks: tuple[str, ...]
    """What was taken for granted to bring the two together."""

    @property
    def claimed(self) -> int | None:
        """Documents that were run, as the results file says."""
        return self.results.samples(self.task)[1] if self.results else None

    @property
    def held(self) -> int:
        """Documents in the file."""
        return len(self.documents.doc_ids)

    @property
    def system(self) -> str:
        """The model, by the results file or by the folder."""
        return (self.results and self.results.system) or folder_system(self.file)

    def scored(self) -> Scored:
        """Scores as numbers."""
        documents = self.documents
        return Scored(
            self.task,
            self.held,
            self.claimed,
            {name: documents.numbers(name) for name in documents.kept_scores()},
            documents.left_out,
        )


def tables_of(results: Results, own: Sequence[Samples]) -> Iterator[tuple[ResolvedFile, RawTable]]:
    """The tables of one results file; what is said of groups stands with the first."""
    scored = [one.scored() for one in own]
    times = Counter(one.task for one in own)
    groups = group_reproductions(results, {one.task: one for one in scored if times[one.task] == 1})
    absent = [task for task in results.tasks if task not in times]
    for place, (one, found) in enumerate(zip(own, scored, strict=True)):
        of_task = task_reproductions(results, one.task, found)
        if place == 0:
            yield one.file, table(one, (*of_task, *groups), absent)
        else:
            yield one.file, table(one, of_task)


def table(
    one: Samples, reproductions: Sequence[Reproduction] = (), absent: Sequence[str] = ()
) -> RawTable:
    """One row per document.

    Parameters
    ----------
    absent : tasks of the results file of which no samples file is there
    """
    documents = one.documents
    missing = _missing(one)
    columns = _columns(one, missing)
    check_names(one.file, [column.name for column in columns])
    return RawTable(
        one.file.declared,
        pl.DataFrame(columns),
        documents.left_out,
        Log(
            documents.kept_scores(),
            {name: f"status:{name}" for name in documents.statuses},
            WORDS if documents.has_words else {},
            documents.texts,
            (_run(one),),
            tuple(reproductions),
            (*_losses(one, missing), *_absent(one, absent)),
        ),
        (one.results.file.declared,) if one.results else (),
    )


def _columns(one: Samples, missing: Sequence[int]) -> list[pl.Series]:
    documents = one.documents
    rows = one.held + len(missing)
    constants = {name: text for name, text in _constants(one).items() if text is not None}
    width = documents.width + len(documents.statuses) + len(constants) + 3
    if width * rows > MOST_CELLS:
        raise refusal(
            one.file, "the file has too many values", f"{width:,} columns, {rows:,} rows",
            f"at most {MOST_CELLS:,}", "split it",
        )  # fmt: skip
    columns = [
        _constant("system", one.system, rows),
        _text("item", [f"{one.task}/{doc_id}" for doc_id in (*documents.doc_ids, *missing)]),
        _text("status", documents.row_statuses() + ["not_run"] * len(missing)),
    ]
    columns += documents.series(missing)
    for name, found in documents.statuses.items():
        columns.append(_text(f"status:{name}", [found.get(place) for place in range(rows)]))
    return columns + [_constant(name, text, rows) for name, text in constants.items()]


def _text(name: str, values: Sequence[str | None]) -> pl.Series:
    return pl.Series(name, values, pl.String)


def _constant(name: str, value: str, rows: int) -> pl.Series:
    return pl.repeat(value, rows, dtype=pl.String, eager=True).alias(name)


def _constants(one: Samples) -> dict[str, str | None]:
    """What is the same for all documents of a run."""
    found: dict[str, str | None] = {"task_name": one.task, "date": stamp_date(one.stamp)}
    results = one.results
    if results is None:
        return found
    found["date"] = results.date or found["date"]
    found["task_version"] = setting(results.of_task("versions", one.task))
    found["task_hash"] = setting(results.of_task("task_hashes", one.task))
    found["lm_eval_version"] = setting(results.content.get("lm_eval_version"))
    found["group"] = results.groups_of(one.task)
    settings = results.columns(one.task)
    found["n_shot"] = settings.pop("num_fewshot")
    return found | settings


def _missing(one: Samples) -> range | list[int]:
    """Documents that were run as a whole test and are not in the file, where that can be told."""
    if one.results is None or one.results.limit is not None:
        return []
    original, claimed = one.results.samples(one.task)
    held = one.documents.doc_ids
    if claimed is None or original not in (None, claimed) or claimed - len(held) > MOST_ADDED:
        return []
    if any(doc_id >= claimed for doc_id in held):
        return []
    return [doc_id for doc_id in range(claimed) if doc_id not in held]


def _run(one: Samples) -> Run:
    if one.results is not None:
        return one.results.run(one.file.declared, one.task, one.held)
    return Run(
        file=one.file.declared,
        system=one.system,
        task=one.task,
        harness=_HARNESS,
        date=stamp_date(one.stamp),
        samples_held=one.held,
    )


def header_only(results: Results) -> RawTable:
    """A table without rows, of published figures alone."""
    file = results.file.declared
    published = [one for task in results.tasks for one in task_reproductions(results, task, None)]
    scores = tuple(dict.fromkeys(one.metric for one in published))
    published += group_reproductions(results, {})
    loss = Loss(
        file=file, code="header_only", count=len(results.tasks),
        text=f"published figures of {len(results.tasks):,} tasks, and no samples file: there are "
        "no documents",
    )  # fmt: skip
    runs = tuple(results.run(file, task, 0) for task in results.tasks)
    names = ("system", "item", "status", "task_name", *scores)
    check_names(results.file, list(names))
    return RawTable(
        file,
        pl.DataFrame({name: pl.Series([], dtype=pl.String) for name in names}),
        log=Log(scores, runs=runs, reproductions=tuple(published), losses=(loss,)),
    )


# -------------------------------------------------------------------------------- what is not there


def _losses(one: Samples, missing: Sequence[int]) -> Iterator[Loss]:
    file, documents, results = one.file.declared, one.documents, one.results
    if results is None:
        yield Loss(
            file=file, code="no_results_file", count=one.held,
            text="no results file: configuration, versions and published figures are not known",
        )  # fmt: skip
    else:
        yield from _subset(one, results, missing)
    yield from _repeats(one)
    if documents.texts_left_out:
        yield Loss(
            file=file, code="texts_left_out", count=documents.texts_left_out,
            text=f"{documents.texts_left_out:,} prompts are too long to be kept",
        )  # fmt: skip
    said = [(one.held, remark) for remark in one.remarks]
    if documents.merged:
        rows = f"{documents.merged:,} rows repeat a document without naming a filter"
        said.append((documents.merged, f"{rows}, with the same scores: they are one row"))
    if documents.numberless:
        scores = f"{documents.numberless:,} scores are no numbers (NaN or infinite)"
        said.append((documents.numberless, f"{scores}: the scorer failed, and there is no score"))
    figures = results.figures(one.task) if results else ()
    endless = sum(not math.isfinite(figure.value) for figure in figures)
    if endless:
        said.append((endless, f"{endless:,} published figures are no numbers (NaN or infinite)"))
    for name in documents.scores:
        if name in documents.left_out:
            held = f"documents hold {documents.left_out[name]} there, not scores"
            said.append((one.held, f"{shown(name)} is left out: {held}"))
    for count, text in said:
        yield Loss(file=file, code="other", count=count, text=text)


def _subset(one: Samples, results: Results, missing: Sequence[int]) -> Iterator[Loss]:
    """Documents of the test that were not run, or that were run and are not there."""
    file = one.file.declared
    original, claimed = results.samples(one.task)
    ran = one.held if claimed is None else claimed
    if (results.limit and original is None) or (original is not None and ran < original):
        whole = "an unknown number of" if original is None else f"{original:,}"
        yield Loss(
            file=file, code="limited", count=max(0, (original or ran) - ran),
            text=f"{ran:,} of {whole} documents of the test were run"
            + (f" ({results.limit})" if results.limit else ""),
        )  # fmt: skip
    if claimed is None or claimed == one.held:
        return
    if claimed < one.held:
        yield Loss(
            file=file, code="other", count=one.held - claimed,
            text=f"the file holds {one.held:,} documents, its results file speaks of {claimed:,}",
        )  # fmt: skip
        return
    which = "which of them cannot be told"
    if missing:
        which = f"doc_id {listed([str(doc_id) for doc_id in missing])}: they stand as not_run"
    yield Loss(
        file=file, code="fewer_samples", count=claimed - one.held,
        text=f"{claimed - one.held:,} of {claimed:,} documents that were run are not in the "
        f"file; {which}",
    )  # fmt: skip


def _repeats(one: Samples) -> Iterator[Loss]:
    config = one.results.task_config(one.task) if one.results else {}
    stated = config.get("repeats")
    times = stated if type(stated) is int else one.documents.answers
    if times <= 1:
        return
    combining = one.results.combining_filters(one.task) if one.results else None
    text = f"each document was answered {times:,} times"
    if combining is None:
        text += "; whether more than the first answer is scored is not known"
    elif combining:
        text += f"; {listed(combining)} may use all answers, but there is one score"
    else:
        text += " and only the first answer is scored"
    yield Loss(file=one.file.declared, code="repeats_unscored", count=one.held, text=text)


def _absent(one: Samples, tasks: Sequence[str]) -> Iterator[Loss]:
    if tasks:
        yield Loss(
            file=one.file.declared, code="other", count=len(tasks),
            text=f"{len(tasks):,} further tasks of its results file have no samples file here: "
            f"{listed(tasks)}",
        )  # fmt: skip
