"""Checks of criteria: which measure and bar a kind knows, units, tolerances, severe tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from audit.spec.check_ids import unknown
from audit.spec.check_sources import range_of
from audit.spec.criteria import (
    BARS_OF,
    MEASURES_OF,
    bar_of,
    bars_given,
    decision_measure,
    first_primary,
    less_is_better,
    measure_of,
)
from audit.spec.findings import Finding, hint
from audit.spec.models import (
    BUILT_IN_METRICS,
    UNJUDGED_METRICS,
    Bar,
    Claim,
    Criterion,
    Decision,
    Measure,
    Metric,
    Source,
    Task,
)
from audit.spec.parts import Parts, systems_of
from audit.spec.showing import Path, choices, did_you_mean, listed, shown


@dataclass(frozen=True)
class _Criterion:
    """A criterion where it stands, with what is known around it."""

    parts: Parts
    path: Path
    claim: Claim
    criterion: Criterion
    measure: Measure | None
    """None where the decision could not be read."""
    source: Source | None
    metric: Metric | None


def check_criteria(parts: Parts) -> Iterator[Finding]:
    """Check every criterion of every claim, then a claim's criteria together."""
    for name, claim in parts.read_claims.items():
        path: Path = ("claims", name)
        found = [_gather(parts, path, claim, at) for at in range(len(claim.criteria))]
        for one in found:
            yield from _one(one)
        yield from _together(path, claim)
        yield from _severe(parts, path, claim)
        yield from _expected_effect(path, claim, found)


def _gather(parts: Parts, path: Path, claim: Claim, at: int) -> _Criterion:
    criterion = claim.criteria[at]
    decision = parts.decision
    measure = criterion.measure
    if decision is not None:
        measure = measure_of(claim, criterion, decision, parts.has_workload)
    elif claim.kind == "ranking":
        measure = measure or "rank"
    source = parts.sources.get(parts.source_of(claim) or "")
    name = criterion.metric or (next(iter(source.scores), None) if source is not None else None)
    metric = parts.metric(name) if name is not None else None
    return _Criterion(parts, (*path, "criteria", at), claim, criterion, measure, source, metric)


def _one(one: _Criterion) -> Iterator[Finding]:
    yield from _metric(one)
    yield from _task(one)
    bars = bars_given(one.criterion)
    kind = one.claim.kind
    if len(bars) != 1:
        found = listed(bars) if bars else "none"
        yield Finding(one.path, "a criterion has exactly one bar", found, choices(BARS_OF[kind]))
        return
    bar, value = bar_of(one.criterion)
    if bar not in BARS_OF[kind]:
        yield Finding(
            (*one.path, bar),
            f"a {kind} claim knows no such bar",
            bar,
            choices(BARS_OF[kind]),
            _other_bar(kind, bar),
            at_key=True,
        )
        return
    measure = one.measure
    if measure is None:
        return
    if measure not in MEASURES_OF[kind]:
        where = (*one.path, "measure") if one.criterion.measure is not None else one.path
        yield Finding(
            where, f"a {kind} claim knows no such measure", measure, choices(MEASURES_OF[kind])
        )
        return
    yield from _work_measure(one, measure)
    yield from _value(one, measure, bar, value)
    yield from _tolerance(one, measure, bar, value)


_OTHER_BARS = {
    ("performance", "better_by"): "compare with a system: kind: comparison",
    ("performance", "worse_by_at_most"): "compare with a system: kind: comparison",
    ("performance", "within"): "compare with a system: kind: comparison",
    ("performance", "stop_if_worse_by"): "compare with a system: kind: comparison",
    ("comparison", "at_least"): "write better_by, or kind: performance",
    ("comparison", "at_most"): "write worse_by_at_most, or kind: performance",
    ("ranking", "at_least"): "write at_most: the last place that would do",
}


def _other_bar(kind: str, bar: str) -> str:
    return _OTHER_BARS.get((kind, bar), "")


# --------------------------------------------------------------------------------- metric and task


def _metric(one: _Criterion) -> Iterator[Finding]:
    name = one.criterion.metric
    if name is None:
        return
    where: Path = (*one.path, "metric")
    declared = name in one.parts.metrics or name in BUILT_IN_METRICS
    if not declared and name in UNJUDGED_METRICS:
        yield Finding(
            where,
            f"metric {name} is not available yet",
            allowed=choices([*one.parts.metrics, *BUILT_IN_METRICS]),
            remedy="declare it under metrics and give its column under scores",
        )
    elif not declared:
        yield from unknown(one.parts, where, name, "metrics", BUILT_IN_METRICS)
    elif one.source is not None and name not in one.source.scores:
        source = one.parts.source_of(one.claim)
        yield Finding(
            where,
            f"the source {source} has no scores of this metric",
            shown(name),
            choices(one.source.scores),
            did_you_mean(name, one.source.scores),
        )


def _task(one: _Criterion) -> Iterator[Finding]:
    task = one.criterion.task
    if task is None:
        return
    where: Path = (*one.path, "task")
    yield from unknown(one.parts, where, task, "tasks")
    scope = one.parts.scope_of(one.claim)
    if task in one.parts.tasks and task not in scope and scope:
        yield Finding(
            where,
            "the task is outside of the claim's scope",
            shown(task),
            choices(scope),
            "add it to the claim's tasks",
        )


# --------------------------------------------------------------------------------- measure and bar


def _work_measure(one: _Criterion, measure: Measure) -> Iterator[Finding]:
    """Expected success and loss need weights; a loss also consequences and a range."""
    if measure not in ("expected_success", "expected_loss"):
        return
    parts, stated = one.parts, one.criterion.measure is not None
    where: Path = (*one.path, "measure") if stated else one.path
    if not parts.has_workload:
        if stated:  # else told at the decision
            yield Finding(
                where,
                f"{measure} needs a workload",
                remedy="declare the workload, or write measure: mean",
            )
        return
    task = one.criterion.task
    scope = (task,) if task is not None else parts.scope_of(one.claim)
    tasks = [parts.tasks.get(name) for name in scope]
    read = [held for held in tasks if held is not None]
    if len(read) < len(tasks) or not read:
        return
    no_weight = not any(_weighs(held) for held in read) and any(
        _weighs(held) for held in parts.tasks.values()
    )  # no weight at all is told with the tasks
    if no_weight and (measure == "expected_loss" or len(read) > 1):
        yield Finding(
            where,
            "the scope has no weight",
            listed(list(scope)),
            remedy="write measure: mean, or name tasks that have some",
        )
    if measure != "expected_loss":
        return
    lacking = [name for name in scope if _consequence(parts, name) is None]
    if lacking and stated:  # else told at the decision
        yield Finding(
            where,
            "expected_loss needs a consequence for every task in scope",
            f"none for {listed(lacking)}",
            remedy="write consequence: cost of one failure",
        )
    elif not lacking and not any(_consequence(parts, name) for name in scope):
        yield Finding(where, "every consequence in scope is 0: there is nothing to lose")
    if one.metric is not None and range_of(one.metric) is None and (one.metric.kind == "unbounded"):
        yield Finding(
            where,
            "a loss needs a metric with a range",
            "an unbounded metric",
            remedy="write kind: bounded and its range, or another measure",
        )


def _weighs(task: Task | None) -> bool:
    return task is not None and bool(task.count or task.share or task.interest)


def _consequence(parts: Parts, name: str) -> float | None:
    task = parts.tasks.get(name)
    return None if task is None else task.consequence


def _value(one: _Criterion, measure: Measure, bar: Bar, value: float) -> Iterator[Finding]:
    where: Path = (*one.path, bar)
    if measure == "rank":
        yield from _place(one, where, value)
        return
    ends = None if one.metric is None else range_of(one.metric)
    if measure == "expected_loss":
        if value < 0:
            yield Finding(where, "a loss is never negative", shown(value), ">= 0")
    elif ends is not None and one.claim.kind == "performance":
        if not ends[0] <= value <= ends[1]:
            yield Finding(
                where,
                "the bar lies outside of the metric's range",
                shown(value),
                f"{ends[0]:g} to {ends[1]:g}",
                _percent(value, ends),
            )
    elif ends is not None and value > ends[1] - ends[0]:
        yield Finding(
            where,
            "no difference of this metric can be so large",
            shown(value),
            f"at most {ends[1] - ends[0]:g}",
            _percent(value, ends),
        )
    if one.metric is not None and bar == "at_least" and less_is_better(measure, one.metric):
        yield hint(
            where,
            "less is better here, so at_least asks for a bad score",
            "at_most was probably meant",
        )


def _percent(value: float, ends: tuple[float, float]) -> str:
    in_percent = ends == (0.0, 1.0) and 1 < value <= 100
    return f"write {value / 100:g}: this metric is in shares" if in_percent else ""


def _place(one: _Criterion, where: Path, value: float) -> Iterator[Finding]:
    field = len(systems_of(one.claim))
    if not value.is_integer() or value < 1:
        yield Finding(where, "a place is a whole number from 1", shown(value))
    elif value >= field:
        yield Finding(
            where,
            f"every system of a field of {field} reaches place {field}",
            shown(value),
            f"1 to {field - 1}",
        )


def _tolerance(one: _Criterion, measure: Measure, bar: Bar, value: float) -> Iterator[Finding]:
    """A tolerance over the whole scope is no wider than the difference that would matter."""
    decision = one.parts.decision
    if decision is None or bar not in ("within", "worse_by_at_most"):
        return
    if one.criterion.task is not None or not _in_decision_unit(one, measure, decision):
        return
    if value > decision.smallest_difference * (1 + 1e-9):
        yield Finding(
            (*one.path, bar),
            "the tolerance is wider than the smallest difference that matters",
            shown(value),
            f"at most {decision.smallest_difference:g}",
            "narrow it, or name the task that it is for",
        )


def _in_decision_unit(one: _Criterion, measure: Measure, decision: Decision) -> bool:
    """Whether a criterion's numbers are in the unit of `smallest_difference`."""
    default = decision_measure(decision, one.parts.has_workload)
    if (measure == "expected_loss") != (default == "expected_loss"):
        return False
    if measure == "expected_loss" or one.criterion.metric is None or one.source is None:
        return True
    primary = one.parts.metric(next(iter(one.source.scores), ""))
    if primary is None or one.metric is None:
        return False
    return one.metric == primary or (
        range_of(one.metric) is not None and range_of(one.metric) == range_of(primary)
    )


# ----------------------------------------------------------------------------------------- together


def _together(path: Path, claim: Claim) -> Iterator[Finding]:
    bars = [bars_given(one) for one in claim.criteria]
    if all(one == ("stop_if_worse_by",) for one in bars):
        yield Finding(
            (*path, "criteria"),
            "stop_if_worse_by never stands alone: it only stops a claim, it shows nothing",
            remedy="add what must be shown: better_by, within or worse_by_at_most",
        )
    seen: dict[object, int] = {}
    for at, one in enumerate(claim.criteria):
        key = (one.measure, one.metric, one.task, bars[at])
        if key in seen and len(bars[at]) == 1:
            yield Finding(
                (*path, "criteria", at),
                "the same bar stands twice",
                f"as criteria[{seen[key]}]",
                remedy="keep the stricter one",
            )
        seen.setdefault(key, at)


def _expected_effect(path: Path, claim: Claim, found: list[_Criterion]) -> Iterator[Finding]:
    """The effect is in the unit of the first primary criterion: within what can be at all."""
    effect = claim.expected_effect
    where: Path = (*path, "expected_effect")
    at = first_primary(claim)
    if effect is None or at is None:
        return
    first = found[at]
    if claim.kind == "ranking" or (
        claim.kind == "performance" and first.measure == "expected_loss"
    ):
        which = "a ranking" if claim.kind == "ranking" else "the loss of one system"
        yield hint(where, f"no chance of support is computed for {which}", "leave it out")
        return
    ends = (
        None if first.metric is None or first.measure == "expected_loss" else range_of(first.metric)
    )
    if ends is None:
        return
    width = ends[1] - ends[0]
    low, high = ends if claim.kind == "performance" else (-width, width)
    if not low <= effect <= high:
        yield Finding(
            where,
            "no effect on this metric can be so large",
            shown(effect),
            f"{low:g} to {high:g}",
            _percent(effect, ends),
        )


def _severe(parts: Parts, path: Path, claim: Claim) -> Iterator[Finding]:
    """A severe task is never averaged away: what covers it states its own bar for it."""
    if claim.kind == "performance":
        return
    scope = parts.scope_of(claim)
    own = {one.task for one in claim.criteria}
    if own - {None, *parts.tasks}:
        return  # a bar of an unknown task may be meant for it
    for name in scope:
        task = parts.tasks[name]
        if task is None or not task.severe or name in own or scope == (name,):
            continue
        bar = "at_most: place" if claim.kind == "ranking" else "stop_if_worse_by: loss"
        yield Finding(
            path,
            f"the severe task {name} has no bar of its own",
            remedy=f"add a criterion {{task: {name}, {bar}}}, or leave it out of the claim's tasks",
            at_key=True,
        )
