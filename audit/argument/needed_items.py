"""How many further items it would take: planning statements, never the chance of what was found."""

from __future__ import annotations

import math

from audit.analyses.contract import Estimate
from audit.argument.case import Criterion
from audit.argument.criteria import difference_that_matters
from audit.spec.plan import ArgumentSlice, CriterionPlan

CLEAR = 0.5
"""Standard errors from the bar below which no number is given for an estimate that stays."""
MOST_ITEMS = 10_000_000


def items_to_detect(slice_: ArgumentSlice, plan: CriterionPlan, found: Estimate) -> int | None:
    """Further items until the detectable difference is the one that matters; None if it is.

    The detectable difference falls with the root of the number of items: n (MDE / delta)^2 - n.
    """
    matters = difference_that_matters(slice_, plan)
    mde = found.detectable_difference
    if matters is None or mde is None or mde <= matters:
        return None
    return about(found.items * ((mde / matters) ** 2 - 1))


def items_if_it_stays(
    plan: CriterionPlan, criterion: Criterion, found: Estimate
) -> tuple[int, str] | None:
    """Further items until the interval would leave the bar behind at the present estimate.

    Only the sampling part of the interval shrinks, with the root of the number of items; what
    missing responses allow stays. None where the estimate is too near the bar, or where missing
    responses alone straddle it.
    """
    if plan.measure == "rank" or criterion.lower is None or criterion.upper is None:
        return None
    low, high = sorted(plan.sign * edge for edge in found.identified)
    down, up = low - criterion.lower, criterion.upper - high
    m = plan.margin
    if plan.form == "above":
        good, bad = (low - m, down), (m - high, up)
    else:
        inside = (min(low + m, m - high), max(down, up))
        outside = max((low - m, down), (-m - high, up))
        good, bad = (inside, outside) if plan.form == "within" else (outside, inside)
    for (distance, width), side in ((good, "clear the bar"), (bad, "show the bar missed")):
        if distance > CLEAR * found.standard_error and width > distance:
            return about(found.items * ((width / distance) ** 2 - 1)), side
    return None


def about(number: float) -> int:
    """Round up to two digits: these are orders of size."""
    number = min(max(number, 1.0), float(MOST_ITEMS))
    step = 10 ** max(0, math.floor(math.log10(number)) - 1)
    return int(math.ceil(number / step) * step)
