"""From criteria as written to the verdict function's terms: the table of errata section 13."""

from __future__ import annotations

from typing import Literal, get_args

from audit.spec.models import Bar, Claim, Criterion, Decision, Measure, Metric

BARS: tuple[Bar, ...] = get_args(Bar)
LOSS_GUARDS = ("worse_by_at_most", "stop_if_worse_by")
TOLERANT = ("worse_by_at_most", "within", "stop_if_worse_by")
"""Bars judged with the interval of 2 level - 1."""

MEASURES_OF: dict[str, tuple[Measure, ...]] = {
    "performance": ("mean", "expected_success", "expected_loss"),
    "comparison": ("mean", "expected_success", "expected_loss"),
    "ranking": ("rank",),
}
BARS_OF: dict[str, tuple[Bar, ...]] = {
    "performance": ("at_least", "at_most"),
    "comparison": ("better_by", "worse_by_at_most", "within", "stop_if_worse_by"),
    "ranking": ("at_most",),
}
"""Every combination that is not here is refused."""


def bars_given(criterion: Criterion) -> tuple[Bar, ...]:
    """Bars that a criterion states; a valid one has exactly one."""
    return tuple(bar for bar in BARS if getattr(criterion, bar) is not None)


def bar_of(criterion: Criterion) -> tuple[Bar, float]:
    """The criterion's one bar and its value."""
    bar = bars_given(criterion)[0]
    return bar, float(getattr(criterion, bar))


def decision_measure(decision: Decision, has_workload: bool) -> Measure:
    """Default measure: as the decision says, else expected_success with a workload, else mean."""
    return decision.measure or ("expected_success" if has_workload else "mean")


def measure_of(
    claim: Claim, criterion: Criterion, decision: Decision, has_workload: bool
) -> Measure:
    """A criterion's measure; that of a ranking is the rank."""
    if criterion.measure is not None:
        return criterion.measure
    return "rank" if claim.kind == "ranking" else decision_measure(decision, has_workload)


def less_is_better(measure: Measure, metric: Metric) -> bool:
    """Whether smaller numbers are better: ranks, losses, metrics that say so."""
    return measure in ("rank", "expected_loss") or metric.better == "lower"


def sign_of(claim: Claim, measure: Measure, bar: Bar, metric: Metric) -> Literal[1, -1]:
    """Turn a number so that larger supports the claim.

    A performance bar says itself which side supports; differences follow the metric.
    """
    if claim.kind in ("performance", "ranking"):
        return -1 if bar == "at_most" else 1
    return -1 if less_is_better(measure, metric) else 1


def margin_of(measure: Measure, bar: Bar, value: float) -> float:
    """Give m of the verdict function, in the oriented unit."""
    if measure == "rank":
        return -(value + 0.5)
    if bar == "at_most":
        return -value
    return -value if bar in LOSS_GUARDS else value


def error_of(claim: Claim, bar: Bar) -> float:
    """Give a, the one-sided error: (1-level)/2, or 1-level for tolerances and ranks."""
    alpha = 1 - claim.level
    whole = claim.kind == "ranking" or bar in TOLERANT
    return _rounded(alpha if whole else alpha / 2)


def _rounded(error: float) -> float:
    """1 - 0.95 is 0.05, not 0.050000000000000044."""
    return round(error, 12)


def first_primary(claim: Claim) -> int | None:
    """Place of the first criterion that is no guard; None unless each criterion has one bar."""
    if any(len(bars_given(one)) != 1 for one in claim.criteria):
        return None
    roles = [role_of(claim, bar_of(one)[0])[0] for one in claim.criteria]
    return roles.index("primary") if "primary" in roles else None


def role_of(claim: Claim, bar: Bar) -> tuple[Literal["primary", "guard"], Literal["show", "block"]]:
    """Role and policy: a tolerance beside another bar is a guard, `stop_if_worse_by` always."""
    if bar == "stop_if_worse_by":
        return "guard", "block"
    others = any(bar_of(one)[0] not in LOSS_GUARDS for one in claim.criteria)
    if bar == "worse_by_at_most" and others:
        return "guard", "show"
    return "primary", "show"
