"""The evidence bundle: all that a page may show, with provenance (`evidence.json`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from audit import __version__
from audit.analyses.contract import Result
from audit.argument.assessment import Assessment
from audit.errors import Contradiction
from audit.io import Frozen, digest_of
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


def _remarks(entries: Sequence[Mapping[str, Any]]) -> tuple[Remark, ...]:
    """Remarks of the check, hints left out: a hint helps the author, not the reader."""
    found = []
    for entry in entries:
        if entry.get("severity", "warning") == "hint":
            continue
        text = "; ".join(
            str(entry[key]) for key in ("message", "text", "found", "remedy") if entry.get(key)
        )
        found.append(Remark(path=str(entry.get("path", "")), text=text))
    return tuple(found)


def _result_name(result: Result) -> str:
    return f"{result.analysis}.{result.source}" if result.source else result.analysis


def build_evidence(
    *,
    study_slice: Mapping[str, Any],
    plan: Plan,
    weights: Sequence[TaskWeight],
    accounting: Sequence[Accounting],
    results: Sequence[Result],
    assessment: Assessment,
    digests: Mapping[str, str] | None = None,
) -> Evidence:
    """Lay everything that a page may show into one bundle; nothing is computed here.

    Parameters
    ----------
    study_slice : `slices/study.json`: the validated study, the remarks of the check and the
        digests of the specification and of the decision
    weights : the tasks' places in the work (of the argument slice)
    digests : further digests by role; those of the study, sources and results are added here

    Raises
    ------
    Contradiction
        if two results answer for the same analysis and source, or the parts name other studies
    """
    study = dict(study_slice["study"])
    names = [_result_name(result) for result in results]
    if len(set(names)) != len(names):
        raise Contradiction(f"two results of one name: {sorted(names)}")
    if {plan.study, assessment.study} != {study["study"]}:
        raise Contradiction(
            f"parts of different studies: {study['study']}, {plan.study}, {assessment.study}"
        )
    known = {
        "spec": str(study_slice["spec_digest"]),
        "decision": str(study_slice["decision_digest"]),
        **{f"source:{account.source}": account.source_digest for account in accounting},
        **{
            f"result:{name}": digest_of(result) for name, result in zip(names, results, strict=True)
        },
        **(digests or {}),
    }
    return Evidence(
        program=f"claimscope {__version__}",
        study=study,
        weights=tuple(weights),
        plan=plan,
        accounting=tuple(sorted(accounting, key=lambda account: account.source)),
        results=tuple(sorted(results, key=_result_name)),
        assessment=assessment,
        remarks=_remarks(study_slice.get("remarks", ())),
        simulated=any(bool(one.get("simulated")) for one in study["sources"].values()),
        digests=known,
    )
