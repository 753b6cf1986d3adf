"""From estimates in their natural orientation to criteria, and how each came out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from audit.analyses.contract import ErrorBounds, Estimate, NotEstimable, Result
from audit.argument.assessment import CriterionOutcome
from audit.argument.case import Criterion, Status
from audit.argument.verdict import judge, status
from audit.errors import Contradiction, Reason
from audit.spec.plan import ArgumentSlice, ClaimPlan, CriterionPlan

Found = Estimate | NotEstimable
_LOSS_BARS = ("stop_if_worse_by", "worse_by_at_most")


@dataclass(frozen=True)
class Findings:
    """Every estimate, or why there is none, by request id."""

    by_request: dict[str, Found]

    def __getitem__(self, request: str) -> Found:
        """Raise `Contradiction` for a planned number that no analysis speaks of."""
        try:
            return self.by_request[request]
        except KeyError:
            raise Contradiction(f"no analysis answered the request {request!r}") from None


def collect(results: Iterable[Result]) -> Findings:
    """Index estimates by request; the same request answered twice is a contradiction."""
    found: dict[str, Found] = {}
    for result in results:
        answers: tuple[Found, ...] = (*result.estimates, *result.not_estimable)
        for one in answers:
            if one.request in found:
                raise Contradiction(f"the request {one.request!r} is answered twice")
            found[one.request] = one
    return Findings(found)


# ------------------------------------------------------------------------------------ orientation


def bounds_at(bounds: Sequence[ErrorBounds], error: float) -> tuple[float, float] | None:
    """Bounds at a one-sided error, or at the nearest stricter one that was asked for."""
    fit = [one for one in bounds if one.error <= error * (1 + 1e-9)]
    if not fit:
        return None
    best = max(fit, key=lambda one: one.error)
    return best.lower, best.upper


def oriented(lower: float, upper: float, sign: Literal[1, -1]) -> tuple[float, float]:
    """Turn an interval so that larger supports the claim."""
    return (lower, upper) if sign == 1 else (-upper, -lower)


def _interval(
    bounds: Sequence[ErrorBounds], error: float, sign: Literal[1, -1], request: str
) -> tuple[float, float]:
    found = bounds_at(bounds, error)
    if found is None:
        raise Contradiction(f"{request!r} has no bounds at the one-sided error {error:g}")
    return oriented(*found, sign)


def criterion_of(
    plan: CriterionPlan,
    found: Found,
    *,
    error: float | None = None,
    bounds: Sequence[ErrorBounds] | None = None,
) -> Criterion:
    """Make a criterion from its plan and its estimate.

    Parameters
    ----------
    plan : the criterion in the whole
    found : its estimate, or that of a twin; bounds in natural orientation
    error : one-sided error instead of a and a/k (twins are held at the simultaneous one)
    bounds : other bounds than the estimate's (as if missing responses were known)

    Raises
    ------
    Contradiction
        If the estimate has no bounds at an error that is not larger.
    """
    lower = upper = lower_adjusted = upper_adjusted = None
    why = Reason.TOO_FEW_ITEMS
    if isinstance(found, NotEstimable):
        why = found.reason
    else:
        at = found.bounds if bounds is None else bounds
        a, a_k = (plan.error, plan.error_adjusted) if error is None else (error, error)
        lower, upper = _interval(at, a, plan.sign, found.request)
        low, high = _interval(at, a_k, plan.sign, found.request)
        lower_adjusted, upper_adjusted = min(lower, low), max(upper, high)
    return Criterion(
        id=found.request,
        whole=plan.id,
        role=plan.role,
        form=plan.form,
        margin=plan.margin,
        lower=lower,
        upper=upper,
        lower_adjusted=lower_adjusted,
        upper_adjusted=upper_adjusted,
        policy=plan.policy,
        severe=plan.severe,
        why_gone=why,
    )


# --------------------------------------------------------------------------------------- outcomes


def outcome_of(
    slice_: ArgumentSlice,
    plan: CriterionPlan,
    found: Found,
    *,
    error: float | None = None,
    task: str | None = None,
) -> CriterionOutcome:
    """Say how a criterion (or a twin, with its own `error` and `task`) came out, and why."""
    criterion = criterion_of(plan, found, error=error)
    estimate = found if isinstance(found, Estimate) else None
    shown = (
        None
        if estimate is None
        else bounds_at(estimate.bounds, plan.error if error is None else error)
    )
    loss = None
    if plan.bar in _LOSS_BARS and criterion.lower is not None:
        loss = max(0.0, -criterion.lower)
    return CriterionOutcome(
        id=found.request,
        status=status(criterion, ()),
        role=plan.role,
        policy=plan.policy,
        severe=plan.severe,
        bar=plan.bar,
        bar_value=plan.value,
        measure=plan.measure,
        metric=plan.metric,
        task=task or plan.task,
        unit=None if estimate is None else estimate.unit,
        value=None if estimate is None else estimate.value,
        lower=None if shown is None else shown[0],
        upper=None if shown is None else shown[1],
        error=plan.error if error is None else error,
        identified=None if estimate is None else estimate.identified,
        items=None if estimate is None else estimate.items,
        clusters=None if estimate is None else estimate.clusters,
        missing_items=None if estimate is None else estimate.missing_items,
        detectable_difference=None if estimate is None else estimate.detectable_difference,
        reasons=reasons_of(slice_, plan, found, error=error),
        not_estimable=found.detail if isinstance(found, NotEstimable) else None,
        loss_not_excluded=loss,
    )


def reasons_of(
    slice_: ArgumentSlice, plan: CriterionPlan, found: Found, *, error: float | None = None
) -> tuple[Reason, ...]:
    """Why a criterion is not met; empty when it is."""
    criterion = criterion_of(plan, found, error=error)
    came_out = status(criterion, ())
    if isinstance(found, NotEstimable):
        return () if came_out == "met" and not plan.severe else (found.reason,)
    if came_out == "met":
        return ()
    if came_out == "failed":
        severe = plan.severe and plan.role == "guard"
        return (Reason.BAR_FAILED, Reason.SEVERE_REGRESSION) if severe else (Reason.BAR_FAILED,)
    reasons = [Reason.MARGIN_CROSSED]
    if missing_decides(plan, found, error=error):
        reasons.append(Reason.MISSING_BOUNDS_CROSS)
    elif found.detectable_difference is not None:
        matters = difference_that_matters(slice_, plan)
        if matters is not None:
            short = found.detectable_difference > matters
            reasons.append(Reason.UNDERPOWERED if short else Reason.NEAR_MARGIN)
    return tuple(reasons)


def missing_decides(plan: CriterionPlan, found: Estimate, *, error: float | None = None) -> bool:
    """Whether an undetermined criterion were decided if all missing responses were known alike."""
    for bounds in (found.bounds_if_low, found.bounds_if_high):
        if bounds and _plain_status(criterion_of(plan, found, error=error, bounds=bounds)) != (
            "undetermined"
        ):
            return True
    return False


def _plain_status(criterion: Criterion) -> Status:
    """Status without the leave that a block guard has to stay undetermined."""
    plain = judge(criterion, criterion.lower, criterion.upper, 0.0, 0.0)
    return status(criterion, ()) if plain == "failed" else plain


def difference_that_matters(slice_: ArgumentSlice, plan: CriterionPlan) -> float | None:
    """Size that a criterion's test should be able to show, in its unit; None where none is known.

    A tolerance is its own size. Else it is the study's smallest difference, which is in the unit of
    the first primary criterion of the first claim that the decision rests on: nothing is held
    against it that is measured otherwise.
    """
    if plan.measure == "rank":
        return None
    if plan.bar in ("within", "worse_by_at_most") and plan.value > 0:
        return plan.value
    return slice_.smallest_difference if _unit(plan) == _study_unit(slice_) else None


def _unit(plan: CriterionPlan) -> str:
    """What a criterion's numbers are in: losses are alike whatever metric they come from."""
    if plan.measure in ("expected_loss", "rank"):
        return plan.measure
    return f"metric {plan.metric}"


def _study_unit(slice_: ArgumentSlice) -> str | None:
    claims = {claim.id: claim for claim in slice_.plan.claims}
    resting = [claims[name] for name in slice_.rests_on if name in claims]
    for claim in (*resting, *slice_.plan.claims):
        for plan in claim.criteria:
            if plan.role == "primary" and plan.measure != "rank":
                return _unit(plan)
    return None


def criterion_plans(claim: ClaimPlan) -> dict[str, CriterionPlan]:
    """A claim's criteria by id."""
    return {plan.id: plan for plan in claim.criteria}
