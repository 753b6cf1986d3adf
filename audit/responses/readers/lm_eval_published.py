"""What lm-evaluation-harness published of a task or a group, beside what its documents give."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from audit.responses.facts import Reproduction
from audit.responses.readers.lm_eval_results import Figure, Results, folder_system, mapping
from audit.responses.readers.reproducing import reproduction

_DEFAULTS: Final = {
    **dict.fromkeys(("acc", "acc_norm", "acc_mutual_info", "exact_match"), "mean"),
    "f1": "f1",
    "mcc": "matthews_corrcoef",
    "bleu": "bleu",
    "chrf": "chrf",
    "ter": "ter",
    "brier_score": "brier_score",
    "perplexity": "perplexity",
    "word_perplexity": "weighted_perplexity",
    "byte_perplexity": "weighted_perplexity",
    "bits_per_byte": "bits_per_byte",
    "acc_all": "acc_all",
}
"""How lm_eval sums up a metric whose task does not say it."""
_SHARES: Final = {"acc", "acc_norm", "acc_mutual_info", "exact_match"}
_LEFT_OUT = "documents without a score left out"
_AS_ZERO = "documents without a score count as 0"


@dataclass(frozen=True)
class Scored:
    """The documents of one samples file, as far as means go."""

    task: str
    documents: int
    claimed: int | None
    """Documents that the results file says were run."""
    columns: Mapping[str, Sequence[float | None]]
    left_out: Mapping[str, str]
    """{score column: what it holds instead of single values}."""

    @property
    def lacks(self) -> int:
        """Documents that were run and are not in the file."""
        return max(0, (self.claimed or 0) - self.documents)


def task_reproductions(results: Results, task: str, scored: Scored | None) -> list[Reproduction]:
    """Recompute every published figure of a task that is a mean over its documents.

    Parameters
    ----------
    scored : None where no samples file of the task is among the files
    """
    figures = [one for one in results.figures(task) if math.isfinite(one.value)]
    rules: dict[str, set[str | None]] = {}
    for one in figures:
        rules.setdefault(one.metric, set()).add(one.filter)
    return [
        _checked(results, task, one, scored, rule_is_known=len(rules[one.metric]) == 1)
        for one in figures
    ]


def _checked(
    results: Results, task: str, figure: Figure, scored: Scored | None, *, rule_is_known: bool
) -> Reproduction:
    if scored is None:
        return _unchecked(results, task, figure, 0, "its samples file is not among the files")
    items = scored.documents
    aggregation = _aggregation(results, task, figure.metric)
    if not _is_mean(aggregation, figure):
        return _unchecked(results, task, figure, items, f"it is no mean: {aggregation}")
    column = _column(figure, scored)
    if column is None:
        held = scored.left_out.get(figure.column) or scored.left_out.get(figure.metric)
        note = f"the rows hold {held} for it, not a score" if held else "no row has a score for it"
        return _unchecked(results, task, figure, items, note)
    if scored.lacks:
        note = f"{scored.lacks:,} of {scored.claimed:,} documents are not in the samples file"
        return _unchecked(results, task, figure, items, note)
    scores = scored.columns[column]
    readings = _readings(scores, is_error=figure.is_error)
    if not readings:
        return _unchecked(results, task, figure, items, "too few documents have a score")
    doubt = "" if aggregation else "the log does not say how it was summed up"
    name = column
    if column == figure.metric and not rule_is_known:
        doubt, name = "the rows do not say which filter they belong to", figure.column
    found = _reproduced(results, task, figure, readings, items, name, scores)
    return _settled(found, results, task, figure, readings, doubt)


def _settled(
    found: Reproduction,
    results: Results,
    task: str,
    figure: Figure,
    readings: Mapping[str, float],
    doubt: str,
) -> Reproduction:
    """What was found; where it is in doubt whether a mean was published, only if it agrees."""
    if not doubt or found.state in ("agrees", "close"):
        return found
    note = f"{doubt}; the documents give {next(iter(readings.values())):.6g}"
    return _unchecked(results, task, figure, found.items, note)


def _reproduced(
    results: Results,
    task: str,
    figure: Figure,
    readings: Mapping[str, float],
    items: int,
    column: str,
    scores: Sequence[float | None],
) -> Reproduction:
    bounded = all(one is None or 0 <= one <= 1 for one in scores) and figure.metric in _SHARES
    recomputed = next(iter(readings.values())) if len(readings) == 1 else readings
    found = reproduction(
        file=results.file.declared,
        system=results.system or folder_system(results.file),
        task=task,
        metric=column,
        aggregation="standard error" if figure.is_error else "mean",
        published=figure.value,
        recomputed=recomputed,
        items=items,
        lower=0.0 if figure.is_error or bounded else None,
        upper=1.0 if bounded and not figure.is_error else None,
    )
    if figure.is_error and found.state == "close" and found.recomputed is not None:
        # what one document of n is worth in a standard error is its nth part, not 1/n
        gap = abs(figure.value - found.recomputed)
        if gap * items > found.recomputed:
            return found.model_copy(update={"state": "contradicts"})
    return found


def _unchecked(results: Results, task: str, figure: Figure, items: int, note: str) -> Reproduction:
    return reproduction(
        file=results.file.declared,
        system=results.system or folder_system(results.file),
        task=task,
        metric=figure.column,
        aggregation="standard error" if figure.is_error else "score",
        published=figure.value,
        recomputed=None,
        items=items,
        note=note,
    )


def _aggregation(results: Results, task: str, metric: str) -> str | None:
    """How the task sums a metric up; None where the log does not say."""
    listed = results.task_config(task).get("metric_list")
    for one in listed if isinstance(listed, list) else ():
        if mapping(one).get("metric") == metric:
            stated = mapping(one).get("aggregation")
            if isinstance(stated, str) and stated:
                return stated if len(stated) <= 40 else "a function of the task"
            break
    return _DEFAULTS.get(metric)


def _is_mean(aggregation: str | None, figure: Figure) -> bool:
    """Whether a figure is a mean, or the closed-form standard error of one, or may be it."""
    return aggregation in (None, "mean") or (aggregation == "nanmean" and not figure.is_error)


def _column(figure: Figure, scored: Scored) -> str | None:
    """The score column of a figure; of old logs the one of the metric alone."""
    for name in (figure.column, figure.metric):
        if name in scored.columns:
            return name
    fitting = [one for one in scored.columns if one.startswith(f"{figure.metric},")]
    return fitting[0] if figure.filter is None and len(fitting) == 1 else None


def _readings(scores: Sequence[float | None], *, is_error: bool) -> dict[str, float]:
    """Mean, or standard error of the mean, for each way to take documents without a score."""
    held = [one for one in scores if one is not None]
    ways = {_LEFT_OUT: held}
    if len(held) < len(scores):
        ways[_AS_ZERO] = [one or 0.0 for one in scores]
    found: dict[str, float] = {}
    for name, values in ways.items():
        if len(values) > is_error:
            found[name] = _error(values) if is_error else math.fsum(values) / len(values)
    return {name: value for name, value in found.items() if math.isfinite(value)}


def _error(values: Sequence[float]) -> float:
    """Standard error of the mean of at least two values."""
    return math.sqrt(_squares(values) / (len(values) - 1) / len(values))


def _squares(values: Sequence[float]) -> float:
    mean = math.fsum(values) / len(values)
    return math.fsum((one - mean) * (one - mean) for one in values)


# ------------------------------------------------------------------------------------------- groups


def group_reproductions(results: Results, scored: Mapping[str, Scored]) -> list[Reproduction]:
    """Recompute the scores of groups by every weighting that lm_eval has had.

    Parameters
    ----------
    scored : {task: its documents}; groups none of whose tasks are among them are left out,
        unless there are none at all
    """
    found = []
    for group in results.scores:
        if group not in results.groups:
            continue
        tasks = _tasks_of(results, group)
        if scored and not any(task in scored for task in tasks):
            continue
        for figure in results.figures(group):
            if math.isfinite(figure.value):
                found.append(_group_checked(results, group, tasks, figure, scored))
    return found


def _tasks_of(results: Results, group: str) -> tuple[str, ...]:
    """The tasks of a group and of the groups in it."""
    tasks: dict[str, None] = {}
    seen = {group}
    pending = [group]
    while pending:
        for one in results.groups[pending.pop()]:
            if one not in results.groups:
                tasks[one] = None
            elif one not in seen:
                seen.add(one)
                pending.append(one)
    return tuple(tasks)


def _group_checked(
    results: Results,
    group: str,
    tasks: Sequence[str],
    figure: Figure,
    scored: Mapping[str, Scored],
) -> Reproduction:
    here = [scored[task] for task in tasks if task in scored]
    items = sum(one.documents for one in here)
    absent = [task for task in tasks if task not in scored or scored[task].lacks]
    if absent or not tasks:
        note = (
            f"{len(absent):,} of its {len(tasks):,} tasks are not whole, and once, among the files"
        )
        return _unchecked(results, group, figure, items, note)
    aggregations = [_aggregation(results, task, figure.metric) for task in tasks]
    for one in aggregations:
        if not _is_mean(one, figure):
            return _unchecked(results, group, figure, items, f"its tasks have no means: {one}")
    columns = [_column(figure, one) for one in here]
    values = [
        [score for score in one.columns[column] if score is not None]
        for one, column in zip(here, columns, strict=True)
        if column is not None
    ]
    if len(values) < len(here) or not all(len(one) > figure.is_error for one in values):
        note = "not all of its tasks have scores for it"
        return _unchecked(results, group, figure, items, note)
    readings = _group_errors(values) if figure.is_error else _group_means(values)
    every = [score for one in values for score in one]
    doubt = "" if all(aggregations) else "the log does not say how its tasks were summed up"
    found = _reproduced(results, group, figure, readings, items, figure.column, every)
    return _settled(found, results, group, figure, readings, doubt)


def _group_means(tasks: Sequence[Sequence[float]]) -> dict[str, float]:
    means = [math.fsum(one) / len(one) for one in tasks]
    documents = sum(len(one) for one in tasks)
    return {
        "weighted by documents": math.fsum(map(math.fsum, tasks)) / documents,
        "every task weighs the same": math.fsum(means) / len(means),
    }


def _group_errors(tasks: Sequence[Sequence[float]]) -> dict[str, float]:
    """Standard errors of a group's mean by each of its readings."""
    documents = sum(len(one) for one in tasks)
    every = [score for one in tasks for score in one]
    within = math.fsum(map(_squares, tasks)) / max(1, documents - len(tasks))
    return {
        "within tasks, weighted by documents": math.sqrt(within / documents),
        "all documents as one sample": _error(every),
        "every task weighs the same": math.hypot(*map(_error, tasks)) / len(tasks),
    }
