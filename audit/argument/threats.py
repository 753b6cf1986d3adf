"""The fixed list of threats by kind of claim, merged with the author's and the analyses'.

Whatever the author wrote, each entry is looked for: an analysis raised or closed it, facts of the
intake close it, or it stands as not assessed and is printed. Only what could move an estimate and
has an analysis that must have looked at it counts against a claim (`affects="estimate"` with
`needed_from`); what no analysis of this version looks at is a threat to validity and is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from audit.analyses.contract import Result, Threat
from audit.argument.amounts import listed
from audit.errors import Reason
from audit.responses.accounting import Accounting
from audit.spec.plan import ArgumentThreat, ClaimPlan, TaskWeight

Kind = Literal["performance", "comparison", "ranking"]
Reach = Literal["test", "work", "deployment"]
ALL_KINDS: tuple[Kind, ...] = ("performance", "comparison", "ranking")
PAIRED: tuple[Kind, ...] = ("comparison", "ranking")
DECLARED = "declared"
"""Code of a threat in the author's words."""


@dataclass(frozen=True)
class Facts:
    """What intake and the plan know about a claim's evidence."""

    claim: ClaimPlan
    accounting: Accounting
    weights: tuple[TaskWeight, ...]
    analyses: frozenset[str]
    """Names of the analyses that have a result."""

    @property
    def uncovered(self) -> tuple[str, ...]:
        """Weighted tasks of the claim's scope without items."""
        scope = self.claim.tasks or tuple(one.task for one in self.weights)
        items = self.accounting.items_by_task
        return tuple(
            one.task
            for one in self.weights
            if one.task in scope and one.share > 0 and not items.get(one.task)
        )

    @property
    def unknown_units(self) -> tuple[str, ...]:
        """Metrics of the claim's criteria whose unit intake does not state."""
        used = dict.fromkeys(criterion.metric for criterion in self.claim.criteria)
        return tuple(metric for metric in used if metric not in self.accounting.unit)

    @property
    def single_attempts(self) -> bool:
        """Whether some system of the claim was run once only on some item."""
        return any(
            one.attempts[0] < 2
            for one in self.accounting.systems
            if one.system in self.claim.systems
        )


@dataclass(frozen=True)
class Listed:
    """One entry of the fixed list."""

    code: str
    kinds: tuple[Kind, ...]
    affects: Literal["estimate", "validity"]
    needed_from: Reach | None
    looked_at_by: str | None
    """The step whose silence, with the facts, closes it; None: only a result can, if any looks."""
    short: str
    """For the list of what was not assessed."""
    text: str
    """The page's sentence when it was not assessed."""
    closed_text: str = ""
    is_closed: Callable[[Facts], bool] = lambda facts: False


FIXED: tuple[Listed, ...] = (
    Listed(
        "task_uncovered",
        ALL_KINDS,
        "estimate",
        "work",
        "workload, comparison",
        "tasks of the work without items",
        "Tasks of the declared work have no items, and nothing bounds what they would show.",
        "Every weighted task in scope has items.",
        lambda facts: not facts.uncovered,
    ),
    Listed(
        "missing_responses",
        ALL_KINDS,
        "estimate",
        "test",
        "workload, comparison",
        "missing responses",
        "What the missing responses would show is not bounded.",
        "Missing responses stand inside the bounds, in both directions.",
        lambda facts: bool(facts.analyses & {"workload", "comparison"}),
    ),
    Listed(
        "units_unknown",
        ALL_KINDS,
        "estimate",
        "test",
        "intake",
        "units of the scores",
        "The unit of a metric that a criterion uses is not known.",
        "The scores of each metric are in one unit and inside its range.",
        lambda facts: not facts.unknown_units,
    ),
    Listed(
        "keys_repeated",
        ALL_KINDS,
        "estimate",
        "test",
        "intake",
        "repeated rows",
        "Whether rows are repeated is not known.",
        "Rows of one key were refused, or taken as the study declares.",
        lambda facts: bool(facts.accounting.files),
    ),
    Listed(
        "setting_mixed",
        PAIRED,
        "estimate",
        "work",
        "configuration",
        "equal settings",
        "Whether systems in default and in tuned settings are set against each other is not known.",
        "No default setting is compared with a tuned one of another product.",
        lambda facts: "configuration" in facts.analyses,
    ),
    Listed(
        "aggregate_contradicts",
        ALL_KINDS,
        "validity",
        None,
        None,
        "published figures",
        "No published figures were at hand to hold the items against.",
    ),
    Listed(
        "configuration_mixed",
        ALL_KINDS,
        "validity",
        None,
        None,
        "the configuration of each run",
        "The files do not say in which configuration the systems were run.",
    ),
    Listed(
        "item_changed",
        ALL_KINDS,
        "validity",
        None,
        None,
        "whether an id means one item throughout",
        "Whether an id stands for one item in all files was not checked: not every row has a "
        "digest of what was asked.",
    ),
    Listed(
        "samples_missing",
        ALL_KINDS,
        "validity",
        None,
        None,
        "answers that the files leave out",
        "No log says how many answers were given: whether the files leave some out is not known.",
    ),
    Listed(
        "item_dependence",
        ALL_KINDS,
        "validity",
        None,
        "intake",
        "whether items depend on each other",
        "Items count as independent, since no clusters were declared: items that share a passage "
        "or a template would make the intervals wider.",
        "Items that belong together count as clusters.",
        lambda facts: facts.accounting.clustered,
    ),
    Listed(
        "single_attempt",
        ALL_KINDS,
        "validity",
        None,
        "intake",
        "repeated runs",
        "Some items were run once only: how far a second run would differ is not separable from "
        "the differences between items.",
        "Each item was run at least twice.",
        lambda facts: not facts.single_attempts,
    ),
    Listed(
        "weights_judged",
        ALL_KINDS,
        "validity",
        "work",
        "workload",
        "other task weights",
        "The task weights are judged, not counted: the verdict holds for these weights.",
        "No weight is judged: weights are counted, with their sampling error in the interval, or "
        "there is only one task.",
        lambda facts: len(facts.weights) < 2 or all(one.count is not None for one in facts.weights),
    ),
    Listed(
        "contamination",
        ALL_KINDS,
        "validity",
        None,
        None,
        "whether items were seen in training",
        "Whether a system met these items in training was not assessed.",
    ),
    Listed(
        "label_errors",
        ALL_KINDS,
        "validity",
        None,
        None,
        "errors in the reference answers",
        "Errors in the reference answers were not assessed.",
    ),
    Listed(
        "metrics",
        ALL_KINDS,
        "validity",
        None,
        None,
        "other scoring rules",
        "Whether another scoring rule or another judge would decide otherwise was not assessed.",
    ),
    Listed(
        "framing",
        ALL_KINDS,
        "validity",
        None,
        None,
        "wording and format",
        "Other wordings and answer forms than those of the claim were not assessed.",
    ),
    Listed(
        "mismatch",
        ALL_KINDS,
        "validity",
        None,
        None,
        "fit of the difficulties to the work",
        "Whether the items are as hard as the work was not assessed.",
    ),
    Listed(
        "multiverse",
        ALL_KINDS,
        "validity",
        None,
        None,
        "other reasonable choices",
        "Whether other reasonable choices of analysis would decide otherwise was not assessed.",
    ),
    Listed(
        "replication",
        ALL_KINDS,
        "validity",
        None,
        None,
        "replication with other systems or logs",
        "Nobody has repeated this with other logs.",
    ),
    Listed(
        "deployment",
        ALL_KINDS,
        "validity",
        "deployment",
        None,
        "outcomes in use",
        "Outcomes in use were not assessed.",
    ),
)


def fixed_threats(facts: Facts, raised: frozenset[str]) -> tuple[Threat, ...]:
    """Give the entries of the fixed list that no analysis raised, closed by facts or not assessed.

    Parameters
    ----------
    facts : what intake and the plan know about the claim's evidence
    raised : codes that analyses raised or closed for this claim
    """
    return tuple(
        _entry(entry, facts)
        for entry in FIXED
        if facts.claim.kind in entry.kinds and entry.code not in raised
    )


def _entry(entry: Listed, facts: Facts) -> Threat:
    closed = entry.is_closed(facts)
    text = entry.closed_text if closed else entry.text
    if entry.code == "task_uncovered" and not closed:
        text = f"{entry.text} Without items: {listed(facts.uncovered)}."
    return Threat(
        code=entry.code,
        claims=(facts.claim.id,),
        affects=entry.affects,
        state="closed" if closed else "not_assessed",
        condition=None if closed else _CONDITIONS.get(entry.code),
        needed_from=entry.needed_from,
        text=text,
    )


_CONDITIONS = {
    "task_uncovered": "only the tasks that have items are meant",
    "setting_mixed": "the systems are compared in equal settings",
}


def author_threat(threat: ArgumentThreat, claim: ClaimPlan) -> Threat:
    """Give a declared threat; one that moves the estimate is open unless the author bounds it.

    Its bound holds for each primary criterion, in the criterion's unit, oriented: negative numbers
    speak against the claim. A bound that leaves zero out is stretched to it.
    """
    bounds: dict[str, tuple[float, float]] = {}
    state: Literal["not_assessed", "bounded", "open"] = "not_assessed"
    if threat.affects == "estimate":
        state = "open" if threat.bound is None else "bounded"
    if threat.affects == "estimate" and threat.bound is not None:
        primary = [c.id for c in claim.criteria if c.role == "primary"]
        bounds = dict.fromkeys(primary, straddling(threat.bound))
    return Threat(
        code=DECLARED,
        claims=(claim.id,),
        affects=threat.affects,
        state=state,
        bounds=bounds,
        condition=threat.condition or None,
        text=threat.what,
    )


def straddling(bound: tuple[float, float]) -> tuple[float, float]:
    """Stretch a bound so that it contains zero."""
    return min(bound[0], bound[1], 0.0), max(bound[0], bound[1], 0.0)


_BY_CONFIGURATION = (Reason.CONFIGURATION_DIFFERS, Reason.DEPLOYMENT_UNDECLARED)
"""The verdict reads these from the systems' statuses; as threats they are printed only."""


def raised_threats(results: Sequence[Result], claim: ClaimPlan) -> tuple[Threat, ...]:
    """Give what the analyses raised or closed for a claim, in the order of the results.

    A bound on a criterion of the whole that names tasks without items does not touch the twin of a
    task that has them: there it is zero, which is said, so that narrowing can drop such tasks.
    """
    found: list[Threat] = []
    for result in results:
        for threat in result.threats:
            if claim.id in threat.claims:
                found.append(_with_twins(threat, claim))
    return tuple(found)


def _with_twins(threat: Threat, claim: ClaimPlan) -> Threat:
    bounds = {name: straddling(bound) for name, bound in threat.bounds.items()}
    if threat.code in _BY_CONFIGURATION:
        return threat.model_copy(update={"affects": "validity", "bounds": {}})
    if threat.code == "task_uncovered":
        for criterion in claim.criteria:
            if criterion.id in bounds:
                for twin in criterion.twins:
                    if "@tasks=" in twin:
                        bounds.setdefault(twin, (0.0, 0.0))
    return threat.model_copy(update={"bounds": bounds})


def not_assessed(threats: Sequence[Threat], not_planned: Sequence[str]) -> tuple[str, ...]:
    """Name what nobody looked at: the plan's words first, then entries of the fixed list."""
    short = {entry.code: entry.short for entry in FIXED}
    names = list(not_planned)
    for threat in threats:
        seen = threat.code in names or threat.code == DECLARED
        if threat.state == "not_assessed" and not seen:
            names.append(short.get(threat.code, threat.code.replace("_", " ")))
    return tuple(dict.fromkeys(names))
