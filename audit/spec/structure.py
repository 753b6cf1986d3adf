"""Validates a study part by part, so that one part's mistakes never hide another's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from audit.spec import models
from audit.spec.characters import is_id
from audit.spec.explaining import explain, not_an_id, unknown_and_missing
from audit.spec.findings import Finding
from audit.spec.not_yet import CLAIM_KINDS, is_known_key
from audit.spec.parts import Parts
from audit.spec.places import CLAIM_MODELS, MODELS, fields_of
from audit.spec.remedies import BY_ID
from audit.spec.showing import Path, choices, did_you_mean, shown

_ENTRIES = {
    "systems": "system",
    "sources": "source",
    "metrics": "metric",
    "variants": "variant",
    "failures": "failure",
}
"""{section: part of its entries}; claims go by their kind."""
_PLAIN_FIELDS = (
    "schema",
    "study",
    "title",
    "system_table",
    "other_systems",
    "unscored",
    "language",
)
_REQUIRED = ("schema", "study", "title", "decision", "systems", "sources")


@dataclass
class _Reading:
    """Collects findings while parts are validated."""

    raw: Mapping[str, Any]
    written: Mapping[Path, str]
    findings: list[Finding] = field(default_factory=list)

    def read(self, model: Any, value: Any, path: Path) -> Any | None:
        """Validate one part; None with findings if it does not fit."""
        try:
            return TypeAdapter(model).validate_python(value)
        except ValidationError as error:
            self.findings += explain(error, self.raw, path, self.written)
            return None

    def entries(self, section: str) -> dict[str, Any]:
        """Entries of a section keyed by id; what is no mapping, or no id, is told."""
        value = self.raw.get(section)
        if value is None:
            return {}
        if not isinstance(value, dict):
            remedy = BY_ID if isinstance(value, list) else ""
            self.findings.append(
                Finding((section,), "expected a mapping of ids", shown(value), remedy=remedy)
            )
            return {}
        for key in value:
            if not is_id(key):
                self.findings.append(not_an_id((section, key)))
        return {key: one for key, one in value.items() if is_id(key)}


def read_parts(
    raw: Mapping[str, Any],
    folder: str,
    written: Mapping[Path, str],
    unread: Sequence[str] = (),
) -> tuple[Parts, list[Finding]]:
    """Validate a study part by part, so that one part's mistakes do not hide another's.

    Parameters
    ----------
    raw : the study with defaults laid in
    folder : name of the study's folder
    written : plain scalars as written, by path
    unread : sections of which a part could not be read elsewhere

    Returns
    -------
    What could be read, and every mistake of structure.
    """
    reading = _Reading(raw, written)
    reading.findings += _top_keys(raw)
    plain = {name: _field(reading, name) for name in _PLAIN_FIELDS if name in raw}
    decision = (
        reading.read(models.Decision, raw["decision"], ("decision",))
        if (raw.get("decision") is not None)
        else None
    )
    workload, tasks = _workload(reading)
    sections = {
        section: {
            name: reading.read(MODELS[part], one, (section, name))
            for name, one in reading.entries(section).items()
        }
        for section, part in _ENTRIES.items()
    }
    claims = {name: _claim(reading, name, one) for name, one in reading.entries("claims").items()}
    parts = Parts(
        folder=folder,
        study=plain.get("study"),
        decision=decision,
        has_workload=raw.get("workload") is not None,
        workload=workload,
        tasks=tasks,
        claims=claims,
        has_claims=bool(raw.get("claims")),
        system_table=plain.get("system_table"),
        incomplete=frozenset(unread) | _incomplete(raw),
        raw=raw,
        **sections,
    )
    return parts, reading.findings


def _incomplete(raw: Mapping[str, Any]) -> frozenset[str]:
    """Sections that are missing though needed, or no mapping: their ids are not known."""
    found = {
        name
        for name in (*_ENTRIES, "claims")
        if raw.get(name) is not None and not isinstance(raw[name], dict)
    }
    found |= {name for name in ("systems", "sources") if raw.get(name) is None}
    workload = raw.get("workload")
    if workload is not None and not (
        isinstance(workload, dict) and isinstance(workload.get("tasks"), dict)
    ):
        found.add("tasks")
    return frozenset(found)


def _top_keys(raw: Mapping[str, Any]) -> Iterator[Finding]:
    known = fields_of("study")
    missing = [name for name in _REQUIRED if raw.get(name) is None]
    if raw.get("system_table") is not None and "systems" in missing:
        missing.remove("systems")
    unknown = [key for key in raw if key not in known and not is_known_key("study", key)]
    yield from unknown_and_missing((), raw, unknown, missing, known)
    for name in ("systems", "sources"):
        if raw.get(name) == {}:
            yield Finding((name,), f"{name} is empty", remedy="declare at least one")


def _field(reading: _Reading, name: str) -> Any:
    """Read one plain field of the top."""
    value = reading.raw[name]
    if value is None:
        return None
    by_alias = {one.alias or key: one for key, one in models.Study.model_fields.items()}
    annotation = by_alias[name].rebuild_annotation()
    return reading.read(annotation, value, (name,))


def _workload(reading: _Reading) -> tuple[models.Workload | None, dict[str, models.Task | None]]:
    value = reading.raw.get("workload")
    if value is None:
        return None, {}
    workload = reading.read(models.Workload, value, ("workload",))
    if workload is not None:
        return workload, dict(workload.tasks)
    declared = value.get("tasks") if isinstance(value, dict) else None
    tasks: dict[str, models.Task | None] = {}
    for name, one in (declared if isinstance(declared, dict) else {}).items():
        try:
            tasks[name] = TypeAdapter(models.Task).validate_python(one)
        except ValidationError:
            tasks[name] = None  # told with the workload
    return None, tasks


def _claim(reading: _Reading, name: str, value: Any) -> Any | None:
    path: Path = ("claims", name)
    if not isinstance(value, dict):
        reading.findings.append(Finding(path, "expected a mapping", found=shown(value)))
        return None
    kind = value.get("kind")
    if isinstance(kind, str) and kind in CLAIM_KINDS:
        return None  # not available yet: told already
    model = CLAIM_MODELS.get(kind) if isinstance(kind, str) else None
    if model is not None:
        return reading.read(model, value, path)
    allowed = choices(CLAIM_MODELS)
    if kind is None:
        unknown = [key for key in value if key not in fields_of("claim")]
        unknown = [key for key in unknown if not is_known_key("claim", key)]
        known = fields_of("claim")
        reading.findings += unknown_and_missing(path, value, unknown, ["kind"], known)
    else:
        remedy = did_you_mean(str(kind), (*CLAIM_MODELS, *CLAIM_KINDS))
        reading.findings.append(
            Finding((*path, "kind"), "this kind is not known", shown(kind), allowed, remedy)
        )
    return None
