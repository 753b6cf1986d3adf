"""Amounts inside the assessment's plain sentences; pages round their own numbers."""

from __future__ import annotations

import math

from audit.spec.plan import CriterionPlan


def amount(value: float, unit: str | None, *, up: bool = True) -> str:
    """Write the size of a difference with its unit, rounded up (losses) or down (room left)."""
    if unit in ("share", "percent"):
        points = abs(value) * (100 if unit == "share" else 1)
        return f"{_rounded(points, 1, up)} points"
    if unit == "place":
        places = _rounded(abs(value), 0, up)
        return f"{places} place" if places == "1" else f"{places} places"
    text = _rounded(abs(value), 3, up)
    return f"{text} {unit}" if unit else text


def _rounded(value: float, decimals: int, up: bool) -> str:
    scale = 10.0**decimals
    # a hair of slack, so that the noise of binary fractions adds no digit
    near = math.ceil(value * scale - 1e-9) if up else math.floor(value * scale + 1e-9)
    return f"{near / scale:.{decimals}f}"


def place(plan: CriterionPlan) -> str:
    """Where a criterion looks: its task, or the claim's whole scope."""
    return f"task {plan.task}" if plan.task is not None else "the claim's whole scope"


def several(number: int, thing: str) -> str:
    """`1 item`, `2 items`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def listed(names: tuple[str, ...] | list[str], most: int = 6) -> str:
    """Names as a phrase, cut after a few."""
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
