"""`audit evidence`: all that a page may show, and the small public file of verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from audit.analyses.contract import Result
from audit.argument.assessment import Assessment
from audit.evidence import build_evidence
from audit.io import read_model, write_json
from audit.report.verdicts_json import public_verdicts
from audit.responses.accounting import Accounting
from audit.spec.plan import ArgumentSlice
from audit.steps.options import Accountings, Out, Results


def run(
    study: Annotated[Path, typer.Option(help="The validated study (slice).")],
    argument: Annotated[Path, typer.Option(help="The slice of the assessment.")],
    result: Results,
    accounting: Accountings,
    assessment: Annotated[Path, typer.Option(help="The assessment.")],
    out: Out,
    verdicts: Annotated[Path, typer.Option(help="Public verdicts to write.")],
) -> None:
    """Lay everything that a page may show into one bundle."""
    judged = read_model(argument, ArgumentSlice)
    evidence = build_evidence(
        study_slice=json.loads(study.read_bytes()),
        plan=judged.plan,
        weights=judged.weights,
        accounting=[read_model(path, Accounting) for path in accounting],
        results=[read_model(path, Result) for path in result],
        assessment=read_model(assessment, Assessment),
    )
    write_json(out, evidence)
    write_json(verdicts, public_verdicts(evidence))
