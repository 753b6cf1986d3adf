"""Logs of lm-evaluation-harness: one table per samples file, with what its results file says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Literal

from audit.errors import DataError, Issue
from audit.responses.readers.json_lines import json_document, json_lines
from audit.responses.readers.lm_eval_results import (
    RESULTS_NAME,
    SAMPLES_NAME,
    Results,
    read_results,
)
from audit.responses.readers.lm_eval_rows import Documents
from audit.responses.readers.lm_eval_tables import Samples, header_only, table, tables_of
from audit.responses.readers.raw import RawTable, refusal
from audit.spec.files import ResolvedFile
from audit.spec.showing import shown


def read_lm_eval(files: Sequence[ResolvedFile]) -> list[RawTable]:
    """Read samples files and the results files beside them.

    Returns
    -------
    One table per samples file, in the order of the files: one row per document, one score column
    per metric and filter. A results file belongs to the samples files of its folder and time stamp,
    or to those of a task that it alone has in that folder. One without any samples file gives a
    table without rows.

    Raises
    ------
    DataError
        with the first mistake of every file: damaged files, rows that contradict each other, files
        that are neither
    """
    issues: list[Issue] = []
    kinds: dict[ResolvedFile, Results | None] = {}
    near: dict[Path, list[Results]] = defaultdict(list)
    for file in files:
        try:
            kinds[file] = read_results(file) if _kind(file) == "results" else None
        except DataError as error:
            issues += error.issues
    for results in kinds.values():
        if results is not None:
            near[results.file.path.parent].append(results)
    of_results: dict[ResolvedFile, list[Samples]] = defaultdict(list)
    tables: dict[ResolvedFile, RawTable] = {}
    for file in (one for one, results in kinds.items() if results is None):
        try:
            samples = _read_samples(file, near[file.path.parent])
            if samples.results is None:
                tables[file] = table(samples)
            else:
                of_results[samples.results.file].append(samples)
        except DataError as error:
            issues += error.issues
    for file, results in kinds.items():
        try:
            if results is not None and file in of_results:
                tables.update(tables_of(results, of_results[file]))
            elif results is not None:
                tables[file] = header_only(results)
        except DataError as error:
            issues += error.issues
    if issues:
        raise DataError(issues)
    return [tables[file] for file in kinds if file in tables]


# --------------------------------------------------------------------------------- which file it is


def _kind(file: ResolvedFile) -> Literal["samples", "results"]:
    """What a file is: by the name that lm_eval gives it, else by what it holds."""
    name = PurePosixPath(file.declared).name
    if SAMPLES_NAME.match(name):
        return "samples"
    if RESULTS_NAME.match(name):
        return "results"
    found = "no JSON"
    try:
        _, first = next(json_lines(file), (0, {}))
        if "doc_id" in first:
            return "samples"
    except DataError:
        first = {}
    try:
        first = first if "results" in first else json_document(file)
        if "results" in first and "configs" in first:
            return "results"
        found = shown(first)
    except DataError as error:
        found = error.issues[0].message
    raise refusal(
        file, "this is no log of lm_eval", found,
        "samples_<task>_<time>.jsonl and results_<time>.json, also .gz",
        "name the files that lm_eval wrote with --log_samples and --output_path",
    )  # fmt: skip


def _read_samples(file: ResolvedFile, near: Sequence[Results]) -> Samples:
    """Read a samples file; `near` are the results files of its folder."""
    name = PurePosixPath(file.declared).name
    found = SAMPLES_NAME.match(name)
    stamp = found.group(2) if found else None
    task = found.group(1) if found else _ending(name, near)
    results = _owner(task, stamp, near) if task else None
    documents = Documents(file, results.metrics(task) if results and task else ())
    remarks = []
    if task is None:
        results, task = _by_content(documents, near)
    if task is None:
        task = name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")
        remarks.append("which task it was is not stated: the name of the file stands for it")
    if results and results.stamp and stamp and results.stamp != stamp:
        remarks.append("its results file has another time stamp")
    if results and task not in results.scores:
        remarks.append("its results file does not name the task: its figures are not known")
    return Samples(file, task, stamp, results, documents, tuple(remarks))


def _ending(name: str, near: Sequence[Results]) -> str | None:
    """The task that a renamed file's name ends with."""
    stem = name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")
    fitting = {
        task
        for one in near
        for task in one.tasks
        if stem == task or stem.endswith((f"_{task}", f"-{task}", f".{task}"))
    }
    return max(fitting, key=len, default=None)


def _owner(task: str, stamp: str | None, near: Sequence[Results]) -> Results | None:
    """The results file of the same time stamp, else the only one that has the task."""
    same = [one for one in near if stamp is not None and one.stamp == stamp]
    holding = [one for one in same or near if task in one.scores]
    fitting = same if len(same) == 1 else holding
    return fitting[0] if len(fitting) == 1 else None


def _by_content(documents: Documents, near: Sequence[Results]) -> tuple[Results | None, str | None]:
    """The run and task whose digest the documents give, else the only task there is."""
    every = [(one, task) for one in near for task in one.tasks]
    digest = documents.task_hash
    same = [pair for pair in every if digest and pair[0].of_task("task_hashes", pair[1]) == digest]
    for fitting in (same, every):
        if len(fitting) == 1:
            return fitting[0]
    return None, None
