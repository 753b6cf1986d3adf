"""Checks of systems and of their known failures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from audit.spec.check_ids import unknown
from audit.spec.check_work import TO_BE_DEPLOYED
from audit.spec.findings import Finding, hint, warn
from audit.spec.models import System
from audit.spec.parts import Parts
from audit.spec.places import CONFIGURATION_KEYS
from audit.spec.showing import Path, choices, did_you_mean, listed, shown


def check_systems(parts: Parts) -> Iterator[Finding]:
    """Check every system, then all of them together, then the failures."""
    for name, system in parts.systems.items():
        if system is not None:
            yield from _one(parts, name, system)
    yield from _same_match(parts)
    yield from _failures(parts)


def _one(parts: Parts, name: str, system: System) -> Iterator[Finding]:
    path: Path = ("systems", name)
    if system.setting == "tuned" and system.tuning is None:
        remedy = "write tuning: {by: who, hours: number, on: data}"
        yield Finding(path, "a tuned system says what the tuning took", remedy=remedy, at_key=True)
    if system.setting == "default" and system.tuning is not None:
        remedy = "write setting: tuned, or leave tuning out"
        yield Finding((*path, "tuning"), "tuning of a system in its default setting", remedy=remedy)
    if system.rerun_of is not None:
        yield from unknown(parts, (*path, "rerun_of"), system.rerun_of, "systems")
        if system.rerun_of == name:
            yield Finding((*path, "rerun_of"), "a system is no rerun of itself")
    purpose = parts.decision.purpose if parts.decision is not None else None
    judged = system.role != "reference" or name in parts.named_systems
    if system.deployed == "none" and purpose in TO_BE_DEPLOYED and judged:
        yield Finding(
            (*path, "deployed"),
            f"deployed: none is refused for {purpose}: something is to be deployed",
            remedy="say how it will be deployed: same, or what differs",
        )
    for key in system.bridges:
        if key not in CONFIGURATION_KEYS:
            remedy = did_you_mean(key, CONFIGURATION_KEYS)
            yield Finding(
                (*path, "bridges", key),
                f"{shown(key)} is not known here",
                "",
                choices(CONFIGURATION_KEYS),
                remedy,
                at_key=True,
            )
    for side in ("tested", "deployed"):
        held = getattr(system, side)
        if isinstance(held, dict):
            yield from _prose_keys((*path, side), held)


def _prose_keys(path: Path, held: Any) -> Iterator[Finding]:
    """Free mappings accept any key: one that reads like prose was a comma inside braces."""
    if isinstance(held, dict):
        for key, value in held.items():
            where = (*path, key)
            if value is None and " " in key.strip():
                message = f"{shown(key)} is read as a key"
                yield hint(where, message, "a comma inside { } begins a new key: quote the text")
            yield from _prose_keys(where, value)
    elif isinstance(held, list):
        for at, one in enumerate(held):
            yield from _prose_keys((*path, at), one)


def _same_match(parts: Parts) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for name, system in parts.systems.items():
        if system is None:
            continue
        match = match_of(name, system)
        key = repr(sorted(match.items()))
        if key in seen:
            yield Finding(
                ("systems", name, "match"),
                f"the files cannot tell it from {seen[key]}",
                shown(", ".join(f"{column}: {text}" for column, text in match.items())),
                remedy="give each system a match of its own",
            )
        seen.setdefault(key, name)


def match_of(name: str, system: System) -> dict[str, str]:
    """How the files name a system: {column: text}."""
    if isinstance(system.match, dict):
        return dict(system.match)
    return {"system": system.match or name}


def _failures(parts: Parts) -> Iterator[Finding]:
    for name, failure in parts.failures.items():
        if failure is None:
            continue
        path: Path = ("failures", name)
        yield from unknown(parts, (*path, "system"), failure.system, "systems")
        yield from unknown(parts, (*path, "task"), failure.task, "tasks")
        if failure.state == "accepted" and failure.accepted_by is None:
            yield Finding(
                path,
                "an accepted failure names who accepts it",
                remedy="write accepted_by: name",
                at_key=True,
            )
        if failure.state != "accepted" and failure.accepted_by is not None:
            yield Finding(
                (*path, "accepted_by"),
                "only an accepted failure is accepted by somebody",
                f"state: {failure.state}",
            )
        if failure.state == "open" and failure.severity == "critical":
            yield warn(path, f"a critical failure of {failure.system} is open")


def warn_of_systems(parts: Parts) -> Iterator[Finding]:
    """Warn of what is not known about systems, one warning for each kind of ignorance."""
    judged = {
        name: one
        for name, one in parts.systems.items()
        if one is not None and (one.role != "reference" or name in parts.named_systems)
    }
    families = [name for name, one in judged.items() if one.family is None]
    versions = [name for name, one in judged.items() if one.version.strip().lower() == "not stated"]
    deployments = [name for name, one in judged.items() if one.deployed is None]
    for names, text, remedy in (
        (families, "the family is unknown", "all without one count together as one family"),
        (versions, "the version is not stated", "results may not hold for another version"),
        (deployments, "how it is deployed is not declared", "its claims reach the test only"),
    ):
        if names:
            path: Path = ("systems", names[0]) if len(names) == 1 else ("systems",)
            yield Finding(
                path, f"{text}: {listed(names)}", remedy=remedy, severity="warning", at_key=True
            )
    references = [
        name
        for name in parts.systems
        if name in parts.named_systems
        and (one := parts.systems[name]) is not None
        and one.role == "reference"
    ]
    if references:
        path = ("systems", references[0]) if len(references) == 1 else ("systems",)
        yield Finding(
            path,
            f"a reference only calibrates, but claims are about {listed(references)}",
            remedy="give it the role candidate or baseline",
            severity="warning",
            at_key=True,
        )
