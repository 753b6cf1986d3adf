"""The contract of an assessment: verdicts with their reasons, and what would change them."""

from __future__ import annotations

from typing import Literal

from audit.analyses.contract import Threat
from audit.errors import Reason
from audit.io import Frozen

VerdictWord = Literal["supported", "narrowed", "not_supported", "insufficient_evidence"]
Timing = Literal["verified", "stated", "after"]
Answer = Literal["enough", "enough_only_for", "not_enough", "speaks_against", "none"]


class CriterionOutcome(Frozen):
    """How one criterion came out, in the measure's natural orientation."""

    id: str
    status: Literal["met", "failed", "undetermined"]
    role: Literal["primary", "guard"]
    policy: Literal["show", "block"]
    severe: bool
    bar: str
    bar_value: float
    measure: str
    metric: str
    task: str | None
    unit: str | None
    value: float | None
    lower: float | None
    """At one-sided error `error`, as the bar's bounds; None when not estimable."""
    upper: float | None
    error: float
    identified: tuple[float, float] | None
    items: int | None
    clusters: int | None
    missing_items: int | None
    detectable_difference: float | None
    reasons: tuple[Reason, ...]
    not_estimable: str | None
    """The analysis' sentence when there is no number."""
    loss_not_excluded: float | None
    """For block guards and shown losses: the largest loss (>= 0) that the bounds leave possible."""


class NarrowedTo(Frozen):
    """What a narrowed verdict still covers."""

    reach: Literal["test", "work", "deployment"]
    tasks: tuple[str, ...] | None
    """None: all of the claim's."""
    variants: tuple[str, ...] | None
    conditions: tuple[str, ...]
    """Plain phrases after "if" or "under", each from a cap or a bounded threat."""


class Change(Frozen):
    """One thing that would change a verdict, cheapest first."""

    code: str
    """`items`, `recover_rows`, `configuration`, `bridge`, `lock`, `task_items`, `repeat`, …"""
    criterion: str | None
    items: int | None
    """Further items that it takes, where that is the way."""
    text: str


class ClaimVerdict(Frozen):
    """One claim's verdict with everything that led to it."""

    id: str
    kind: str
    reach: Literal["test", "work", "deployment"]
    """The reach that the claim asked for."""
    verdict: VerdictWord
    reasons: tuple[Reason, ...]
    narrowed_to: NarrowedTo | None
    criteria: tuple[CriterionOutcome, ...]
    subset_criteria: tuple[CriterionOutcome, ...]
    """Subset twins, at simultaneous bounds."""
    threats: tuple[Threat, ...]
    """All that touched the claim: declared, and the fixed list of its kind."""
    caveats: tuple[str, ...]
    not_assessed: tuple[str, ...]
    would_change: tuple[Change, ...]
    timing: Timing
    configuration: Literal["same", "bridged", "differs", "unknown"]


class Assessment(Frozen):
    """`analyses/assessment.json`."""

    schema_name: Literal["claimscope/assessment/1"] = "claimscope/assessment/1"
    study: str
    answer: Answer
    deciding_claim: str | None
    """The claim of `rests_on` that makes the answer what it is."""
    timing: Timing
    timing_text: str
    """One sentence: when the criteria were fixed, by whom, how that is known."""
    claims: tuple[ClaimVerdict, ...]
    """In the study's order."""
