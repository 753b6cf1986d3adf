"""`verdicts.json`: small, stable and public."""

from __future__ import annotations

from typing import Any

from audit.argument.assessment import ClaimVerdict, CriterionOutcome
from audit.evidence import Evidence

SCHEMA = "claimscope/verdicts/1"


def _estimate(outcome: CriterionOutcome) -> dict[str, Any]:
    level = 1 - outcome.error * (1 if outcome.measure == "rank" else 2)
    return {
        "criterion": outcome.id,
        "measure": outcome.measure,
        "metric": outcome.metric,
        "task": outcome.task,
        "unit": outcome.unit,
        "value": outcome.value,
        "lower": outcome.lower,
        "upper": outcome.upper,
        "level": round(level, 12),
        "bar": {outcome.bar: outcome.bar_value},
        "status": outcome.status,
    }


def _claim(claim: ClaimVerdict) -> dict[str, Any]:
    narrowed = claim.narrowed_to
    return {
        "id": claim.id,
        "kind": claim.kind,
        "reach": claim.reach,
        "verdict": claim.verdict,
        "reasons": [str(reason) for reason in claim.reasons],
        "estimates": [_estimate(outcome) for outcome in claim.criteria],
        "narrowed_to": narrowed.model_dump(mode="json") if narrowed else None,
        "not_assessed": list(claim.not_assessed),
        "would_change": [change.model_dump(mode="json") for change in claim.would_change],
        "timing": claim.timing,
    }


def public_verdicts(evidence: Evidence) -> dict[str, Any]:
    """The verdicts as other programs may read them (design.md section 9).

    `findings` has the shape of `claims`; this version makes no findings of its own.
    """
    return {
        "schema": SCHEMA,
        "study": evidence.assessment.study,
        "answer": evidence.assessment.answer,
        "simulated": evidence.simulated,
        "claims": [_claim(claim) for claim in evidence.assessment.claims],
        "findings": [],
    }
