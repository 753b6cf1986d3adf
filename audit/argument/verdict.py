"""The verdict: one pure function from criteria, threats and context to a word with its grounds.

The rules are Claimscope's own (its methods, section 12 of the errata); `tests/argument/literal.py`
holds a second transcription of them and random inputs hold the two together. Exceptions to "worse
evidence never strengthens", all meant: block guards and deployment intervals (widening them undoes
a shown harm), outcomes found to be blind, a claim narrowed to a subset that becomes not_supported,
and a threat that goes from not_assessed to bounded, which is evidence gained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from audit.argument.case import (
    REACHES,
    Case,
    Caveat,
    Criterion,
    Decision,
    Ground,
    Narrowing,
    Part,
    Reach,
    Status,
    Threat,
)
from audit.errors import Reason

T = TypeVar("T")
_RANK: dict[str, int] = {reach: rank for rank, reach in enumerate(REACHES)}
_REASONS: dict[str, Reason] = {reason.value: reason for reason in Reason}

# ---------------------------------------------------------------------------------- one criterion


def judge(
    criterion: Criterion, lower: float | None, upper: float | None, low: float, high: float
) -> Status:
    """Hold one interval, moved by the threats' bounds, against the bar."""
    if lower is None or upper is None or lower != lower or upper != upper:
        return "undetermined"
    lower, upper, m = lower + low, upper + high, criterion.margin
    if criterion.form == "above":
        return "met" if lower > m else "failed" if upper < m else "undetermined"
    inside = -m < lower and upper < m
    outside = lower > m or upper < -m
    met, failed = (inside, outside) if criterion.form == "within" else (outside, inside)
    return "met" if met else "failed" if failed else "undetermined"


def status(criterion: Criterion, threats: Sequence[Threat]) -> Status:
    """Judge a criterion under some threats: failed only at a/k, a block guard only by harm."""
    low, high = 0.0, 0.0
    for threat in threats:
        bound = threat.bounds.get(criterion.id, (0.0, 0.0))
        low, high = low + bound[0], high + bound[1]
    first = judge(criterion, criterion.lower, criterion.upper, low, high)
    if first == "failed":
        second = judge(criterion, criterion.lower_adjusted, criterion.upper_adjusted, low, high)
        return "failed" if second == "failed" else "undetermined"
    if first == "undetermined" and criterion.blocks:
        return "met"
    return first


def overall(part: Part, threats: Sequence[Threat]) -> Status:
    """All criteria must hold: failed if any is, else undetermined if any is, else met."""
    found = {status(criterion, threats) for criterion in part.criteria}
    return "failed" if "failed" in found else "undetermined" if "undetermined" in found else "met"


def unfit(part: Part) -> tuple[Reason, ...]:
    """Why a part cannot be judged at all: no primary criterion, or a severe guard is gone."""
    reasons = [c.why_gone for c in part.criteria if c.role == "guard" and c.severe and c.gone]
    if not any(c.role == "primary" for c in part.criteria):
        reasons.append(Reason.SPEC_INCOMPLETE)
    return tuple(reasons)


# --------------------------------------------------------------------------------------- grounds

_CONFIGURATION = {
    "differs": Ground(
        Reason.CONFIGURATION_DIFFERS,
        "what differs between the tested and the deployed configuration does not matter",
        "test",
    ),
    "unknown": Ground(
        Reason.DEPLOYMENT_UNDECLARED, "the systems are deployed in the configuration tested", "test"
    ),
}
_REVISION = {
    "unresolved": Ground(
        Reason.REVISION_UNRESOLVED, "the editions of the test, which disagree, are reconciled"
    ),
    "matches_target": Ground(
        Reason.REVISION_DIFFERS, "the edition used here stands for the work, not the other one"
    ),
}
_REPLICATION = {
    "partial": Ground(
        Reason.REPLICATION_CONTRADICTS, "the systems and items are those of this source"
    ),
    "cause_known": Ground(
        Reason.REPLICATION_CONTRADICTS, "the cause found for the other result is absent"
    ),
    "cause_unknown": Ground(
        Reason.REPLICATION_CONTRADICTS, "the contrary result of the replication is explained"
    ),
}
_AFTER = Ground(
    Reason.CRITERIA_AFTER, "the criteria would have been the same before the scores were seen"
)
_SELECTED = Ground(Reason.EXPLORATORY, "fresh data confirm what was found by looking at these")
_FORKS = Ground(Reason.FORK_FLIPS, "the choices on which the result depends are made as here")
_NO_OUTCOMES = Ground(
    Reason.OUTCOMES_MISSING, "real outcomes agree with what was measured before use", "work"
)
_NOT_BLIND = Ground(
    Reason.OUTCOMES_NOT_BLIND, "outcomes chosen without sight of the scores agree", "work"
)
_DISCORDANT = Ground(
    Reason.DEPLOYMENT_DISCORDANT, "the disagreement with the real outcomes is explained"
)
_PART_OUTCOMES = Ground(Reason.OUTCOMES_MISSING, "the outcomes hold for this part alone", "work")
_CAP_TEXTS = {
    Reason.AGGREGATES_ONLY: "the published averages are right, as no single responses were given"
}


def reason_of(threat: Threat, otherwise: Reason) -> Reason:
    """Give the threat's own code where it is a reason, else the general one."""
    return _REASONS.get(threat.code, otherwise)


def _phrase(threat: Threat) -> str:
    return threat.condition or f"{threat.code.replace('_', ' ')} plays no part"


def _threat_grounds(x: Case) -> tuple[list[Ground], list[Ground]]:
    """Sort open and unassessed threats to estimates into (bad, cap)."""
    bad: list[Ground] = []
    cap: list[Ground] = []
    for threat in x.threats:
        if threat.affects != "estimate":
            continue
        ground = Ground(reason_of(threat, Reason.THREAT_OPEN), _phrase(threat))
        needed = _RANK[threat.needed_from] if threat.needed_from is not None else len(REACHES)
        unseen = threat.state == "not_assessed" and needed <= _RANK[x.reach]
        if threat.state == "open" or (unseen and needed == 0):
            bad.append(ground)
        elif unseen:
            cap.append(Ground(ground.reason, ground.text, REACHES[needed - 1]))
    return bad, cap


def _common_grounds(x: Case) -> tuple[list[Ground], list[Ground]]:
    """(bad, cap) that hold for the whole and for every part; a cap without `to` keeps the reach."""
    bad, cap = _threat_grounds(x)
    if x.revision in _REVISION:
        (bad if x.revision == "unresolved" else cap).append(_REVISION[x.revision])
    if x.replication in _REPLICATION:
        (bad if x.replication == "cause_unknown" else cap).append(_REPLICATION[x.replication])
    if x.reach == "deployment" and not (x.deployment == "concordant" and x.independent):
        known = x.deployment in ("concordant", "discordant")
        cap.append(_NOT_BLIND if known else _NO_OUTCOMES)
    if x.reach != "test" and x.configuration in _CONFIGURATION:
        cap.append(_CONFIGURATION[x.configuration])
    if x.timing == "after":
        cap.append(_AFTER)
    if x.selected:
        cap.append(_SELECTED)
    for code in x.caps:
        cap.append(Ground(code, _CAP_TEXTS.get(code, code.value.replace("_", " "))))
    return bad, cap


def _moves(threat: Threat, criterion_id: str) -> bool:
    return any(threat.bounds.get(criterion_id, (0.0, 0.0)))


def _unbounded_on(part: Part, full: Sequence[Threat]) -> Iterator[Threat]:
    """Threats bounded for a criterion of the whole but not for its twin on the part."""
    for threat in full:
        if any(_moves(threat, c.whole) and c.id not in threat.bounds for c in part.criteria):
            yield threat


def _touching(part: Part, threats: Sequence[Threat], was: Status) -> Iterator[Threat]:
    """Threats that move a criterion which was met (or failed) and under all of them is not."""
    lost = [c.id for c in part.criteria if status(c, ()) == was and status(c, threats) != was]
    for threat in threats:
        if any(_moves(threat, criterion) for criterion in lost):
            yield threat


def _bound_grounds(part: Part, full: Sequence[Threat]) -> tuple[list[Ground], list[Ground]]:
    """(bad, cap) of bounded threats: bad if those without a condition undo it, else a cap."""
    hard = [threat for threat in full if threat.condition is None]
    if overall(part, hard) != "met":
        return [_crossed(threat) for threat in _touching(part, hard, "met")], []
    if overall(part, full) != "met":
        touching = _touching(part, full, "met")
        return [], [_crossed(threat) for threat in touching if threat.condition is not None]
    return [], []


def _crossed(threat: Threat) -> Ground:
    return Ground(reason_of(threat, Reason.THREAT_BOUND_CROSSES), _phrase(threat))


def _part_grounds(x: Case, part: Part, full: Sequence[Threat]) -> tuple[list[Ground], list[Ground]]:
    """(bad, cap) that hold for this part only."""
    bad: list[Ground] = []
    cap: list[Ground] = []
    subset = part is not x.whole
    if x.reach == "deployment" and x.deployment == "discordant":
        bad.append(_DISCORDANT)
    if x.reach == "deployment" and subset:
        cap.append(_PART_OUTCOMES)
    if part.multiverse in ("unstable", "conditional"):
        (bad if part.multiverse == "unstable" else cap).append(_FORKS)
    gone = next((c for c in part.criteria if c.blocks and c.gone), None)
    if x.reach != "test" and gone is not None:
        text = f"the limit {gone.id}, which could not be estimated, is kept"
        cap.append(Ground(gone.why_gone, text, "test"))
    if subset:
        bad += [_crossed(threat) for threat in _unbounded_on(part, full)]
    more_bad, more_cap = _bound_grounds(part, full)
    return bad + more_bad, cap + more_cap


# --------------------------------------------------------------------------------------- verdict


def decide(x: Case) -> Decision:
    """Give the one verdict that the case entitles to; pure and total.

    Parameters
    ----------
    x : everything the verdict depends on; bounds and threats are oriented and by criterion

    Returns
    -------
    Exactly one verdict. `narrowed` always names something: a shorter reach, a scope or a condition.
    """
    lacking = x.gates + unfit(x.whole)
    if lacking:
        return Decision("insufficient_evidence", x.reach, _unique(lacking))
    if x.reach == "deployment" and x.deployment == "discordant" and x.independent:
        return Decision("not_supported", x.reach, (Reason.DEPLOYMENT_DISCORDANT,))
    full = [t for t in x.threats if t.affects == "estimate" and t.state == "bounded"]
    bad, cap = _common_grounds(x)
    defects = list(bad)
    for part in (x.whole, x.subset):
        if part is None or unfit(part) or overall(part, ()) != "met":
            continue
        own_bad, own_cap = _part_grounds(x, part, full)
        if not bad and not own_bad:
            return _positive(x, part, cap + own_cap)
        defects += own_bad
    outcome = overall(x.whole, ())
    if outcome != "failed":
        return _insufficient(x, defects, outcome)
    doubts = bad + _doubts(x, full)
    if doubts:
        return _insufficient(x, doubts, outcome)
    return Decision("not_supported", _lowest(x, cap), _failures(x.whole), caps=_unique(cap))


def _doubts(x: Case, full: Sequence[Threat]) -> list[Ground]:
    """What could reverse a failed bar, mirror of what undoes a met one."""
    found: list[Ground] = []
    if x.whole.multiverse in ("conditional", "unstable"):
        found.append(_FORKS)
    if overall(x.whole, full) != "failed":
        found += [_crossed(threat) for threat in _touching(x.whole, full, "failed")]
    if x.reach == "deployment" and x.deployment == "concordant" and x.independent:
        found.append(_DISCORDANT)
    return found


def _positive(x: Case, part: Part, cap: Sequence[Ground]) -> Decision:
    caveats = tuple(_caveats(part))
    if part is x.whole and not cap:
        return Decision("supported", x.reach, caveats=caveats)
    reach = _lowest(x, cap)
    reasons = [ground.reason for ground in cap]
    if part is not x.whole:
        reasons.insert(0, Reason.SUBSET_ONLY)
    # a shorter reach says all by itself; the other caps print their condition
    conditions = _unique(ground.text for ground in cap if ground.to is None)
    return Decision(
        "narrowed",
        reach,
        _unique(reasons),
        Narrowing(reach, part.scope, conditions),
        caps=_unique(cap),
        caveats=caveats,
    )


def _insufficient(x: Case, defects: Sequence[Ground], outcome: Status) -> Decision:
    reasons = [ground.reason for ground in defects]
    if outcome == "undetermined":
        open_ones = [c for c in x.whole.criteria if status(c, ()) == "undetermined"]
        reasons += [c.why_gone if c.gone else Reason.MARGIN_CROSSED for c in open_ones]
    return Decision("insufficient_evidence", x.reach, _unique(reasons), defects=_unique(defects))


def _failures(part: Part) -> tuple[Reason, ...]:
    failed = [c for c in part.criteria if status(c, ()) == "failed"]
    severe = any(c.severe and c.role == "guard" for c in failed)
    return (Reason.BAR_FAILED, Reason.SEVERE_REGRESSION) if severe else (Reason.BAR_FAILED,)


def _caveats(part: Part) -> Iterator[Caveat]:
    for c in part.criteria:
        if c.blocks and judge(c, c.lower, c.upper, 0.0, 0.0) == "undetermined":
            yield Caveat(c.id, None if c.gone or c.lower is None else max(0.0, -c.lower))


def _lowest(x: Case, cap: Iterable[Ground]) -> Reach:
    named = [ground.to for ground in cap if ground.to is not None]
    return min([x.reach, *named], key=_RANK.__getitem__)


def _unique(values: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(values))
