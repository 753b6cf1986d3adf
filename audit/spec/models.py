"""The declared language: what a study may say (frozen models, unknown keys forbidden).

Only what is really judged is accepted. What the language knows but the program cannot judge yet is
named in `audit.spec.not_yet` and refused before these models see it. Rules that need more than one
field are in `audit.spec.checks`.
"""

from __future__ import annotations

import datetime
import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
Text = Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"\S")]


def _iso_date(value: object) -> object:
    if isinstance(value, str):
        if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            raise ValueError("expected a date")
        return datetime.date.fromisoformat(value)
    return value


Date = Annotated[datetime.date, BeforeValidator(_iso_date, json_schema_input_type=str)]


def _number(value: object) -> object:
    """Numbers are numbers: text that looks like one is refused, whole numbers are fine."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError("expected a number")
    return float(value)


def _whole(value: object) -> object:
    """Neither true nor 1.0 is 1."""
    return value if type(value) is int else None


Number = Annotated[float, BeforeValidator(_number, json_schema_input_type=float)]
Share = Annotated[Number, Field(ge=0, le=1)]
Positive = Annotated[Number, Field(gt=0)]
NonNegative = Annotated[Number, Field(ge=0)]

Status = Literal["ok", "error", "timeout", "limit", "unparsed", "refused", "not_run", "excluded"]
UnscoredStatus = Literal["error", "timeout", "limit", "unparsed", "refused", "not_run"]
Measure = Literal["mean", "expected_success", "expected_loss", "rank"]
Purpose = Literal["selection", "monitoring", "release", "safety", "research"]
Reach = Literal["test", "work", "deployment"]


class Declared(BaseModel):
    """Base of every declared mapping."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _one_or_many(value: object) -> object:
    return (value,) if isinstance(value, str) else _as_tuple(value)


def _dimensions(value: object) -> object:
    return () if value == "none" else _one_or_many(value)


Texts = Annotated[tuple[Text, ...], BeforeValidator(_as_tuple, json_schema_input_type=list[str])]
Ids = Annotated[tuple[Id, ...], BeforeValidator(_as_tuple, json_schema_input_type=list[str])]
Pair = Annotated[
    tuple[Number, Number], BeforeValidator(_as_tuple, json_schema_input_type=list[float])
]
Strings = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1, max_length=1000)], ...],
    BeforeValidator(_one_or_many, json_schema_input_type=str | list[str]),
]


class Fixed(Declared):
    """Who states that the criteria stood before any score was seen, and since when."""

    by: Text
    on: Date


class Decision(Declared):
    """What will be decided, by whom, until when, and what difference would matter."""

    purpose: Purpose = "selection"
    """What the decision is for; sets the reach that claims have when they name none."""
    question: Text
    owner: Text
    """Who decides."""
    audience: Text | None = None
    """Who reads the report."""
    decide_by: Date | None = None
    valid_until: Date | None = None
    """Needed for selection, release and safety."""
    measure: Literal["mean", "expected_success", "expected_loss"] | None = None
    """Default measure of criteria: expected_success with a workload, else mean."""
    smallest_difference: Positive
    """The smallest difference that would matter to the owner, in the unit of the measure."""
    rests_on: Ids = ()
    """The claims that decide; required when there are claims, unless the purpose is research."""
    fixed: Fixed | None = None


class Task(Declared):
    """One kind of work."""

    needs: Text
    """What the task asks of a system."""
    count: Annotated[int, Field(ge=0)] | None = None
    """Observed uses; their sampling error is carried."""
    share: Share | None = None
    """Judged share of the work; all shares sum to 1."""
    interest: Positive | None = None
    """Relative interest, where no traffic exists."""
    consequence: NonNegative | None = None
    """Cost of one failure, in `consequence_unit`."""
    share_range: Pair | None = None
    consequence_range: Pair | None = None
    severe: Annotated[bool, Field()] = False
    """Never averaged away: claims that cover it must state their own bar for it."""


class Workload(Declared):
    """The real work that the decision is about."""

    whose: Text
    """Who does the work, and who bears a failure."""
    basis: Text
    """Where the weights come from."""
    consequence_unit: Text | None = None
    consequence_basis: Text | None = None
    not_covered: Texts = ()
    """Work that no task stands for."""
    tasks: Annotated[dict[Id, Task], Field(min_length=1)]


class Tuning(Declared):
    """What it took to tune a system."""

    by: Text
    hours: NonNegative
    on: Text
    """What it was tuned on."""


Configuration = dict[
    Literal[
        "model",
        "instructions",
        "documents",
        "tools",
        "response",
        "sampling",
        "limits",
        "agent",
        "harness",
        "other",
    ],
    Any,
]
"""Configuration by key; values are text, numbers, booleans, lists or mappings of these."""


class Bridge(Declared):
    """A named person's reason why a difference between tested and deployed does not matter."""

    irrelevant: Text
    judged_by: Text


class System(Declared):
    """A model in one configuration."""

    version: Text
    name: Text | None = None
    match: Text | dict[Id, Text] | None = None
    """How the files name it: text for the system column, or {column: value}; default its id."""
    role: Literal["candidate", "baseline", "reference"] = "candidate"
    family: Id | None = None
    """Relatives; all systems without one count together as one family."""
    product: Id | None = None
    rerun_of: Id | None = None
    setting: Literal["default", "tuned"] = "default"
    tuning: Tuning | None = None
    tested: Configuration = Field(default_factory=dict)
    deployed: Literal["same", "none"] | Configuration | None = None
    """`same`, `none` (nothing is to be deployed), or only what differs; missing is unknown."""
    bridges: dict[Id, Bridge] = Field(default_factory=dict)


class TaskReview(Declared):
    """Evidence that items belong to their tasks."""

    by: Text
    sampled: Annotated[int, Field(ge=1)]
    agreed: Annotated[int, Field(ge=0)]


class Published(Declared):
    """A table of published aggregates: system, task, variant, metric, score."""

    file: Text
    columns: dict[Id, Text] = Field(default_factory=dict)
    """{canonical column: column in the file}."""
    rows: dict[str, Any] = Field(default_factory=dict)
    unit: Literal["metric", "percent"] = "metric"
    """`percent`: published as 0 to 100 where the metric goes from 0 to 1."""


def _file_alone(value: object) -> object:
    return {"file": value} if isinstance(value, str) else value


Chosen = Literal["all", "random", "stratified", "expert", "convenience", "generated", "published"]


class Source(Declared):
    """One edition of one test."""

    role: Literal["benchmark"] = "benchmark"
    files: Annotated[Strings, Field(min_length=1, max_length=1000)]
    """Paths or globs in the study's folder, or `NAME:path` below a root of `--data NAME=FOLDER`."""
    format: Literal["table", "inspect", "lm_eval", "aggregates"] = "table"
    """`table`: CSV or Parquet, also .gz; `inspect`, `lm_eval`: logs of these harnesses;
    `aggregates`: a table of published means without items."""
    columns: dict[Id, Text] = Field(default_factory=dict)
    """{canonical column: column in the file}."""
    values: dict[Id, dict[str, str]] = Field(default_factory=dict)
    """{canonical column: {value in the file: value here}}."""
    rows: dict[str, Any] = Field(default_factory=dict)
    """{column in the file: value or list of values} to keep; others are counted as excluded."""
    scores: dict[Id, Text] = Field(default_factory=lambda: {"correct": "score"})
    """{metric: column in the file}; the first is the primary metric."""
    task: Id | None = None
    """The task of all items; else the column `task`, or the item table."""
    task_review: TaskReview | None = None
    items: Text | None = None
    """Item table: item, text, task, cluster, label, author."""
    why: Text
    chosen: Chosen
    chosen_by: Text | None = None
    chosen_on: Date | None = None
    chosen_from: Text | None = None
    blind_to_scores: bool | None = None
    run_by: Text | None = None
    repeats: Literal["refuse", "attempts", "first", "last", "mean"] = "refuse"
    """What rows of one key are."""
    published: Annotated[
        Published | None, BeforeValidator(_file_alone, json_schema_input_type=str | Published)
    ] = None
    """Published aggregates that the items must reproduce: a path, or more about the file."""
    not_covered: Texts = ()
    simulated: bool = False
    private: bool = False


class Metric(Declared):
    """A scoring rule: its kind, range and direction."""

    kind: Literal["binary", "proportion", "bounded", "preference", "unbounded"]
    range: Pair | None = None
    """For bounded; [0, 100] means percent."""
    better: Literal["higher", "lower"] = "higher"
    quality: Text | None = None
    values: dict[str, Any] = Field(default_factory=dict)
    """{value in the file: number or status}."""
    attempts: Literal["mean"] = "mean"
    """Several attempts on an item count as their mean."""


class Preserved(Declared):
    """How it is known that a variant asks the same thing."""

    how: Literal["rule", "review", "solve_rate"]
    by: Text
    sampled: Annotated[int, Field(ge=1)] | None = None
    agreed: Annotated[int, Field(ge=0)] | None = None


class Variant(Declared):
    """Another wording (plausible) or answer form (format) of the same items."""

    kind: Literal["plausible", "format"]
    why: Text
    preserved: Preserved | None = None


class Failure(Declared):
    """A known failure of a system."""

    system: Id
    task: Id
    severity: Literal["minor", "major", "critical"]
    state: Literal["open", "fixed", "accepted"]
    accepted_by: Text | None = None
    seen: Date
    where: Text
    what: Text


Bar = Literal["at_least", "at_most", "better_by", "worse_by_at_most", "within", "stop_if_worse_by"]


class Criterion(Declared):
    """A measure and exactly one bar."""

    measure: Measure | None = None
    metric: Id | None = None
    task: Id | None = None
    at_least: Number | None = None
    at_most: Number | None = None
    better_by: NonNegative | None = None
    worse_by_at_most: Positive | None = None
    within: Positive | None = None
    stop_if_worse_by: NonNegative | None = None


class DeclaredThreat(Declared):
    """What would defeat the claim, in the author's words, with a bound if it moves the estimate."""

    what: Text
    affects: Literal["validity", "estimate"] = "validity"
    bound: Pair | None = None
    """How far it can move the estimate of every primary criterion, in its unit: [low, high]."""
    condition: Text | None = None


class AssertedBy(Declared):
    """Somebody else's claim."""

    who: Text
    where: Text
    on: Date


Level = Annotated[Number, Field(gt=0.5, lt=1)]


class _Claim(Declared):
    statement: Text
    warrant: Text
    """Why this evidence speaks for the statement."""
    criteria: Annotated[
        tuple[Criterion, ...],
        BeforeValidator(_as_tuple, json_schema_input_type=list[Criterion]),
        Field(min_length=1),
    ]
    threats: Annotated[
        tuple[Text | DeclaredThreat, ...],
        BeforeValidator(_as_tuple, json_schema_input_type=list[Text | DeclaredThreat]),
    ] = ()
    source: Id | None = None
    """Needed when the study has several sources."""
    tasks: Ids | None = None
    """The tasks that the claim covers; all when missing."""
    variants: Annotated[
        tuple[Id, ...], BeforeValidator(_one_or_many, json_schema_input_type=str | list[str])
    ] = ("base",)
    """Averaged with equal weight; or one kind (plausible, format): all variants of that kind."""
    level: Level = 0.95
    reach: Reach | None = None
    """Default by purpose: work for selection, release and safety, else test."""
    about: Literal["product", "model"] = "product"
    accept: Literal["supported", "narrowed"] = "supported"
    """The weakest verdict with which the owner would go ahead; `gate` reads it."""
    divisible_by: Annotated[
        tuple[Literal["tasks", "variants"], ...],
        BeforeValidator(
            _dimensions,
            json_schema_input_type=Literal["none", "tasks", "variants"]
            | list[Literal["tasks", "variants"]],
        ),
    ] = ()
    """Where the claim may be narrowed; `none` when missing."""
    expected_effect: Number | None = None
    """For the chance of support that `check` prints."""
    exploratory: bool = False
    asserted_by: AssertedBy | None = None


class PerformanceClaim(_Claim):
    """A system reaches a bar."""

    kind: Literal["performance"]
    of: Id


class ComparisonClaim(_Claim):
    """One system against another on the same items."""

    kind: Literal["comparison"]
    of: Id
    over: Id


class RankingClaim(_Claim):
    """A system is among the first of a named field."""

    kind: Literal["ranking"]
    of: Id
    among: Annotated[Ids, Field(min_length=2)]


Claim = Annotated[PerformanceClaim | ComparisonClaim | RankingClaim, Field(discriminator="kind")]


class Study(Declared):
    """One study: one decision, the work behind it, the systems, the tests, the claims."""

    schema_: Annotated[Literal[1], BeforeValidator(_whole), Field(alias="schema")]
    study: Id
    """The folder's name."""
    title: Text
    decision: Decision
    workload: Workload | None = None
    system_table: Text | None = None
    """CSV of system, family and any other plain field; role defaults to reference."""
    other_systems: Literal["refuse", "reference"] = "refuse"
    """Names in the files that nobody declared."""
    systems: Annotated[dict[Id, System], Field(min_length=1)]
    sources: Annotated[dict[Id, Source], Field(min_length=1)]
    metrics: dict[Id, Metric] = Field(default_factory=dict)
    unscored: dict[UnscoredStatus, Literal["wrong", "bounds"]] = Field(default_factory=dict)
    variants: dict[Id, Variant] = Field(default_factory=dict)
    failures: dict[Id, Failure] = Field(default_factory=dict)
    claims: dict[Id, Claim] = Field(default_factory=dict)
    language: Literal["en"] = "en"


UNSCORED_DEFAULT: dict[str, Literal["wrong", "bounds"]] = {
    "refused": "wrong",
    "timeout": "wrong",
    "limit": "wrong",
    "unparsed": "wrong",
    "error": "bounds",
    "not_run": "bounds",
}

BUILT_IN_METRICS: dict[str, Metric] = {
    "correct": Metric(kind="binary"),
}

UNJUDGED_METRICS = (
    "confidence",
    "latency_s",
    "cost_usd",
    "tokens_in",
    "tokens_out",
    "human_minutes",
)
"""Built in, read and kept, but no criterion can be about them yet unless they are declared."""
