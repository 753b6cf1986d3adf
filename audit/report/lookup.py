"""Finding things in an evidence bundle by id; nothing is computed or worded here."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from audit.analyses.contract import Estimate, NotEstimable, Result
from audit.argument.assessment import ClaimVerdict, CriterionOutcome
from audit.errors import Contradiction
from audit.evidence import Evidence
from audit.report.words import clip
from audit.responses.accounting import Accounting
from audit.spec.plan import ClaimPlan, CriterionPlan, Request

NAME_LIMIT = 28


def result_id(result: Result) -> str:
    """`comparison.october`, `configuration`: the id that every number of a result starts with."""
    return f"{result.analysis}.{result.source}" if result.source else result.analysis


class Lookup:
    """Read-only access to a bundle by id."""

    def __init__(self, evidence: Evidence, name_limit: int = NAME_LIMIT) -> None:
        self.evidence = evidence
        self.name_limit = name_limit

    @cached_property
    def study(self) -> dict[str, Any]:
        """The declared study."""
        return self.evidence.study

    @cached_property
    def verdicts(self) -> dict[str, ClaimVerdict]:
        """Claim verdicts by claim."""
        return {one.id: one for one in self.evidence.assessment.claims}

    @cached_property
    def plans(self) -> dict[str, ClaimPlan]:
        """Claim plans by claim."""
        return {one.id: one for one in self.evidence.plan.claims}

    @cached_property
    def criteria(self) -> dict[str, CriterionPlan]:
        """Criterion plans by criterion."""
        return {one.id: one for claim in self.evidence.plan.claims for one in claim.criteria}

    @cached_property
    def requests(self) -> dict[str, Request]:
        """Requests by id."""
        return {one.id: one for one in self.evidence.plan.requests}

    @cached_property
    def estimates(self) -> dict[str, tuple[str, Estimate]]:
        """{request: (result id, estimate)}."""
        return {
            one.request: (result_id(result), one)
            for result in self.evidence.results
            for one in result.estimates
        }

    @cached_property
    def refusals(self) -> dict[str, tuple[str, NotEstimable]]:
        """{request: (result id, why there is no number)}."""
        return {
            one.request: (result_id(result), one)
            for result in self.evidence.results
            for one in result.not_estimable
        }

    @cached_property
    def accounts(self) -> dict[str, Accounting]:
        """Accounting by source."""
        return {one.source: one for one in self.evidence.accounting}

    @cached_property
    def claim_order(self) -> tuple[str, ...]:
        """Claims as pages list them: those of `rests_on` first, then the study's order."""
        known = [one.id for one in self.evidence.assessment.claims]
        rests = [one for one in self.study["decision"].get("rests_on") or () if one in known]
        return tuple(dict.fromkeys([*rests, *known]))

    def result(self, analysis: str, source: str | None = None) -> Result | None:
        """The result of an analysis, None when it was not made."""
        for one in self.evidence.results:
            if one.analysis == analysis and one.source == source:
                return one
        return None

    def number_id(self, request: str) -> str:
        """Id of a request's number: the result that holds it, then the request."""
        for held in (self.estimates, self.refusals):
            if request in held:
                return f"{held[request][0]}/{request}"
        return f"assessment/{request}"

    def claim(self, claim: str) -> dict[str, Any]:
        """The claim as declared."""
        declared = self.study["claims"].get(claim)
        if declared is None:
            raise Contradiction(f"the assessment judges a claim that the study lacks: {claim}")
        return dict(declared)

    def name(self, system: str) -> str:
        """A system's name on pages: as declared, else its id; cut when long."""
        declared = self.study["systems"].get(system) or {}
        return clip(str(declared.get("name") or system), self.name_limit)

    def unit(self, outcome: CriterionOutcome) -> str:
        """Unit of a criterion, also where no number could be had."""
        if outcome.unit is not None:
            return clip(outcome.unit, 60)
        if outcome.measure == "rank":
            return "place"
        if outcome.measure == "expected_loss":
            workload = self.study.get("workload") or {}
            return f"{clip(str(workload.get('consequence_unit') or 'units'), 40)} per task"
        plan = self.criteria.get(outcome.id)
        source = self.plans[plan.claim].source if plan else None
        account = self.accounts.get(source or "")
        return account.unit.get(outcome.metric, "points") if account else "points"

    def sign(self, outcome: CriterionOutcome) -> int:
        """+1 where larger supports the claim, else -1."""
        plan = self.criteria.get(outcome.id)
        if plan is not None:
            return plan.sign
        return -1 if outcome.bar == "at_most" or outcome.measure == "expected_loss" else 1
