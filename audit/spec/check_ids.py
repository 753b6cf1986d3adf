"""Names that must be declared somewhere else in the study."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from audit.spec.findings import Finding
from audit.spec.parts import Parts
from audit.spec.showing import Path, choices, did_you_mean, shown

_ONE = {
    "systems": "system",
    "sources": "source",
    "metrics": "metric",
    "variants": "variant",
    "claims": "claim",
    "tasks": "task",
}
_WHERE = {"tasks": "workload.tasks"}


def unknown(
    parts: Parts, path: Path, name: str, section: str, also: Iterable[str] = ()
) -> Iterator[Finding]:
    """Tell a name that a section does not declare.

    Parameters
    ----------
    path : where the name stands
    section : `systems`, `sources`, `variants`, `metrics`, `claims` or `tasks`
    also : further names that are right here
    """
    declared = parts.tasks if section == "tasks" else getattr(parts, section)
    also = tuple(also)
    if name in declared or name in also or section in parts.incomplete:
        return
    known = [*also, *declared]

    def remedy() -> str:
        if not known:
            return f"declare it under {_WHERE.get(section, section)}"
        return did_you_mean(name, known)

    yield Finding(path, f"no such {_ONE[section]} is declared", shown(name), choices(known), remedy)


def repeated(path: Path, names: Iterable[str]) -> Iterator[Finding]:
    """Tell names that stand twice in a list."""
    seen: set[str] = set()
    for at, name in enumerate(names):
        if name in seen:
            yield Finding((*path, at), "the name is repeated", shown(name), remedy="keep one")
        seen.add(name)
