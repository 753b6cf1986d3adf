"""From results to verdicts: builds each claim's case, decides it, and says what would change it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.analyses.contract import Estimate, Result, Threat
from audit.argument import case
from audit.argument.amounts import amount, place
from audit.argument.assessment import (
    Answer,
    Assessment,
    ClaimVerdict,
    CriterionOutcome,
    NarrowedTo,
)
from audit.argument.configuration import SystemStatus, system_statuses, worst
from audit.argument.criteria import Findings, collect, criterion_of, criterion_plans, outcome_of
from audit.argument.subset import Subset, find_subset, twin_outcomes
from audit.argument.threats import (
    Facts,
    author_threat,
    fixed_threats,
    not_assessed,
    raised_threats,
)
from audit.argument.timing import Fixing, when_fixed
from audit.argument.verdict import decide
from audit.argument.would_change import Setting, would_change
from audit.errors import Contradiction, Reason
from audit.responses.accounting import Accounting
from audit.spec.plan import ArgumentSlice, ClaimPlan

_NOT_ENOUGH = {Reason.CRITERIA_AFTER, Reason.CRITERIA_CHANGED, Reason.EXPLORATORY}


def assess(
    slice_: ArgumentSlice, results: Sequence[Result], accounting: Sequence[Accounting]
) -> Assessment:
    """Judge every claim of a study.

    Parameters
    ----------
    slice_ : plan, weights, declared threats, lock and statement; no wording of claims
    results : of all analyses, natural orientation; their threats are oriented
    accounting : of all sources

    Raises
    ------
    Contradiction
        If a planned number is answered by no analysis, twice, or without the bounds asked for.
    """
    findings = collect(results)
    fixing = when_fixed(slice_, accounting)
    claims = tuple(
        _claim(slice_, plan, findings, results, accounting, fixing) for plan in slice_.plan.claims
    )
    answer, deciding = answer_of(slice_.rests_on, claims)
    return Assessment(
        study=slice_.study,
        answer=answer,
        deciding_claim=deciding,
        timing=fixing.timing,
        timing_text=fixing.text,
        claims=claims,
    )


def answer_of(rests_on: Sequence[str], claims: Sequence[ClaimVerdict]) -> tuple[Answer, str | None]:
    """Answer for page one from the claims that the decision rests on, with the one that decides.

    Any not supported: speaks against. Any insufficient, or narrowed because the criteria came after
    the scores or the claim was found by looking: not enough. All supported: enough. Else enough
    only for what the narrowed ones still cover. Nothing rests on claims: none.
    """
    by_id = {claim.id: claim for claim in claims}
    resting = [by_id[name] for name in rests_on if name in by_id]
    if not resting:
        return "none", None
    for claim in resting:
        if claim.verdict == "not_supported":
            return "speaks_against", claim.id
    for claim in resting:
        late = claim.verdict == "narrowed" and bool(_NOT_ENOUGH & set(claim.reasons))
        if claim.verdict == "insufficient_evidence" or late:
            return "not_enough", claim.id
    for claim in resting:
        if claim.verdict == "narrowed":
            return "enough_only_for", claim.id
    return "enough", resting[0].id


# ------------------------------------------------------------------------------------- one claim


def _claim(
    slice_: ArgumentSlice,
    plan: ClaimPlan,
    findings: Findings,
    results: Sequence[Result],
    accounting: Sequence[Accounting],
    fixing: Fixing,
) -> ClaimVerdict:
    facts = _facts(slice_, plan, results, accounting)
    systems = system_statuses(results, plan.systems)
    threats = _threats(slice_, facts, results)
    subset = find_subset(slice_, plan, findings)
    exploratory = slice_.claims[plan.id].exploratory
    decision = decide(
        build_case(plan, findings, threats, subset, facts, systems, fixing, exploratory)
    )
    outcomes = tuple(outcome_of(slice_, one, findings[one.id]) for one in plan.criteria)
    setting = Setting(
        slice_, facts, findings, outcomes, threats, systems, fixing, decision, exploratory
    )
    return ClaimVerdict(
        id=plan.id,
        kind=plan.kind,
        reach=plan.reach,
        verdict=decision.verdict,
        reasons=_reasons(decision, outcomes, fixing),
        narrowed_to=_narrowed_to(decision, subset),
        criteria=outcomes,
        subset_criteria=twin_outcomes(slice_, plan, findings),
        threats=threats,
        caveats=tuple(_caveats(decision, plan, findings, threats)),
        not_assessed=not_assessed(threats, plan.not_planned),
        would_change=would_change(setting),
        timing=fixing.timing,
        configuration=worst(systems),
    )


def _facts(
    slice_: ArgumentSlice,
    plan: ClaimPlan,
    results: Sequence[Result],
    accounting: Sequence[Accounting],
) -> Facts:
    for account in accounting:
        if account.source == plan.source:
            names = frozenset(one.analysis for one in results if one.source in (None, plan.source))
            return Facts(plan, account, slice_.weights, names)
    raise Contradiction(f"no accounting of the source {plan.source!r} of claim {plan.id!r}")


def _threats(slice_: ArgumentSlice, facts: Facts, results: Sequence[Result]) -> tuple[Threat, ...]:
    """Author's first, then what analyses raised or closed, then the rest of the fixed list."""
    plan = facts.claim
    declared = tuple(author_threat(one, plan) for one in slice_.claims[plan.id].threats)
    raised = raised_threats(results, plan)
    fixed = fixed_threats(facts, frozenset(one.code for one in raised))
    return declared + raised + fixed


def build_case(
    plan: ClaimPlan,
    findings: Findings,
    threats: Sequence[Threat],
    subset: Subset | None,
    facts: Facts,
    systems: Sequence[SystemStatus],
    fixing: Fixing,
    exploratory: bool,
) -> case.Case:
    """Gather everything that a claim's verdict depends on.

    Forks, revisions, replications and outcomes are not assessed by this version: they have their
    neutral value here and are printed as not assessed.
    """
    return case.Case(
        whole=case.Part(tuple(criterion_of(one, findings[one.id]) for one in plan.criteria)),
        subset=None if subset is None else subset.part,
        threats=tuple(_threat_of(one) for one in threats),
        gates=(Reason.NO_ITEMS,) if facts.accounting.items == 0 else (),
        selected=exploratory,
        reach=plan.reach,
        timing=fixing.timing,
        configuration=worst(systems),
    )


def _threat_of(threat: Threat) -> case.Threat:
    return case.Threat(
        code=threat.code,
        affects=threat.affects,
        state=threat.state,
        bounds=threat.bounds,
        condition=threat.condition,
        needed_from=threat.needed_from,
    )


# --------------------------------------------------------------------------------- what is printed


def _reasons(
    decision: case.Decision, outcomes: Sequence[CriterionOutcome], fixing: Fixing
) -> tuple[Reason, ...]:
    """The decision's reasons, then those of the criteria that are not met."""
    if decision.verdict == "supported":
        return ()
    unmet = [reason for one in outcomes if one.status != "met" for reason in one.reasons]
    reasons: list[Reason] = []
    for reason in decision.reasons:
        if reason == Reason.CRITERIA_AFTER and fixing.changed:
            reasons.append(Reason.CRITERIA_CHANGED)
        reasons.append(reason)
        if reason == Reason.SUBSET_ONLY:
            reasons += unmet  # what fails elsewhere stands before everything else
    return tuple(dict.fromkeys(reasons + unmet))


def _narrowed_to(decision: case.Decision, subset: Subset | None) -> NarrowedTo | None:
    to = decision.narrowed_to
    if to is None:
        return None
    dimension = subset.dimension if subset is not None and to.scope else None
    return NarrowedTo(
        reach=to.reach,
        tasks=to.scope if dimension == "tasks" else None,
        variants=to.scope if dimension == "variants" else None,
        conditions=to.conditions,
    )


def _caveats(
    decision: case.Decision,
    plan: ClaimPlan,
    findings: Findings,
    threats: Sequence[Threat],
) -> Iterator[str]:
    plans = criterion_plans(plan)
    for caveat in decision.caveats:
        name = caveat.criterion.split("@")[0]
        found = findings[caveat.criterion]
        value = caveat.criterion.partition("=")[2]
        where = place(plans[name]) + (f" ({value})" if value else "")
        if caveat.loss is None or not isinstance(found, Estimate):
            yield f"Harm in {where} could not be estimated: it is not excluded."
        elif caveat.loss > 0:
            yield f"A loss of up to {amount(caveat.loss, found.unit)} in {where} is not excluded."
    if decision.verdict == "not_supported":
        for cap in decision.caps:
            yield _reservation(cap)
    if decision.verdict in ("supported", "narrowed"):
        conditions = {cap.text for cap in decision.caps}
        withstood = [one for one in threats if one.condition not in conditions]
        yield from _withstood(findings, withstood)


def _reservation(cap: case.Ground) -> str:
    if cap.to is None:
        return f"That it is not supported holds only if {cap.text}."
    return f"This speaks for reach {cap.to} only; beyond it, only if {cap.text}."


def _withstood(findings: Findings, threats: Sequence[Threat]) -> Iterator[str]:
    """Bounded threats that move an estimate, with the largest size against the claim."""
    for threat in threats:
        if threat.affects != "estimate" or threat.state != "bounded":
            continue
        for name, (low, _) in threat.bounds.items():
            found = findings.by_request.get(name)
            if low < 0 and "@" not in name and isinstance(found, Estimate):
                text = threat.text.rstrip(".")
                yield f"{text}: up to {amount(low, found.unit)} against {name}, allowed for."
                break
