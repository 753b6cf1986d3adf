"""Small whole studies for the assessment: a plan, results with normal bounds, an accounting."""

from dataclasses import dataclass, field
from statistics import NormalDist

from audit.analyses.contract import (
    ErrorBounds,
    Estimate,
    NotEstimable,
    Provenance,
    Result,
    Threat,
)
from audit.responses.accounting import Accounting, FileAccount, SystemAccount
from audit.spec.plan import (
    ArgumentClaim,
    ArgumentSlice,
    ClaimPlan,
    CriterionPlan,
    Plan,
    Request,
    TaskWeight,
    Twin,
)

TOLERANT = ("worse_by_at_most", "within", "stop_if_worse_by")
NOT_PLANNED = ("multiverse", "replication", "revision", "deployment")
DIGEST = "sha256:" + "d" * 64
DATA = "sha256:" + "a" * 64


@dataclass
class Bar:
    """One criterion with its estimate: `value` and `se` in natural orientation."""

    bar: str
    at: float
    value: float | None = 0.0
    se: float = 0.01
    task: str | None = None
    severe: bool = False
    metric: str = "correct"
    measure: str = "expected_success"
    unit: str = "share"
    items: int = 400
    lower_is_better: bool = False
    identified: tuple | None = None
    twins: dict = field(default_factory=dict)
    """{(dimension, value): (value, se)}"""
    reason: str = "too_few_items"

    @property
    def sign(self):
        worse = self.lower_is_better or self.bar == "at_most" or self.measure == "rank"
        return -1 if worse else 1


def margin(bar):
    if bar.measure == "rank":
        return -(bar.at + 0.5)
    return {
        "at_least": bar.at,
        "at_most": -bar.at,
        "better_by": bar.at,
        "worse_by_at_most": -bar.at,
        "within": bar.at,
        "stop_if_worse_by": -bar.at,
    }[bar.bar]


def estimate(request, criterion, bar, value, se, errors):
    low, high = bar.identified or (value, value)

    def bounds(lo, hi):
        z = NormalDist().inv_cdf
        return tuple(
            ErrorBounds(error=e, lower=lo - z(1 - e) * se, upper=hi + z(1 - e) * se) for e in errors
        )

    z = NormalDist().inv_cdf(1 - errors[0]) + NormalDist().inv_cdf(0.8)
    return Estimate(
        request=request,
        criterion=criterion,
        value=value,
        identified=(low, high),
        bounds=bounds(low, high),
        bounds_if_low=bounds(low, low) if bar.identified else (),
        bounds_if_high=bounds(high, high) if bar.identified else (),
        standard_error=se,
        df=None,
        method="normal",
        items=bar.items,
        clusters=bar.items,
        missing_items=20 if bar.identified else 0,
        unit=bar.unit,
        inference_population="items like these",
        detectable_difference=None if bar.measure == "rank" else z * se,
    )


@dataclass
class Whole:
    """Slice, results and accounting of one study with one claim per list of bars."""

    slice: ArgumentSlice
    results: list
    accounting: list

    def assess(self):
        from audit.argument.assess import assess

        return assess(self.slice, self.results, self.accounting)

    def only(self):
        return self.assess().claims[0]


def criterion_plan(claim, i, bar, bars, kind):
    error = 0.05 if bar.bar in TOLERANT or bar.measure == "rank" else 0.025
    others = any(one.bar not in ("worse_by_at_most", "stop_if_worse_by") for one in bars)
    is_guard = bar.bar == "stop_if_worse_by" or (bar.bar == "worse_by_at_most" and others)
    values = [v for _, v in bar.twins]
    ident = f"{claim}.{i}"
    return CriterionPlan(
        id=ident,
        claim=claim,
        role="guard" if is_guard else "primary",
        policy="block" if bar.bar == "stop_if_worse_by" else "show",
        severe=bar.severe and is_guard,
        form="within" if bar.bar == "within" else "above",
        bar=bar.bar,
        value=bar.at,
        margin=margin(bar),
        sign=bar.sign,
        error=error,
        error_adjusted=error / len(bars),
        task=bar.task,
        measure=bar.measure,
        metric=bar.metric,
        twins=tuple(f"{ident}@{d}={v}" for d, v in bar.twins),
        error_twins=1 - 0.975 ** (1 / len(values)) if values else None,
    )


def request_of(plan, claim, kind, systems, errors, twin=None):
    return Request(
        id=plan.id if twin is None else f"{plan.id}@{twin.dimension}={twin.value}",
        criterion=plan.id,
        claim=claim,
        source="s",
        analysis="workload" if kind == "performance" else "comparison",
        kind=kind,
        measure=plan.measure,
        metric=plan.metric,
        of=systems[0],
        over=systems[1] if kind == "comparison" else None,
        among=systems[1:] if kind == "ranking" else (),
        sign=plan.sign,
        errors=errors,
        twin=twin,
    )


def study(
    *claims,
    kind="comparison",
    systems=("alpha", "beta"),
    tasks=("routine", "dispute"),
    shares=(0.9, 0.1),
    counts=True,
    items_by_task=None,
    reach="work",
    statuses=None,
    fixed=("head of support", "2026-10-01"),
    lock=(),
    threats=(),
    exploratory=False,
    divisible_by=(),
    variants=("base",),
    result_threats=(),
    rests_on=None,
    smallest_difference=0.03,
    earliest="2026-10-05",
    systems_known=True,
    **accounting,
):
    """One claim (C1, C2, ...) per list of bars."""
    plans, requests, estimates, lost = [], [], [], []
    for n, bars in enumerate(claims, start=1):
        claim = f"C{n}"
        criteria = [criterion_plan(claim, i, b, bars, kind) for i, b in enumerate(bars, start=1)]
        for plan, bar in zip(criteria, bars, strict=True):
            errors = (plan.error, plan.error_adjusted)
            requests.append(request_of(plan, claim, kind, systems, errors))
            if bar.value is None:
                lost.append(
                    NotEstimable(
                        request=plan.id, criterion=plan.id, reason=bar.reason, detail="Too few."
                    )
                )
            else:
                estimates.append(estimate(plan.id, plan.id, bar, bar.value, bar.se, errors))
            for (dimension, value), (point, se) in bar.twins.items():
                twin = Twin(dimension=dimension, value=value)
                one = request_of(plan, claim, kind, systems, (plan.error_twins,), twin)
                requests.append(one)
                alone = Bar(bar.bar, bar.at, unit=bar.unit, measure=bar.measure)
                estimates.append(estimate(one.id, plan.id, alone, point, se, (plan.error_twins,)))
        plans.append(
            ClaimPlan(
                id=claim,
                kind=kind,
                source="s",
                systems=systems,
                tasks=tasks,
                variants=variants,
                reach=reach,
                divisible_by=divisible_by,
                criteria=tuple(criteria),
                not_planned=NOT_PLANNED,
            )
        )
    return Whole(
        ArgumentSlice(
            study="small",
            purpose="selection",
            rests_on=tuple(p.id for p in plans) if rests_on is None else rests_on,
            smallest_difference=smallest_difference,
            plan=Plan(study="small", claims=tuple(plans), requests=tuple(requests)),
            weights=tuple(
                TaskWeight(task=t, share=s, count=round(1000 * s) if counts else None)
                for t, s in zip(tasks, shares, strict=True)
            ),
            claims={
                p.id: ArgumentClaim(
                    exploratory=exploratory, accept="supported", threats=tuple(threats)
                )
                for p in plans
            },
            fixed_by=fixed[0] if fixed else None,
            fixed_on=fixed[1] if fixed else None,
            decision_digest=DIGEST,
            lock=tuple(lock),
        ),
        [
            result(
                "workload" if kind == "performance" else "comparison",
                "s",
                estimates=tuple(estimates),
                not_estimable=tuple(lost),
                threats=tuple(result_threats),
            ),
            *(
                [
                    result(
                        "configuration",
                        None,
                        diagnostics={"systems": statuses or dict.fromkeys(systems, "same")},
                    )
                ]
                if systems_known
                else []
            ),
        ],
        [account(systems, tasks, items_by_task, earliest, **accounting)],
    )


def result(analysis, source, **fields):
    return Result(
        analysis=analysis,
        source=source,
        provenance=Provenance(program="test", inputs={}),
        **fields,
    )


def account(systems, tasks, items_by_task=None, earliest="2026-10-05", **fields):
    items = items_by_task or dict.fromkeys(tasks, 200)
    total = sum(items.values())
    values = {
        "source": "s",
        "source_digest": DATA,
        "files": (
            FileAccount(
                file="s.csv",
                digest=DATA,
                rows_read=2 * total,
                rows_kept=2 * total,
                rows_left_out={},
            ),
        ),
        "systems": tuple(
            SystemAccount(
                system=one,
                names=(one,),
                declared=True,
                rows=total,
                items=total,
                scored=total,
                statuses={"ok": total},
                unscored={"not_run": 12},
                missing_items=3,
                missing_by_task={},
                attempts=(1, 1),
            )
            for one in systems
        ),
        "items": total,
        "clusters": total,
        "clustered": False,
        "items_by_task": items,
        "variants": {"base": 2 * total},
        "earliest_date": earliest,
        "latest_date": earliest,
        "unit": {"correct": "share", "latency_s": "points"},
    }
    return Accounting(**(values | fields))


def uncovered(low, high, on="C1.1", claim="C1"):
    """The threat that `comparison` raises when a weighted task has no items."""
    return Threat(
        code="task_uncovered",
        claims=(claim,),
        affects="estimate",
        state="bounded",
        bounds={on: (low, high)},
        condition="only the tasks that have items are meant",
        needed_from="work",
        text="Task dispute has no items.",
    )
