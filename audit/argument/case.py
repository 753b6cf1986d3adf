"""What a verdict depends on, and what it says: frozen values without any rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from audit.errors import Reason

Word = Literal["supported", "narrowed", "not_supported", "insufficient_evidence"]
Status = Literal["met", "failed", "undetermined"]
Reach = Literal["test", "work", "deployment"]
Multiverse = Literal["not_applicable", "stable", "conditional", "unstable"]

REACHES: tuple[Reach, ...] = ("test", "work", "deployment")


def absent(bound: float | None) -> bool:
    """Whether a bound is None or NaN."""
    return bound is None or bound != bound


@dataclass(frozen=True, slots=True)
class Criterion:
    """One bar and the interval held against it, oriented so that larger supports the claim.

    `lower`, `upper` are bounds at the one-sided error a of the bar; `lower_adjusted`,
    `upper_adjusted` at a/k for a claim of k criteria, and contain them. None or NaN: there is no
    number (`gone`), for the reason `why_gone`. `whole` is the criterion's id in the whole claim:
    its own id, except for a twin evaluated on part of the scope.
    """

    id: str
    whole: str
    role: Literal["primary", "guard"]
    form: Literal["above", "within", "outside"]
    margin: float
    lower: float | None
    upper: float | None
    lower_adjusted: float | None
    upper_adjusted: float | None
    policy: Literal["show", "block"] = "show"
    severe: bool = False
    why_gone: Reason = Reason.TOO_FEW_ITEMS

    @property
    def gone(self) -> bool:
        """Whether there is no interval."""
        return absent(self.lower) or absent(self.upper)

    @property
    def blocks(self) -> bool:
        """Whether it is a guard that stops the claim only if harm is shown."""
        return self.role == "guard" and self.policy == "block"


@dataclass(frozen=True, slots=True)
class Threat:
    """What could defeat the claim; `bounds` are {criterion id: (low <= 0, high >= 0)}, oriented."""

    code: str
    affects: Literal["estimate", "validity"]
    state: Literal["closed", "bounded", "open", "not_assessed"]
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    condition: str | None = None
    needed_from: Reach | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Criteria on the whole scope (`scope` empty), or on the part of it that `scope` names."""

    criteria: tuple[Criterion, ...]
    multiverse: Multiverse = "not_applicable"
    scope: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """Everything that a verdict depends on; what nobody assessed has its neutral value.

    `revision` is `matches_target` when the claim's own source is the one that matches the work.
    `caps` are further grounds for caution that keep the reach; `independent` says that deployment
    outcomes were chosen blind to the scores.
    """

    whole: Part
    subset: Part | None = None
    threats: tuple[Threat, ...] = ()
    gates: tuple[Reason, ...] = ()
    caps: tuple[Reason, ...] = ()
    selected: bool = False
    reach: Reach = "test"
    timing: Literal["verified", "stated", "after"] = "after"
    configuration: Literal["same", "bridged", "differs", "unknown"] = "unknown"
    revision: Literal["none", "agree", "matches_target", "unresolved"] = "none"
    replication: Literal[
        "not_done", "replicated", "not_informative", "partial", "cause_known", "cause_unknown"
    ] = "not_done"
    deployment: Literal["none", "undetermined", "concordant", "discordant"] = "none"
    independent: bool = False


@dataclass(frozen=True, slots=True)
class Ground:
    """Why a verdict is less than `supported`.

    `text` is a phrase after "if". A cap with `to` lowers the reach: beyond it, its text would
    have to hold. One without keeps the reach, and its text is a condition of the verdict.
    """

    reason: Reason
    text: str
    to: Reach | None = None


@dataclass(frozen=True, slots=True)
class Caveat:
    """A block guard without shown harm: the loss not excluded; None when it has no interval."""

    criterion: str
    loss: float | None


@dataclass(frozen=True, slots=True)
class Narrowing:
    """What a narrowed verdict still covers; an empty scope is the claim's own."""

    reach: Reach
    scope: tuple[str, ...]
    conditions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, why, and how far it goes (`reach`: the farthest that it speaks for)."""

    verdict: Word
    reach: Reach
    reasons: tuple[Reason, ...] = ()
    narrowed_to: Narrowing | None = None
    caps: tuple[Ground, ...] = ()
    """Caps of a narrowed verdict, or those printed beside `not_supported`."""
    defects: tuple[Ground, ...] = ()
    """What stands in the way of a positive or negative verdict."""
    caveats: tuple[Caveat, ...] = ()
