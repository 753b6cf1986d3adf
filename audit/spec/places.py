"""Which part of the language stands at which place of a study."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from audit.spec import models
from audit.spec.showing import Path

DEFAULTED = ("systems", "sources", "claims")
"""Sections that `defaults` is laid under."""

_PATTERNS: dict[tuple[str, ...], str] = {
    (): "study",
    ("defaults",): "defaults",
    ("decision",): "decision",
    ("decision", "fixed"): "fixed",
    ("workload",): "workload",
    ("workload", "tasks", "*"): "task",
    ("systems", "*"): "system",
    ("systems", "*", "tuning"): "tuning",
    ("systems", "*", "bridges", "*"): "bridge",
    ("sources", "*"): "source",
    ("sources", "*", "task_review"): "task_review",
    ("metrics", "*"): "metric",
    ("variants", "*"): "variant",
    ("variants", "*", "preserved"): "preserved",
    ("failures", "*"): "failure",
    ("claims", "*"): "claim",
    ("claims", "*", "criteria", "*"): "criterion",
    ("claims", "*", "threats", "*"): "threat",
    ("claims", "*", "asserted_by"): "asserted_by",
}

CLAIM_MODELS: dict[str, type[BaseModel]] = {
    "performance": models.PerformanceClaim,
    "comparison": models.ComparisonClaim,
    "ranking": models.RankingClaim,
}

MODELS: dict[str, type[BaseModel]] = {
    "decision": models.Decision,
    "fixed": models.Fixed,
    "workload": models.Workload,
    "task": models.Task,
    "system": models.System,
    "tuning": models.Tuning,
    "bridge": models.Bridge,
    "source": models.Source,
    "task_review": models.TaskReview,
    "metric": models.Metric,
    "variant": models.Variant,
    "preserved": models.Preserved,
    "failure": models.Failure,
    "criterion": models.Criterion,
    "threat": models.DeclaredThreat,
    "asserted_by": models.AssertedBy,
}

CONFIGURATION_KEYS = (
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
)


def part_at(path: Path) -> str | None:
    """Name the part of the language at a path: `criterion` for `claims.C1.criteria[0]`.

    What stands in `defaults` is what it is laid under; None where the language names no part.
    """
    if len(path) >= 2 and path[0] == "defaults":
        path = (path[1], "*", *path[2:])
    for pattern, name in _PATTERNS.items():
        if len(pattern) == len(path) and all(
            wanted in ("*", step) for wanted, step in zip(pattern, path, strict=True)
        ):
            return name
    return None


def fields_of(part: str, kind: Any = None) -> tuple[str, ...]:
    """Keys that a part may have, in the order of the reference; claims by their kind."""
    if part == "study":
        names = [field.alias or name for name, field in models.Study.model_fields.items()]
        names.insert(names.index("workload") + 1, "defaults")
        return tuple(names)
    if part == "defaults":
        return DEFAULTED
    if part == "claim":
        model = CLAIM_MODELS.get(kind) if isinstance(kind, str) else None
        if model is None:
            every = (name for one in CLAIM_MODELS.values() for name in one.model_fields)
            return tuple(dict.fromkeys(every))
        return tuple(model.model_fields)
    return tuple(MODELS[part].model_fields)
