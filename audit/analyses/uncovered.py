"""Tasks of the declared work without items: how far they could move each number.

The estimate takes such a task as a difference or a loss of 0, or as the lowest score. What it may
add is a bounded threat, from reach `work` on: `+/- w0 r` for differences, `[0, w0 r]` for scores
and losses, w0 the share of the scope (times the consequence for a loss), r the width of
the metric's range (errata section 7, design section 5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from audit.analyses.contract import Threat
from audit.spec.plan import Request

CONDITION = "only the tasks that have items are meant"


@dataclass(frozen=True)
class Exposure:
    """How far tasks without items could move one request's number, in natural orientation."""

    request: Request
    tasks: tuple[str, ...]
    share: float
    low: float | None
    """None: nothing bounds it, the metric has no range."""
    high: float | None

    @property
    def oriented(self) -> tuple[float, float] | None:
        """(low <= 0, high >= 0), turned so that larger supports the claim."""
        if self.low is None or self.high is None:
            return None
        low, high = (self.low, self.high) if self.request.sign == 1 else (-self.high, -self.low)
        return min(low, 0.0) + 0.0, max(high, 0.0) + 0.0


def exposure(request: Request, tasks: Sequence[str], share: float, reach: float | None) -> Exposure:
    """How far tasks without items move a score, a loss or a difference.

    Parameters
    ----------
    tasks, share : without items, and their share of the scope
    reach : share times consequence times width of the range, summed; None without a range
    """
    low = None if reach is None else (-reach if request.over is not None else 0.0)
    return Exposure(request, tuple(tasks), share, low, reach)


def uncovered_threats(exposures: Iterable[Exposure]) -> tuple[Threat, ...]:
    """One threat per claim whose scope has tasks without items, bounded by request."""
    by_claim: dict[str, list[Exposure]] = {}
    for one in exposures:
        if one.tasks:
            by_claim.setdefault(one.request.claim, []).append(one)
    return tuple(_threat(claim, held) for claim, held in by_claim.items())


def _threat(claim: str, held: Sequence[Exposure]) -> Threat:
    tasks = list(dict.fromkeys(task for one in held for task in one.tasks))
    share = max(one.share for one in held)
    bounds = {one.request.id: one.oriented for one in held}
    known = {name: bound for name, bound in bounds.items() if bound is not None}
    complete = len(known) == len(bounds)
    verb = "has" if len(tasks) == 1 else "have"
    text = f"{', '.join(tasks)} {verb} no items, {share:.1%} of the weight"
    text += " in scope; their results could be anything." if complete else "; nothing bounds them."
    return Threat(
        code="task_uncovered",
        claims=(claim,),
        affects="estimate",
        state="bounded" if complete else "open",
        bounds=known if complete else {},
        condition=CONDITION,
        needed_from="work",
        text=text,
    )
