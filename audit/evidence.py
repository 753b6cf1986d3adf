"""The evidence bundle: all that a page may show, with provenance (`evidence.json`)."""

from __future__ import annotations

from typing import Any, Literal

from audit.analyses.contract import Result
from audit.argument.assessment import Assessment
from audit.io import Frozen
from audit.responses.accounting import Accounting
from audit.spec.plan import Plan, TaskWeight


class Remark(Frozen):
    """A warning of the check, as the page prints it."""

    path: str
    text: str


class Evidence(Frozen):
    """Everything that HTML, PDF, summary and verdicts are made from; templates see nothing else."""

    schema_name: Literal["claimscope/evidence/1"] = "claimscope/evidence/1"
    program: str
    study: dict[str, Any]
    """The validated study as declared (defaults laid in, aliases as in YAML), JSON values."""
    weights: tuple[TaskWeight, ...]
    plan: Plan
    accounting: tuple[Accounting, ...]
    results: tuple[Result, ...]
    assessment: Assessment
    remarks: tuple[Remark, ...]
    simulated: bool
    """Any source is simulated: said on every page."""
    digests: dict[str, str]
    """`spec`, `decision`, `source:<id>`, …"""
