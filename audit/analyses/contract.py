"""What an analysis says, and the only ways in which it reaches a verdict: estimates and threats."""

from __future__ import annotations

from typing import Any, Literal

from audit.errors import Reason
from audit.io import Frozen


class ErrorBounds(Frozen):
    """Bounds of an estimate at a one-sided error: P(true < lower) <= error, and so for upper."""

    error: float
    lower: float
    upper: float


class Estimate(Frozen):
    """A number with its bounds, in the measure's natural orientation (see `Request`).

    With responses missing, `identified` is the interval of values that the missing ones allow, and
    `bounds` already contain it (errata section 7): they enter once, never also as a threat.
    """

    request: str
    """Request id."""
    criterion: str
    value: float
    """With missing cells: the estimate on the cells present in all compared systems."""
    identified: tuple[float, float]
    """(value, value) when nothing is missing."""
    bounds: tuple[ErrorBounds, ...]
    bounds_if_low: tuple[ErrorBounds, ...] = ()
    """As if all missing responses were the worst for the estimate; empty when none is missing."""
    bounds_if_high: tuple[ErrorBounds, ...] = ()
    standard_error: float
    df: float | None
    method: str
    """Short name of the interval's method, for the annex: `tango`, `cr2+2`, `mover(tango)`, …"""
    items: int
    clusters: int
    missing_items: int
    """Items on which a compared system lacks a response: none usable, or fewer attempts."""
    unit: str
    """`share`, `percent`, the metric's id, a consequence unit per task, or `place`."""
    inference_population: str
    """What is random: `items like these; systems, variants and weights fixed`, and so on."""
    detectable_difference: float | None
    """(t_(1-a,df) + t_(.80,df)) SE at the first error asked for; None where it has no sense."""


class NotEstimable(Frozen):
    """Why a requested number cannot be had; never NaN, 0 or an interval of no width."""

    request: str
    criterion: str
    reason: Reason
    detail: str
    """One plain sentence with the counts that matter."""


class Threat(Frozen):
    """What could defeat a claim, whether it was looked at, and how far it can move estimates."""

    code: str
    """A Reason value or an analysis' own word from the fixed list of its kind."""
    claims: tuple[str, ...]
    affects: Literal["estimate", "validity"]
    state: Literal["closed", "bounded", "open", "not_assessed"]
    bounds: dict[str, tuple[float, float]] = {}
    """{criterion or request id: (low <= 0, high >= 0)}, oriented (larger supports the claim)."""
    condition: str | None = None
    """The condition under which a bounded threat is absent, as a phrase after "if"."""
    needed_from: Literal["test", "work", "deployment"] | None = None
    text: str
    """One plain sentence for the page."""


class Assumption(Frozen):
    """An assumption, whether it was checked, and whether it held."""

    text: str
    checked: bool
    held: bool | None


class Provenance(Frozen):
    """Where a result comes from."""

    program: str
    inputs: dict[str, str]
    """{role: digest}."""
    seed: int | None = None


class Table(Frozen):
    """A table for the annex; numbers stay numbers, wording and rounding are the report's."""

    id: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | int | bool | None, ...], ...]
    note: str = ""


class Result(Frozen):
    """What one analysis found (`analyses/<name>[.<source>].json`)."""

    schema_name: Literal["claimscope/result/1"] = "claimscope/result/1"
    analysis: str
    source: str | None
    provenance: Provenance
    estimates: tuple[Estimate, ...] = ()
    not_estimable: tuple[NotEstimable, ...] = ()
    threats: tuple[Threat, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    diagnostics: dict[str, Any] = {}
    """JSON values by name; what each analysis puts here is documented in its module."""
    tables: tuple[Table, ...] = ()
    limits: tuple[str, ...] = ()
    """Plain sentences: what this result does not say."""
