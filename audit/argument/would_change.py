"""What would change a verdict, cheapest first, each as one plain sentence.

Numbers of items are planning statements: what it would take to detect the difference that matters,
and, apart from it, what it would take if the estimate stayed where it is, which it need not. The
chance of what was found is never computed from what was found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from audit.analyses.contract import Estimate, NotEstimable, Threat
from audit.argument.amounts import amount, listed, place, several
from audit.argument.assessment import Change, CriterionOutcome
from audit.argument.case import Criterion, Decision
from audit.argument.configuration import SystemStatus
from audit.argument.criteria import Findings, criterion_of, difference_that_matters
from audit.argument.needed_items import items_if_it_stays, items_to_detect
from audit.argument.threats import Facts
from audit.argument.timing import Fixing
from audit.errors import Reason
from audit.spec.plan import ArgumentSlice, CriterionPlan

LEAST_TASK_ITEMS = 10
"""Items that a task with more than a twentieth of the work must have: a convention."""
LEAST_CLUSTERS = 6
"""Fewer clusters give no interval: with five, no sign pattern is rarer than 1 in 32."""
_COSTS = (
    "configuration",
    "bridge",
    "bound_threat",
    "recover_rows",
    "task_items",
    "items",
    "outcomes",
    "lock",
    "repeat",
    "overturn",
)


@dataclass(frozen=True)
class Setting:
    """All that a claim's next steps are read from."""

    slice: ArgumentSlice
    facts: Facts
    findings: Findings
    outcomes: tuple[CriterionOutcome, ...]
    threats: tuple[Threat, ...]
    systems: tuple[SystemStatus, ...]
    fixing: Fixing
    decision: Decision
    exploratory: bool


def would_change(setting: Setting) -> tuple[Change, ...]:
    """List what would change a claim's verdict; never empty.

    Returns
    -------
    Cheapest first: what a person can declare, then rows to recover, then items by their number,
    then a new run. A supported claim says what would overturn it.
    """
    found = [
        *_configuration(setting),
        *_open_threats(setting),
        *_uncovered(setting),
        *_per_criterion(setting),
        *_outcomes(setting),
        *_timing(setting),
    ]
    if setting.decision.verdict in ("supported", "not_supported") or not found:
        found += list(_overturn(setting))
    unique = list({change.text: change for change in found}.values())
    return tuple(sorted(unique, key=lambda one: (_COSTS.index(one.code), one.items or 0)))


def _change(code: str, text: str, criterion: str | None = None, items: int | None = None) -> Change:
    return Change(code=code, criterion=criterion, items=items, text=text)


# ------------------------------------------------------------------- what a person can settle


def _configuration(setting: Setting) -> Iterator[Change]:
    if setting.facts.claim.reach == "test":
        return
    unknown: list[str] = []
    differing: dict[str, list[str]] = {}
    for one in setting.systems:
        if one.status == "unknown":
            unknown.append(one.system)
        if one.status == "differs":
            what = f"the difference in {listed(one.keys)}" if one.keys else "what differs"
            differing.setdefault(what, []).append(one.system)
    if unknown:
        yield _change(
            "configuration",
            f"Declare how {listed(unknown)} will be deployed: as tested, not at all, or what "
            "differs from the test.",
        )
    for what, names in differing.items():
        yield _change(
            "bridge",
            f"For {listed(names)}, run the deployed configuration, or let a named person judge "
            f"{what} irrelevant and say why.",
        )


def _open_threats(setting: Setting) -> Iterator[Change]:
    for threat in setting.threats:
        if threat.affects != "estimate":
            continue
        if threat.state == "open":
            yield _change(
                "bound_threat", f"Bound how far this can move the estimate: {threat.text}"
            )
        elif threat.state == "bounded" and _crosses(setting.decision):
            yield _change("bound_threat", f"Bound this more closely, or rule it out: {threat.text}")


def _crosses(decision: Decision) -> bool:
    grounds = (*decision.caps, *decision.defects)
    return any(ground.reason == Reason.THREAT_BOUND_CROSSES for ground in grounds)


def _uncovered(setting: Setting) -> Iterator[Change]:
    grounds = (*setting.decision.caps, *setting.decision.defects)
    if any(ground.reason == Reason.TASK_UNCOVERED for ground in grounds):
        for task in setting.facts.uncovered:
            yield _change(
                "task_items",
                f"Add items of task {task}, which has none; at least {LEAST_TASK_ITEMS} are "
                "needed for a number.",
                items=LEAST_TASK_ITEMS,
            )


def _outcomes(setting: Setting) -> Iterator[Change]:
    if setting.facts.claim.reach == "deployment":
        yield _change(
            "outcomes", "Collect outcomes in use, chosen by somebody who has not seen the scores."
        )


def _timing(setting: Setting) -> Iterator[Change]:
    if setting.decision.verdict == "not_supported":
        return
    if setting.fixing.timing == "after":
        yield _change(
            "lock",
            "Pin these criteria with `audit lock` before the next run, then run on fresh items.",
        )
    if setting.exploratory:
        yield _change("repeat", "Repeat the claim as it stands with fresh data.")


# --------------------------------------------------------------------------- rows and items


def _per_criterion(setting: Setting) -> Iterator[Change]:
    plans = {plan.id: plan for plan in setting.facts.claim.criteria}
    for outcome in setting.outcomes:
        if outcome.status != "undetermined" and outcome.not_estimable is None:
            continue
        plan, found = plans[outcome.id], setting.findings[outcome.id]
        if isinstance(found, NotEstimable):
            yield from _not_estimable(setting, plan, found)
            continue
        if found.missing_items:
            yield _recover(setting, plan, found)
        yield from _more_items(setting, plan, found)


def _not_estimable(setting: Setting, plan: CriterionPlan, found: NotEstimable) -> Iterator[Change]:
    short = _short_tasks(setting, plan)
    if found.reason in (Reason.TOO_FEW_ITEMS, Reason.NO_ITEMS) and short:
        for task, items in short.items():
            lacking = LEAST_TASK_ITEMS - items
            yield _change(
                "task_items",
                f"Add at least {several(lacking, 'item')} of task {task}, which has {items}.",
                plan.id,
                lacking,
            )
        return
    if found.reason == Reason.TOO_FEW_CLUSTERS:
        yield _change(
            "items",
            f"Add items in further clusters for {place(plan)}: at least {LEAST_CLUSTERS} clusters "
            "are needed.",
            plan.id,
        )
        return
    yield _change("items", f"Make {plan.id} estimable: {found.detail}", plan.id)


def _short_tasks(setting: Setting, plan: CriterionPlan) -> dict[str, int]:
    """{task in the criterion's scope: its items, where they are fewer than needed}."""
    known = {one.task: one.share for one in setting.facts.weights}
    scope = (plan.task,) if plan.task is not None else setting.facts.claim.tasks or tuple(known)
    items = setting.facts.accounting.items_by_task
    return {
        task: items.get(task, 0)
        for task in scope
        if items.get(task, 0) < LEAST_TASK_ITEMS
        and (plan.task is not None or known.get(task, 0.0) > 0)
    }


def _recover(setting: Setting, plan: CriterionPlan, found: Estimate) -> Change:
    parts: list[str] = []
    for account in setting.facts.accounting.systems:
        if account.system in setting.facts.claim.systems:
            lost = [
                f"{count} {status.replace('_', ' ')}" for status, count in _lost(account.unscored)
            ]
            if account.missing_items:
                lost.append(f"{several(account.missing_items, 'item')} without a row")
            if lost:
                parts.append(f"{account.system}: {', '.join(lost)}")
    where = f" (in the whole source: {'; '.join(parts)})" if parts else ""
    number = several(found.missing_items, "item")
    return _change(
        "recover_rows",
        f"Recover the missing responses on {number} of {place(plan)}{where}.",
        plan.id,
    )


def _lost(unscored: dict[str, int]) -> list[tuple[str, int]]:
    return [(status, count) for status, count in sorted(unscored.items()) if count]


def _more_items(setting: Setting, plan: CriterionPlan, found: Estimate) -> Iterator[Change]:
    criterion = criterion_of(plan, found)
    planned = items_to_detect(setting.slice, plan, found)
    staying = items_if_it_stays(plan, criterion, found)
    parts: list[str] = []
    if planned is not None:
        matters = difference_that_matters(setting.slice, plan) or 0.0
        parts.append(
            f"About {planned:,} more items like these of {place(plan)} would let a difference of "
            f"{amount(matters, found.unit)} be detected in four of five such tests"
        )
    if staying is not None:
        number, side = staying
        lead = (
            "if the estimate stayed where it is, which it need not,"
            if parts
            else ("If the estimate stayed where it is, which it need not,")
        )
        parts.append(f"{lead} about {number:,} more items of {place(plan)} would {side}")
    if not parts:
        parts.append(_no_number(plan, found))
    spread = ", in further clusters" if found.clusters < found.items else ""
    numbers = [n for n in (planned, staying[0] if staying else None) if n is not None]
    yield _change(
        "items", "; ".join(parts) + f"{spread}.", plan.id, numbers[0] if numbers else None
    )


def _no_number(plan: CriterionPlan, found: Estimate) -> str:
    if plan.measure == "rank":
        return (
            "More items like these would tell more systems of the field apart; how many it takes "
            "depends on the closest of them"
        )
    if found.missing_items:
        return f"More items alone will not settle {plan.id} while responses are missing"
    return (
        f"The estimate lies so near the bar of {plan.id} that more items like these may not "
        "settle it: it is for the owner to take the risk or to move the decision"
    )


# ------------------------------------------------------------------------------ what overturns


def _overturn(setting: Setting) -> Iterator[Change]:
    """Say how far a decided verdict stands from its bars, at the criterion that is nearest."""
    plans = {plan.id: plan for plan in setting.facts.claim.criteria}
    wanted = "met" if setting.decision.verdict == "supported" else "failed"
    gaps: list[tuple[float, float, CriterionPlan, Estimate]] = []
    for outcome in setting.outcomes:
        plan, found = plans[outcome.id], setting.findings[outcome.id]
        if isinstance(found, Estimate) and outcome.status == wanted:
            gap = _gap(criterion_of(plan, found), wanted)
            if gap is not None:
                scale = found.standard_error or 1.0
                gaps.append((gap / scale, gap, plan, found))
    if not gaps:
        yield _change("overturn", "Other evidence on the same work would have to contradict it.")
        return
    # failed bars must all be undone, of met ones the nearest is enough
    choose = max if wanted == "failed" else min
    _, gap, plan, found = choose(gaps, key=lambda one: one[0])
    yield _change("overturn", _overturn_text(plan, found, gap, wanted), plan.id)


def _gap(criterion: Criterion, wanted: str) -> float | None:
    """Distance from the interval to the bar on the side where it stands."""
    lower, upper, m = criterion.lower, criterion.upper, criterion.margin
    if wanted == "failed":
        lower, upper = criterion.lower_adjusted, criterion.upper_adjusted
    if lower is None or upper is None:
        return None
    if criterion.form == "above":
        gap = lower - m if wanted == "met" else m - upper
        return gap if gap > 0 else None
    inside, outside = min(lower + m, m - upper), max(lower - m, -m - upper)
    is_in = (criterion.form == "within") == (wanted == "met")
    gap = inside if is_in else outside
    return gap if gap > 0 else None


def _overturn_text(plan: CriterionPlan, found: Estimate, gap: float, wanted: str) -> str:
    if plan.measure == "rank":
        if wanted == "met":
            return (
                "Fresh items after which one more system of the field could stand before it would "
                "overturn this."
            )
        return "Only other items or another version could bring it that far up in the field."
    size = amount(gap, found.unit, up=False)
    if wanted == "met":
        return (
            f"Fresh items, or anything overlooked, that move the interval of {plan.id} against the "
            f"claim by more than {size} would overturn this."
        )
    return (
        f"More items like these will hardly change this: the interval of {plan.id} would have to "
        f"move by more than {size}. Another version, or other work, is another claim."
    )
