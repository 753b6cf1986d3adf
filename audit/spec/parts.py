"""A study in parts, as far as it could be read: what the cross-field checks look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from audit.spec.models import (
    BUILT_IN_METRICS,
    Claim,
    Decision,
    Failure,
    Metric,
    Source,
    System,
    Task,
    Variant,
    Workload,
)

PLAUSIBLE_KINDS = ("plausible", "format")


@dataclass(frozen=True)
class Parts:
    """Everything readable; an entry that is None is declared but could not be read.

    Checks never speak of an entry that is None: its own mistakes are told already.
    """

    folder: str
    study: str | None = None
    decision: Decision | None = None
    has_workload: bool = False
    workload: Workload | None = None
    tasks: Mapping[str, Task | None] = field(default_factory=dict)
    systems: Mapping[str, System | None] = field(default_factory=dict)
    sources: Mapping[str, Source | None] = field(default_factory=dict)
    metrics: Mapping[str, Metric | None] = field(default_factory=dict)
    variants: Mapping[str, Variant | None] = field(default_factory=dict)
    failures: Mapping[str, Failure | None] = field(default_factory=dict)
    claims: Mapping[str, Claim | None] = field(default_factory=dict)
    has_claims: bool = False
    system_table: str | None = None
    incomplete: frozenset[str] = frozenset()
    """Sections whose ids are not all known; nothing is called undeclared there."""
    raw: Mapping[str, Any] = field(default_factory=dict)
    """The study with defaults laid in, before it was validated."""

    @cached_property
    def read_claims(self) -> dict[str, Claim]:
        """Claims that could be read."""
        return {name: one for name, one in self.claims.items() if one is not None}

    @cached_property
    def named_systems(self) -> set[str]:
        """Systems that some claim names."""
        return {name for one in self.read_claims.values() for name in systems_of(one)}

    def metric(self, name: str) -> Metric | None:
        """A metric as declared, else as built in; None where it could not be read."""
        return self.metrics[name] if name in self.metrics else BUILT_IN_METRICS.get(name)

    def source_of(self, claim: Claim) -> str | None:
        """The claim's source: as named, else the only one."""
        if claim.source is not None:
            return claim.source
        return next(iter(self.sources)) if len(self.sources) == 1 else None

    def scope_of(self, claim: Claim) -> tuple[str, ...]:
        """Tasks that a claim covers, in the study's order; empty without a workload."""
        if claim.tasks is None:
            return tuple(self.tasks)
        named = set(claim.tasks)
        return tuple(name for name in self.tasks if name in named)


def systems_of(claim: Claim) -> tuple[str, ...]:
    """of, over and among, in that order, without repeats."""
    names = [claim.of]
    if claim.kind == "comparison":
        names.append(claim.over)
    elif claim.kind == "ranking":
        names += claim.among
    return tuple(dict.fromkeys(names))


def expand_variants(claim: Claim, variants: Mapping[str, Variant | None]) -> tuple[str, ...]:
    """Variants of a claim: a kind stands for all declared ones of that kind, in their order."""
    named = claim.variants
    if len(named) == 1 and named[0] in PLAUSIBLE_KINDS:
        return tuple(
            name for name, one in variants.items() if one is not None and one.kind == named[0]
        )
    return tuple(dict.fromkeys(named))
