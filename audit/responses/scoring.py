"""Which column of the files holds each score; a log that offers several is never guessed at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from audit.responses.problems import Problems
from audit.responses.readers.raw import RawTable
from audit.spec.plan import MetricSlice, SourceSlice
from audit.spec.showing import choices, closest, shown

_UNNAMED = "score"
"""The column of the default `scores: {correct: score}`: in a log, its only score."""


def score_columns(
    files: Sequence[RawTable], slice_: SourceSlice, problems: Problems
) -> dict[str, str]:
    """Give {metric: column}, the same for all files of the source.

    A log names its scores: `exact_match` stands for `exact_match,strict-match` where that is its
    only extraction rule, and so for the keys of a score with several values. Where several fit,
    they are one if they agree in every row; else the study must say which one is meant.
    """
    logs = [one for one in files if one.log is not None]
    found: dict[str, str] = {}
    for metric in slice_.metrics:
        column = metric.column or metric.id
        found[metric.id] = _in_logs(metric, column, logs, problems) if logs else column
    return found


def _in_logs(metric: MetricSlice, column: str, logs: Sequence[RawTable], problems: Problems) -> str:
    offered = tuple(dict.fromkeys(name for one in logs if one.log for name in one.log.scores))
    if column in offered or any(column in one.frame.columns for one in logs):
        return column
    fitting = offered if column == _UNNAMED else tuple(_parts(column, offered))
    if not fitting and offered:
        problems.add(
            logs[0].file, f"no log holds the score {shown(column)}", allowed=choices(offered),
            remedy=_named(metric, closest(column, offered) or offered[0]),
        )  # fmt: skip
    for other in fitting[1:]:
        differing = sum(_differing(one.frame, fitting[0], other) for one in logs)
        if differing:
            problems.add(
                logs[0].file, "several scores fit, and they disagree",
                f"{shown(fitting[0])} and {shown(other)} in {differing:,} rows",
                allowed=choices(fitting), remedy=f"say which one is meant: "
                f"{_named(metric, fitting[0])}; extraction rules and scorers are metrics, not "
                "further items",
            )  # fmt: skip
    return fitting[0] if fitting else column


def _parts(column: str, offered: Sequence[str]) -> Iterator[str]:
    for name in offered:
        if name.startswith((f"{column},", f"{column}.")):
            yield name


def _named(metric: MetricSlice, column: str) -> str:
    return f'scores: {{{metric.id}: "{column}"}}'


def _differing(frame: pl.DataFrame, one: str, other: str) -> int:
    """Rows in which two columns say different things, a number being one however it is written."""
    if one not in frame.columns or other not in frame.columns:
        # a task of its own scores: where one of two is not asked for, none contradicts the other
        return 0
    left, right = frame[one], frame[other]
    numbers = (left.cast(pl.Float64, strict=False), right.cast(pl.Float64, strict=False))
    same = left.eq_missing(right) | (numbers[0] == numbers[1]).fill_null(value=False)
    return int((~same).sum())


def refuse_unscored_files(
    kept: pl.DataFrame, files: Sequence[RawTable], columns: dict[str, str], problems: Problems
) -> None:
    """Refuse logs whose rows are kept although they never scored what the study asks for."""
    with_rows = set(kept["file"].unique().to_list())
    for one in files:
        if one.log is None or one.file not in with_rows:
            continue
        for metric, column in columns.items():
            if column not in one.frame.columns:
                problems.add(
                    one.file, f"the log does not hold the score {shown(column)}",
                    allowed=choices(one.log.scores),
                    remedy=f"correct scores: {{{metric}: …}}, or leave its rows out by "
                    "rows: {column: value}",
                )  # fmt: skip
