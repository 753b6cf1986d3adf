"""What must be computed: the contract between a study and its analyses.

A plan is made from the study alone. Bars are not in it: moving a bar recomputes no statistic.
"""

from __future__ import annotations

from typing import Any, Literal

from audit.io import Frozen

Dimension = Literal["tasks", "variants"]


class Twin(Frozen):
    """The single value of a dimension on which a subset twin of a criterion is evaluated."""

    dimension: Dimension
    value: str


class Request(Frozen):
    """One number that the assessment needs, with the one-sided errors at which to bound it.

    `id` is `<claim>.<index>` (index from 1) for a criterion in the whole, and
    `<claim>.<index>@<dimension>=<value>` for its subset twin. `criterion` is always the id in the
    whole. The estimate is in the measure's natural orientation: of - over for comparisons in the
    metric's unit (losses: loss of `of` minus loss of `over`), the value itself for performance,
    the rank for ranking. `sign` is +1 or -1: sign * estimate is oriented so that larger supports
    the claim (errata section 13).
    """

    id: str
    criterion: str
    claim: str
    source: str
    analysis: Literal["workload", "comparison"]
    kind: Literal["performance", "comparison", "ranking"]
    measure: Literal["mean", "expected_success", "expected_loss", "rank"]
    metric: str
    of: str
    over: str | None = None
    among: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    """Scope, in the study's order; empty: all items, whatever their task."""
    variants: tuple[str, ...] = ("base",)
    sign: Literal[1, -1] = 1
    errors: tuple[float, ...]
    """One-sided errors at which bounds are wanted: a, a/k, and for twins the simultaneous one."""
    twin: Twin | None = None


class CriterionPlan(Frozen):
    """One criterion as the verdict function reads it (errata sections 12 and 13)."""

    id: str
    claim: str
    role: Literal["primary", "guard"]
    policy: Literal["show", "block"]
    severe: bool
    """A guard on a task declared severe."""
    form: Literal["above", "within", "outside"]
    bar: Literal[
        "at_least", "at_most", "better_by", "worse_by_at_most", "within", "stop_if_worse_by"
    ]
    value: float
    """The bar as the author wrote it."""
    margin: float
    """m of the verdict function, in the oriented unit."""
    sign: Literal[1, -1]
    error: float
    """a: the one-sided error of the kind and bar."""
    error_adjusted: float
    """a / k, k = criteria of the claim."""
    task: str | None = None
    measure: Literal["mean", "expected_success", "expected_loss", "rank"]
    metric: str
    twins: tuple[str, ...] = ()
    """Ids of the requests of its subset twins."""
    error_twins: float | None = None
    """One-sided error at which it is looked at on single values: those of its twins, or its own
    task; all values along which the claim is divided have 0.025 together."""


class ClaimPlan(Frozen):
    """A claim, its criteria and what else it needs."""

    id: str
    kind: Literal["performance", "comparison", "ranking"]
    source: str
    systems: tuple[str, ...]
    """of, over and among, in that order, without repeats."""
    tasks: tuple[str, ...]
    variants: tuple[str, ...]
    reach: Literal["test", "work", "deployment"]
    divisible_by: tuple[Dimension, ...]
    criteria: tuple[CriterionPlan, ...]
    not_planned: tuple[str, ...]
    """Evidence kinds that nobody planned: shown as not assessed."""


class Plan(Frozen):
    """claim -> criteria -> results needed (`plan.json`)."""

    schema_name: Literal["claimscope/plan/1"] = "claimscope/plan/1"
    study: str
    claims: tuple[ClaimPlan, ...]
    requests: tuple[Request, ...]


class TaskWeight(Frozen):
    """A task's place in the work, as analyses need it."""

    task: str
    share: float
    """Share of the work, all tasks together 1 (counts and interests normalised)."""
    count: int | None = None
    consequence: float | None = None
    share_range: tuple[float, float] | None = None
    consequence_range: tuple[float, float] | None = None
    severe: bool = False


class MetricSlice(Frozen):
    """A metric, as intake and analyses need it."""

    id: str
    kind: Literal["binary", "proportion", "bounded", "preference", "unbounded"]
    lower: float | None
    upper: float | None
    better: Literal["higher", "lower"]
    column: str | None = None
    values: dict[str, float | str] = {}


class SystemMatch(Frozen):
    """How the files name a declared system."""

    system: str
    match: dict[str, str]
    """{column in the file or canonical: text}; `system` when only the name is given."""


Format = Literal["table", "inspect", "lm_eval", "aggregates"]


class PublishedSlice(Frozen):
    """A file of published aggregates, and how it is read."""

    file: str
    columns: dict[str, str]
    rows: dict[str, Any]
    percent: bool
    """Published as 0 to 100 where the metric goes from 0 to 1."""


class SourceSlice(Frozen):
    """All that `ingest` may know of a study for one source."""

    schema_name: Literal["claimscope/slice-source/1"] = "claimscope/slice-source/1"
    study: str
    source: str
    files: tuple[str, ...]
    """As declared: paths, globs, or NAME:path."""
    format: Format = "table"
    items: str | None
    columns: dict[str, str]
    values: dict[str, dict[str, str]]
    rows: dict[str, Any]
    metrics: tuple[MetricSlice, ...]
    """In the order of `scores`; the first is the primary metric."""
    task: str | None
    tasks: tuple[str, ...]
    """Declared tasks; empty when the study has no workload (then any task text is kept)."""
    variants: tuple[str, ...]
    """`base` and the declared ones."""
    repeats: Literal["refuse", "attempts", "first", "last", "mean"]
    systems: tuple[SystemMatch, ...]
    other_systems: Literal["refuse", "reference"]
    private: bool
    published: PublishedSlice | None = None

    @property
    def declared_files(self) -> tuple[str, ...]:
        """All files that intake reads: answers, item table, published aggregates."""
        others = (self.items, None if self.published is None else self.published.file)
        return (*self.files, *(one for one in others if one))


class IntakeSlice(Frozen):
    """All that `intake` may know of a study for one source."""

    schema_name: Literal["claimscope/slice-intake/1"] = "claimscope/slice-intake/1"
    study: str
    source: str
    format: Format
    metrics: tuple[MetricSlice, ...]
    """In the order of `scores`; the first is the primary metric."""
    unscored: dict[str, Literal["wrong", "bounds"]]
    """By status, defaults filled in."""
    claims: dict[str, tuple[str, ...]]
    """{claim on this source: the systems it names, sorted}."""
    tested: dict[str, dict[str, Any]]
    """{system: tested configuration as declared}."""
    told_apart: tuple[str, ...]
    """Columns by which the study tells systems, variants, items or rows apart."""
    chosen: str
    chosen_on: str | None
    blind_to_scores: bool | None
    percent_published: bool


class AnalysisSlice(Frozen):
    """All that `workload` and `comparison` may know of a study for one source."""

    schema_name: Literal["claimscope/slice-analysis/1"] = "claimscope/slice-analysis/1"
    study: str
    source: str
    analysis: Literal["workload", "comparison"]
    format: Format = "table"
    requests: tuple[Request, ...]
    metrics: tuple[MetricSlice, ...]
    weights: tuple[TaskWeight, ...]
    """All declared tasks; empty without a workload."""
    weights_kind: Literal["count", "share", "interest", "none"]
    consequence_unit: str | None = None
    """As the workload declares it; losses are in it, per task."""
    unscored: dict[str, Literal["wrong", "bounds"]]
    """By status, defaults filled in."""
    systems: tuple[str, ...]
    """Declared systems of role candidate and baseline, in the study's order."""
    smallest_difference: float
    seed: int


class SystemConfiguration(Frozen):
    """One system's tested and deployed configuration, and what closes their differences."""

    system: str
    setting: Literal["default", "tuned"]
    product: str | None
    tested: dict[str, Any]
    deployed: Literal["same", "none"] | dict[str, Any] | None
    bridges: dict[str, dict[str, str]]


class ConfigurationSlice(Frozen):
    """All that `configuration` may know of a study."""

    schema_name: Literal["claimscope/slice-configuration/1"] = "claimscope/slice-configuration/1"
    study: str
    claims: dict[str, tuple[str, ...]]
    """{claim: the systems it names}."""
    systems: tuple[SystemConfiguration, ...]


class ArgumentThreat(Frozen):
    """A threat that the author declared; plain text affects validity."""

    what: str
    affects: Literal["validity", "estimate"]
    bound: tuple[float, float] | None
    condition: str | None


class ArgumentClaim(Frozen):
    """What the assessment reads of a claim besides its plan; no wording."""

    exploratory: bool
    accept: Literal["supported", "narrowed"]
    threats: tuple[ArgumentThreat, ...]


class LockEntry(Frozen):
    """A line of `lock.jsonl`: the decision digest, when it was pinned, and the data then there."""

    at: str
    """ISO date-time with zone."""
    decision: str
    sources: dict[str, str]
    """{source: digest of its files}; a source whose files were absent is not listed."""
    program: str


class ArgumentSlice(Frozen):
    """All that `assess` may know of a study."""

    schema_name: Literal["claimscope/slice-argument/1"] = "claimscope/slice-argument/1"
    study: str
    purpose: Literal["selection", "monitoring", "release", "safety", "research"]
    rests_on: tuple[str, ...]
    smallest_difference: float
    plan: Plan
    weights: tuple[TaskWeight, ...]
    claims: dict[str, ArgumentClaim]
    fixed_by: str | None
    fixed_on: str | None
    decision_digest: str
    lock: tuple[LockEntry, ...]
