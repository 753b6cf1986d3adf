"""`audit gate`: may this decision be made on this evidence, today? The only verb with a clock."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from audit.argument.assessment import ClaimVerdict
from audit.errors import Contradiction, InputError, Issue, Reason
from audit.evidence import Evidence
from audit.layout import BROKEN
from audit.record import Record
from audit.results import first_altered, read_result, refusal

NOT_PASSED = 3
_LATE = {Reason.CRITERIA_AFTER: "criteria set after the scores",
         Reason.CRITERIA_CHANGED: "criteria changed after the scores",
         Reason.EXPLORATORY: "found by looking"}  # fmt: skip
_ANSWERS = {
    "enough": "the evidence is enough",
    "enough_only_for": "the evidence is enough only for what the narrowed claims cover",
    "not_enough": "the evidence is not enough for this decision",
    "speaks_against": "the evidence speaks against it",
    "none": "no claim is named that the decision rests on",
}


def run(
    folder: Annotated[list[Path], typer.Argument(help="Results folders of studies.")],
) -> None:
    """Pass only if every claim that the decision rests on has a verdict that it accepts."""
    issues: list[Issue] = []
    passed = True
    for one in folder:
        try:
            evidence = read_evidence(one)
        except InputError as error:
            issues.extend(error.issues)
            continue
        objections = tuple(objections_to(evidence, datetime.date.today()))
        passed = passed and not objections
        study = evidence.assessment.study
        mark = "not passed" if objections else "passed"
        typer.echo(f"{study}: {mark}: {_ANSWERS[evidence.assessment.answer]}")
        for line in objections:
            typer.echo(f"{study}: {line}")
    if issues:
        raise InputError(issues)
    if not passed:
        raise typer.Exit(NOT_PASSED)


def read_evidence(folder: Path) -> Evidence:
    """The evidence of a results folder that is whole, and whose study still checks.

    Raises
    ------
    InputError
        if files are missing, were altered after the record, or the study has been refused since
    """
    if (folder / BROKEN).exists():
        raise refusal(
            folder, "the study does not check as it stands; these results are of an earlier state"
        )
    record = read_result(folder, "record.json", Record)
    altered = first_altered(folder, record)
    if altered is not None:
        raise refusal(folder, altered, "run `audit report` again")
    return read_result(folder, "evidence.json", Evidence)


def objections_to(evidence: Evidence, today: datetime.date) -> Iterator[str]:
    """Why the decision may not rest on this evidence, a line each; none: passed.

    Notes
    -----
    Agrees with the answer on page one: *enough* passes unless expired, *enough only for* passes
    where each narrowed claim accepts `narrowed`, every other answer does not pass.
    """
    decision = evidence.study["decision"]
    resting = list(decision.get("rests_on") or ())
    if not resting:
        yield "no claim is named in decision.rests_on: there is nothing to pass"
    claims = {claim.id: claim for claim in evidence.assessment.claims}
    found: list[str] = []
    for name in resting:
        accept = evidence.study["claims"][name].get("accept") or "supported"
        found.extend(_objections(claims[name], accept))
    yield from found
    _agree(evidence, bool(found) or not resting)
    until = decision.get("valid_until")
    if until and datetime.date.fromisoformat(str(until)) < today:
        yield f"{Reason.EXPIRED}: the evidence was valid until {until}"


def _objections(claim: ClaimVerdict, accept: str) -> Iterator[str]:
    accepted = {"supported"} if accept == "supported" else {"supported", "narrowed"}
    reasons = ", ".join(claim.reasons)
    if claim.verdict not in accepted:
        yield f"{claim.id}: {claim.verdict} ({reasons}); accepted: {' or '.join(sorted(accepted))}"
    late = [text for reason, text in _LATE.items() if reason in claim.reasons]
    if claim.timing == "after" and not late:
        late.append(_LATE[Reason.CRITERIA_AFTER])
    if late and claim.verdict in accepted:
        yield f"{claim.id}: {claim.verdict}, but {' and '.join(late)}: never passes"


def _agree(evidence: Evidence, objected: bool) -> None:
    """Stop if gate and page one say different things."""
    answer = evidence.assessment.answer
    if (answer == "enough" and objected) or (
        answer in ("not_enough", "speaks_against", "none") and not objected
    ):
        raise Contradiction(f"page one says {answer!r}, the gate says otherwise")
