"""What the language knows and this version cannot judge: refused by name, never stubbed.

The tables are explicit, so that a later version deletes a line when it builds what the line names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from audit.spec import models
from audit.spec.findings import Finding
from audit.spec.places import CLAIM_MODELS, part_at
from audit.spec.showing import Path, choices

CLAIM_KINDS = (
    "improvement",
    "robustness",
    "comparability",
    "deployment_agreement",
    "coverage",
    "mismatch",
    "replication",
)
MEASURES = (
    "quantile",
    "per_success",
    "worst_variant",
    "calibration_error",
    "largest_drop",
    "rank_shift",
    "spread",
    "composition_effect",
    "behaviour_effect",
    "concordance",
    "concordance_gain",
    "rank_correlation",
    "brier_skill",
    "detectable_difference",
    "score_effect",
    "total_variation",
)
FORMATS = (
    "promptfoo",
    "helm",
    "evalplus",
    "bigcodebench",
    "swebench",
    "openai_evals",
    "alpaca_eval",
    "every_eval_ever",
    "terminal_bench",
)

KEYS: dict[str, tuple[str, ...]] = {
    "study": ("variant_table", "difficulty", "forks"),
    "bridge": ("source",),
    "source": (
        "difficulty",
        "revises",
        "adds",
        "review",
        "stands_for",
        "held_out",
        "band_weights",
    ),
    "metric": ("judge", "gold", "swapped", "against"),
    "claim": (
        "intervention",
        "target",
        "diagnostics",
        "outcomes",
        "outcome_margin",
        "claim",
        "families",
        "record",
    ),
    "criterion": ("band", "quantile"),
}
"""{part: keys that are known and not accepted}."""

VALUES: dict[tuple[str, str], tuple[tuple[str, ...], tuple[str, ...]]] = {
    ("study", "language"): (("zh",), ("en",)),
    ("source", "role"): (("revision", "diagnostic", "deployment", "replication"), ("benchmark",)),
    ("source", "format"): (FORMATS, ("table", "inspect", "lm_eval", "aggregates")),
    ("metric", "kind"): (("preference",), ("binary", "proportion", "bounded", "unbounded")),
    ("metric", "attempts"): (("any", "all", "worst"), ("mean",)),
    ("variant", "kind"): (("adversarial",), ("plausible", "format")),
    ("claim", "kind"): (CLAIM_KINDS, tuple(CLAIM_MODELS)),
    ("claim", "divisible_by"): (("bands",), ("none", "tasks", "variants")),
    ("claim", "variants"): (("adversarial",), ("base", "declared variants", "plausible", "format")),
    ("criterion", "measure"): (MEASURES, get_args(models.Measure)),
}
"""{(part, key): (values known and not accepted, values accepted)}."""

_INSTEAD: dict[tuple[str, str], str] = {
    ("bridge", "source"): "a person can bridge it: {irrelevant: reason, judged_by: name}",
    ("criterion", "quantile"): "measures: " + ", ".join(get_args(models.Measure)),
    ("criterion", "band"): "a criterion may name a task",
}


def not_yet(data: Any) -> Iterator[Finding]:
    """Find what is known but not available, one finding each, in the order of the file.

    Parameters
    ----------
    data : the study as read, before defaults are laid in
    """
    if isinstance(data, dict):
        yield from _walk(data, ())


def _walk(value: Any, path: Path) -> Iterator[Finding]:
    if isinstance(value, dict):
        part = part_at(path)
        kind = value.get("kind") if part == "claim" else None
        if isinstance(kind, str) and kind in CLAIM_KINDS:
            yield _value_finding(path, "claim", "kind", kind)
            return  # the rest of the claim belongs to its kind
        for key, one in value.items():
            yield from _entry(path, part, key, one)
            if part is None or key not in KEYS.get(part, ()):
                yield from _walk(one, (*path, key))
    elif isinstance(value, list):
        for at, one in enumerate(value):
            yield from _walk(one, (*path, at))


def _entry(path: Path, part: str | None, key: str, value: Any) -> Iterator[Finding]:
    if part is None:
        return
    if key in KEYS.get(part, ()):
        remedy = _INSTEAD.get((part, key), "leave it out")
        yield Finding((*path, key), f"{key} is not available yet", remedy=remedy, at_key=True)
        return
    unavailable = VALUES.get((part, key), ((), ()))[0]
    if isinstance(value, str) and value in unavailable:
        yield _value_finding(path, part, key, value)
    elif isinstance(value, list):
        for at, one in enumerate(value):
            if isinstance(one, str) and one in unavailable:
                yield _value_finding(path, part, key, one, at)


def _value_finding(path: Path, part: str, key: str, value: str, at: int | None = None) -> Finding:
    where: Path = (*path, key) if at is None else (*path, key, at)
    allowed = choices(VALUES[part, key][1])
    return Finding(where, f"{key} {value} is not available yet", allowed=allowed)


def is_known_key(part: str, key: str) -> bool:
    """Whether the language knows a key that this version does not accept."""
    return key in KEYS.get(part, ())


def is_known_value(part: str, key: str, value: Any) -> bool:
    """Whether the language knows a value that this version does not accept."""
    return isinstance(value, str) and value in VALUES.get((part, key), ((), ()))[0]
