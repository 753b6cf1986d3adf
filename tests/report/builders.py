"""A hand-made evidence bundle: support questions, three tasks, four systems, all four verdicts."""

from __future__ import annotations

import copy

from audit.analyses.contract import (
    Assumption,
    ErrorBounds,
    Estimate,
    NotEstimable,
    Provenance,
    Result,
    Table,
    Threat,
)
from audit.argument.assessment import (
    Assessment,
    Change,
    ClaimVerdict,
    CriterionOutcome,
    NarrowedTo,
)
from audit.errors import Reason
from audit.evidence import Evidence, build_evidence
from audit.responses.accounting import Accounting, FileAccount, SystemAccount
from audit.spec.plan import ClaimPlan, CriterionPlan, Plan, Request, TaskWeight

TASKS = ("routine", "refund", "dispute")
SHARES = {"routine": 0.8, "refund": 0.135, "dispute": 0.065}
COUNTS = {"routine": 7371, "refund": 1244, "dispute": 599}
DIGEST = "sha256:" + "4f9a" * 16

STUDY = {
    "schema": 1,
    "study": "alpha-or-beta",
    "title": "Alpha or Beta for first-line questions?",
    "decision": {
        "purpose": "selection",
        "question": "Which of the two answers first-line questions from March on?",
        "owner": "Support",
        "audience": None,
        "decide_by": "2026-12-01",
        "valid_until": "2027-09-01",
        "measure": None,
        "smallest_difference": 0.03,
        "rests_on": ["take", "fit"],
        "fixed": {"by": "head of support", "on": "2026-10-01"},
    },
    "workload": {
        "whose": "customers who write to first-line support",
        "basis": "all 9 214 questions of October 2026",
        "consequence_unit": None,
        "consequence_basis": None,
        "not_covered": ["calls by telephone"],
        "tasks": {
            "routine": {"count": 7371, "needs": "answer from the help pages", "severe": False},
            "refund": {"count": 1244, "needs": "apply the refund rules", "severe": False},
            "dispute": {"count": 599, "needs": "collect the facts, hand over", "severe": True},
        },
    },
    "systems": {
        "alpha": {
            "version": "4.1",
            "name": "Alpha",
            "role": "candidate",
            "family": "vendor-a",
            "setting": "default",
            "tested": {"documents": "help pages of October", "tools": ["search"]},
            "deployed": {"documents": "live help pages"},
            "bridges": {
                "documents": {"irrelevant": "the copy was one day old", "judged_by": "docs team"}
            },
        },
        "beta": {
            "version": "2.0",
            "name": "Beta",
            "role": "baseline",
            "setting": "default",
            "tested": {"documents": "help pages of October", "limits": "30 s"},
            "deployed": {"limits": "8 s"},
            "bridges": {},
        },
        "gamma": {"version": "not stated", "setting": "default", "tested": {}, "bridges": {}},
        "delta": {
            "version": "1.3",
            "setting": "default",
            "tested": {},
            "deployed": "same",
            "bridges": {},
        },
    },
    "sources": {
        "october": {
            "role": "benchmark",
            "files": ["responses.csv"],
            "format": "table",
            "scores": {"correct": "score"},
            "chosen": "random",
            "chosen_by": "help desk",
            "chosen_on": "2026-11-02",
            "why": "drawn from that month's questions",
            "task_review": None,
            "simulated": False,
            "private": False,
            "not_covered": [],
        }
    },
    "metrics": {},
    "unscored": {},
    "variants": {"short": {"kind": "plausible", "why": "in-house short forms"}},
    "failures": {
        "F1": {
            "system": "alpha",
            "task": "dispute",
            "severity": "major",
            "state": "open",
            "seen": "2026-10-12",
            "where": "trial week",
            "what": "promised a refund that the rules exclude",
        },
        "F2": {
            "system": "beta",
            "task": "refund",
            "severity": "critical",
            "state": "open",
            "seen": "2026-10-20",
            "where": "trial week",
            "what": "sent account data to the wrong person",
        },
        "F3": {
            "system": "beta",
            "task": "routine",
            "severity": "minor",
            "state": "fixed",
            "seen": "2026-09-20",
            "where": "trial week",
            "what": "old telephone number",
        },
    },
    "claims": {},
}

CLAIMS = {
    "take": {
        "kind": "comparison",
        "of": "alpha",
        "over": "beta",
        "statement": "Alpha solves more of our questions.",
        "warrant": "same month and pages as the work",
        "variants": ["base", "short"],
    },
    "fit": {
        "kind": "performance",
        "of": "alpha",
        "statement": "Alpha is good enough for disputes too.",
        "warrant": "same month and pages as the work",
    },
    "first": {
        "kind": "ranking",
        "of": "beta",
        "among": ["alpha", "beta", "gamma", "delta"],
        "statement": "Beta is the first of the four.",
        "warrant": "all four were run on one day",
    },
    "steady": {
        "kind": "comparison",
        "of": "gamma",
        "over": "delta",
        "statement": "Gamma is no worse than Delta.",
        "warrant": "same questions",
    },
}


def criterion(
    claim: str,
    index: int = 1,
    *,
    bar: str = "better_by",
    bar_value: float = 0.03,
    status: str = "met",
    numbers: tuple[float, float, float] | None = (0.082, 0.051, 0.113),
    task: str | None = None,
    **changed: object,
) -> CriterionOutcome:
    guard = bar == "stop_if_worse_by"
    value, lower, upper = numbers or (None, None, None)
    fields: dict[str, object] = {
        "id": f"{claim}.{index}",
        "status": status,
        "role": "guard" if guard or (index > 1 and bar == "worse_by_at_most") else "primary",
        "policy": "block" if guard else "show",
        "severe": task == "dispute",
        "bar": bar,
        "bar_value": bar_value,
        "measure": "expected_success",
        "metric": "correct",
        "task": task,
        "unit": "share" if numbers else None,
        "value": value,
        "lower": lower,
        "upper": upper,
        "error": 0.05 if bar in ("stop_if_worse_by", "worse_by_at_most", "within") else 0.025,
        "identified": (value, value) if numbers else None,
        "items": 60 if task == "dispute" else 412,
        "clusters": 60 if task == "dispute" else 412,
        "missing_items": 0,
        "detectable_difference": 0.044 if numbers else None,
        "reasons": (),
        "not_estimable": None if numbers else "only 7 items; at least 10 are needed",
        "loss_not_excluded": max(0.0, -lower) if guard and numbers else None,
    }
    return CriterionOutcome.model_validate({**fields, **changed})


TIMING = Threat(
    code="criteria_after",
    claims=("take",),
    affects="validity",
    state="closed",
    text="The criteria were stated before any score was seen.",
)


def verdict(claim: str, word: str, criteria: tuple[CriterionOutcome, ...], **changed: object):
    fields: dict[str, object] = {
        "id": claim,
        "kind": CLAIMS[claim]["kind"] if claim in CLAIMS else "comparison",
        "reach": "work",
        "verdict": word,
        "reasons": (),
        "narrowed_to": None,
        "criteria": criteria,
        "subset_criteria": (),
        "threats": (TIMING,),
        "caveats": (),
        "not_assessed": ("multiverse", "replication", "deployment outcomes"),
        "would_change": (),
        "timing": "stated",
        "configuration": "bridged",
    }
    return ClaimVerdict.model_validate({**fields, **changed})


def verdicts() -> tuple[ClaimVerdict, ...]:
    """One of each sort."""
    return (
        verdict(
            "take",
            "narrowed",
            (
                criterion("take", 1, missing_items=14, identified=(0.071, 0.094)),
                criterion(
                    "take",
                    2,
                    bar="stop_if_worse_by",
                    bar_value=0.05,
                    task="dispute",
                    numbers=(0.017, -0.064, 0.098),
                ),
            ),
            reasons=(Reason.CONFIGURATION_DIFFERS,),
            narrowed_to=NarrowedTo(
                reach="test",
                tasks=None,
                variants=None,
                conditions=("the deployed limits do not matter",),
            ),
            configuration="differs",
            caveats=("A loss of up to 6.4 points in dispute is not excluded.",),
            threats=(
                TIMING,
                Threat(
                    code="configuration_differs",
                    claims=("take",),
                    affects="validity",
                    state="open",
                    needed_from="work",
                    text="Beta was tested with other limits than it will have.",
                ),
            ),
            would_change=(
                Change(
                    code="bridge",
                    criterion=None,
                    items=None,
                    text="Run Beta with limits of 8 s on 100 items.",
                ),
                Change(
                    code="items",
                    criterion="take.2",
                    items=390,
                    text="Add 390 items of dispute to exclude the loss.",
                ),
            ),
        ),
        verdict(
            "fit",
            "insufficient_evidence",
            (
                criterion(
                    "fit",
                    1,
                    bar="at_least",
                    bar_value=0.8,
                    status="undetermined",
                    numbers=(0.826, 0.787, 0.861),
                    reasons=(Reason.MARGIN_CROSSED,),
                ),
                criterion(
                    "fit",
                    2,
                    bar="at_least",
                    bar_value=0.7,
                    task="dispute",
                    status="undetermined",
                    numbers=None,
                    reasons=(Reason.TOO_FEW_ITEMS,),
                ),
            ),
            reasons=(Reason.MARGIN_CROSSED, Reason.TOO_FEW_ITEMS),
            would_change=(
                Change(
                    code="task_items",
                    criterion="fit.2",
                    items=180,
                    text="Add 180 items of dispute.",
                ),
            ),
        ),
        verdict(
            "first",
            "not_supported",
            (
                criterion(
                    "first",
                    1,
                    bar="at_most",
                    bar_value=1,
                    status="failed",
                    numbers=(3, 2, 4),
                    measure="rank",
                    unit="place",
                    error=0.05,
                    reasons=(Reason.BAR_FAILED,),
                ),
            ),
            reasons=(Reason.BAR_FAILED,),
            reach="test",
        ),
        verdict(
            "steady",
            "supported",
            (
                criterion(
                    "steady",
                    1,
                    bar="worse_by_at_most",
                    bar_value=0.03,
                    numbers=(0.004, -0.017, 0.025),
                ),
            ),
            reach="test",
        ),
    )


def _bounds(numbers: tuple[float, float], error: float = 0.025) -> tuple[ErrorBounds, ...]:
    return (ErrorBounds(error=error, lower=numbers[0], upper=numbers[1]),)


def estimate(outcome: CriterionOutcome) -> Estimate:
    assert outcome.value is not None
    assert outcome.lower is not None
    assert outcome.upper is not None
    missing = outcome.missing_items or 0
    bounds = _bounds((outcome.lower, outcome.upper), outcome.error)
    return Estimate(
        request=outcome.id,
        criterion=outcome.id,
        value=outcome.value,
        identified=outcome.identified or (outcome.value, outcome.value),
        bounds=bounds,
        bounds_if_low=_bounds((outcome.lower, outcome.upper - 0.02), outcome.error)
        if missing
        else (),
        bounds_if_high=_bounds((outcome.lower + 0.02, outcome.upper), outcome.error)
        if missing
        else (),
        standard_error=(outcome.upper - outcome.lower) / 4,
        df=None,
        method="mover(tango)",
        items=outcome.items or 0,
        clusters=outcome.clusters or 0,
        missing_items=missing,
        unit=outcome.unit or "share",
        inference_population="items like these; systems, variants and weights fixed",
        detectable_difference=outcome.detectable_difference,
    )


def _request(outcome: CriterionOutcome, claim: dict[str, object]) -> Request:
    kind = str(claim["kind"])
    return Request(
        id=outcome.id,
        criterion=outcome.id,
        claim=outcome.id.rpartition(".")[0],
        source="october",
        analysis="workload" if kind == "performance" else "comparison",
        kind=kind,
        measure=outcome.measure,
        metric=outcome.metric,
        of=str(claim["of"]),
        over=claim.get("over"),
        among=tuple(claim.get("among", ())),
        tasks=(outcome.task,) if outcome.task else TASKS,
        variants=tuple(claim.get("variants", ("base",))),
        sign=-1 if outcome.bar == "at_most" else 1,
        errors=(outcome.error,),
    )


def _criterion_plan(outcome: CriterionOutcome) -> CriterionPlan:
    return CriterionPlan(
        id=outcome.id,
        claim=outcome.id.rpartition(".")[0],
        role=outcome.role,
        policy=outcome.policy,
        severe=outcome.severe,
        form="above",
        bar=outcome.bar,
        value=outcome.bar_value,
        margin=outcome.bar_value,
        sign=-1 if outcome.bar == "at_most" else 1,
        error=outcome.error,
        error_adjusted=outcome.error,
        task=outcome.task,
        measure=outcome.measure,
        metric=outcome.metric,
    )


def _systems(claim: dict[str, object]) -> tuple[str, ...]:
    named = [claim["of"], claim.get("over"), *claim.get("among", ())]
    return tuple(dict.fromkeys(str(name) for name in named if name))


def plan_for(found: tuple[ClaimVerdict, ...], claims: dict[str, dict[str, object]]) -> Plan:
    return Plan(
        study="alpha-or-beta",
        claims=tuple(
            ClaimPlan(
                id=one.id,
                kind=one.kind,
                source="october",
                systems=_systems(claims[one.id]),
                tasks=TASKS,
                variants=tuple(claims[one.id].get("variants", ("base",))),
                reach=one.reach,
                divisible_by=(),
                criteria=tuple(_criterion_plan(outcome) for outcome in one.criteria),
                not_planned=one.not_assessed,
            )
            for one in found
        ),
        requests=tuple(
            _request(outcome, claims[one.id]) for one in found for outcome in one.criteria
        ),
    )


def accounting() -> Accounting:
    def system(name: str, lost: dict[str, int]) -> SystemAccount:
        gone = sum(lost.values())
        return SystemAccount(
            system=name,
            names=(name,),
            declared=True,
            rows=824,
            items=412,
            scored=824 - gone,
            statuses={"ok": 824 - gone, **lost},
            unscored=lost,
            missing_items=2 if name == "beta" else 0,
            missing_by_task={"routine": 2} if name == "beta" else {},
            attempts=(1, 1),
        )

    return Accounting(
        source="october",
        source_digest="sha256:" + "77ab" * 16,
        files=(
            FileAccount(
                file="responses.csv",
                digest="sha256:" + "1234" * 16,
                rows_read=3300,
                rows_kept=3296,
                rows_left_out={"not selected": 4},
            ),
        ),
        systems=(
            system("alpha", {"refused": 3}),
            system("beta", {"error": 14, "timeout": 5}),
            system("gamma", {}),
            system("delta", {}),
        ),
        items=412,
        clusters=412,
        clustered=False,
        items_by_task={"routine": 262, "refund": 90, "dispute": 60},
        variants={"base": 1648, "short": 1648},
        earliest_date="2026-11-03",
        latest_date="2026-11-05",
        unit={"correct": "share"},
    )


def results(found: tuple[ClaimVerdict, ...]) -> tuple[Result, ...]:
    def origin(name: str) -> Provenance:
        return Provenance(program="claimscope 0.1.0", inputs={"slice": DIGEST}, seed=7)

    by_analysis: dict[str, list[Estimate]] = {"workload": [], "comparison": []}
    missing: dict[str, list[NotEstimable]] = {"workload": [], "comparison": []}
    for one in found:
        room = "workload" if one.kind == "performance" else "comparison"
        for outcome in one.criteria:
            if outcome.value is None:
                missing[room].append(
                    NotEstimable(
                        request=outcome.id,
                        criterion=outcome.id,
                        reason=Reason.TOO_FEW_ITEMS,
                        detail=outcome.not_estimable or "",
                    )
                )
            else:
                by_analysis[room].append(estimate(outcome))
    return (
        Result(
            analysis="intake",
            source="october",
            provenance=origin("intake"),
            limits=("Whether an answer was scored rightly is not checked here.",),
        ),
        Result(
            analysis="workload",
            source="october",
            provenance=origin("workload"),
            estimates=tuple(by_analysis["workload"]),
            not_estimable=tuple(missing["workload"]),
            assumptions=(
                Assumption(text="Items within a task are independent.", checked=False, held=None),
            ),
            tables=(
                Table(
                    id="scores_by_task",
                    title="Score by task",
                    columns=("system", "task", "value", "lower", "upper", "items"),
                    rows=tuple(
                        (name, task, 0.6 + 0.05 * i + 0.04 * j, 0.52 + 0.05 * i, 0.8, 60 + 30 * j)
                        for i, name in enumerate(("alpha", "beta", "gamma", "delta"))
                        for j, task in enumerate(TASKS)
                    ),
                ),
            ),
            limits=("The weights are those of October 2026 and may shift.",),
        ),
        Result(
            analysis="comparison",
            source="october",
            provenance=origin("comparison"),
            estimates=tuple(by_analysis["comparison"]),
            not_estimable=tuple(missing["comparison"]),
            tables=(
                Table(
                    id="ranks",
                    title="Places",
                    columns=("request", "system", "rank", "lower", "upper"),
                    rows=(
                        ("first.1", "alpha", 1, 1, 2),
                        ("first.1", "gamma", 2, 1, 3),
                        ("first.1", "beta", 3, 2, 4),
                        ("first.1", "delta", 4, 3, 4),
                    ),
                ),
                Table(
                    id="task_differences",
                    title="Differences by task",
                    columns=("claim", "task", "value", "lower", "upper", "items"),
                    rows=(
                        ("take", "routine", 0.09, 0.05, 0.13, 262),
                        ("take", "refund", 0.06, -0.02, 0.14, 90),
                        ("take", "dispute", 0.017, -0.064, 0.098, 60),
                    ),
                ),
            ),
            limits=("Systems are named objects; nothing is said of other systems.",),
        ),
        Result(
            analysis="configuration",
            source=None,
            provenance=origin("configuration"),
            diagnostics={
                "systems": {
                    "alpha": "bridged",
                    "beta": "differs",
                    "gamma": "unknown",
                    "delta": "same",
                }
            },
            tables=(
                Table(
                    id="differences",
                    title="Tested against deployed",
                    columns=("system", "key", "tested", "deployed", "state"),
                    rows=(
                        ("alpha", "documents", "help pages of October", "live", "bridged"),
                        ("beta", "limits", "30 s", "8 s", "open"),
                    ),
                ),
            ),
        ),
    )


def evidence(
    found: tuple[ClaimVerdict, ...] | None = None,
    *,
    answer: str = "not_enough",
    deciding: str | None = "fit",
    simulated: bool = False,
    study: dict[str, object] | None = None,
    claims: dict[str, dict[str, object]] | None = None,
) -> Evidence:
    found = verdicts() if found is None else found
    claims = {**CLAIMS, **(claims or {})}
    declared = copy.deepcopy(study or STUDY)
    declared["claims"] = {one.id: claims[one.id] for one in found}
    declared["decision"]["rests_on"] = [
        name for name in declared["decision"]["rests_on"] if name in declared["claims"]
    ]
    if simulated:
        declared["sources"]["october"]["simulated"] = True
    return build_evidence(
        study_slice={
            "study": declared,
            "remarks": [
                {
                    "file": "study.yaml",
                    "line": 31,
                    "column": 3,
                    "path": "sources.october",
                    "message": "no task_review: the assignment of items to tasks is the author's",
                    "severity": "warning",
                },
            ],
            "spec_digest": DIGEST,
            "decision_digest": "sha256:" + "0c1d" * 16,
        },
        plan=plan_for(found, claims),
        weights=[
            TaskWeight(task=task, share=SHARES[task], count=COUNTS[task], severe=task == "dispute")
            for task in TASKS
        ],
        accounting=[accounting()],
        results=results(found),
        assessment=Assessment(
            study="alpha-or-beta",
            answer=answer,
            deciding_claim=deciding,
            timing="stated",
            timing_text="The head of support states that the criteria were fixed on 2026-10-01;"
            " this is not verified.",
            claims=found,
        ),
    )
