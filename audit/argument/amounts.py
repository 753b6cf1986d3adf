"""Amounts inside the assessment's plain sentences; pages round their own numbers."""

from __future__ import annotations

import math

from audit.spec.plan import CriterionPlan


def amount(value: float, unit: str | None) -> str:
    """Write a difference of a measure with its unit, rounded up to a digit that can be read."""
    if unit in ("share", "percent"):
        points = abs(value) * (100 if unit == "share" else 1)
        return f"{_up(points, 1)} points"
    if unit == "place":
        return f"{_up(abs(value), 0)} places"
    return f"{_up(abs(value), 3)} {unit}" if unit else _up(abs(value), 3)


def _up(value: float, decimals: int) -> str:
    scale = 10.0**decimals
    rounded = math.ceil(value * scale - 1e-9) / scale
    if value > 0 and rounded == 0:
        return f"less than {1 / scale:.{decimals}f}"
    return f"{rounded:.{decimals}f}"


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
