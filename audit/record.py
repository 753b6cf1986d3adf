"""The lasting record of one run: what was decided, from what, by which code, with which seeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from audit.argument.assessment import Answer, NarrowedTo, Timing, VerdictWord
from audit.errors import Reason
from audit.evidence import Evidence
from audit.io import Frozen, digest_of


class RecordedVerdict(Frozen):
    """One claim's verdict, as the record keeps it."""

    verdict: VerdictWord
    reach: Literal["test", "work", "deployment"]
    reasons: tuple[Reason, ...]
    narrowed_to: NarrowedTo | None


class Record(Frozen):
    """`record.json`: attached to the PDF, and what `audit verify` holds a folder against."""

    schema_name: Literal["claimscope/record/1"] = "claimscope/record/1"
    program: str
    study: str
    simulated: bool
    spec: str
    """Digest of the study's file and of its table of systems."""
    decision: str
    """Digest of what decides: systems, scope, measures, bars, weights; no wording."""
    sources: dict[str, str]
    """{source: digest of its files}."""
    code: str
    """Digest over the modules below."""
    modules: dict[str, str]
    """{module behind the verdicts: digest}; pages are made after the record."""
    environment: str
    """Digest over the versions below."""
    versions: dict[str, str]
    """{library that computes or draws: version}."""
    seeds: dict[str, int]
    """{result: seed}, for the results that draw random numbers."""
    answer: Answer
    deciding_claim: str | None
    timing: Timing
    timing_text: str
    verdicts: dict[str, RecordedVerdict]
    files: dict[str, str]
    """{results file, from the study's results folder: digest}."""


def make_record(
    evidence: Evidence,
    *,
    code: Mapping[str, str],
    environment: Mapping[str, str],
    files: Mapping[str, str],
) -> Record:
    """Put down one run.

    Parameters
    ----------
    code : {module: digest} of everything behind the verdicts
    environment : {library: version}
    files : {results file: digest} of what the run left before its pages
    """
    assessment = evidence.assessment
    return Record(
        program=evidence.program,
        study=assessment.study,
        simulated=evidence.simulated,
        spec=evidence.digests["spec"],
        decision=evidence.digests["decision"],
        sources={account.source: account.source_digest for account in evidence.accounting},
        code=digest_of(dict(code)),
        modules=dict(code),
        environment=digest_of(dict(environment)),
        versions=dict(environment),
        seeds={
            f"{result.analysis}.{result.source}" if result.source else result.analysis: seed
            for result in evidence.results
            if (seed := result.provenance.seed) is not None
        },
        answer=assessment.answer,
        deciding_claim=assessment.deciding_claim,
        timing=assessment.timing,
        timing_text=assessment.timing_text,
        verdicts={
            claim.id: RecordedVerdict(
                verdict=claim.verdict,
                reach=claim.reach,
                reasons=claim.reasons,
                narrowed_to=claim.narrowed_to,
            )
            for claim in assessment.claims
        },
        files=dict(files),
    )
