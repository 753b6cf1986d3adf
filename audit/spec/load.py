"""From the study's file to a validated study, or every mistake at once."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from audit.errors import Contradiction, Issue, SpecError
from audit.spec.characters import MOST_BYTES, too_large
from audit.spec.checks import check_parts
from audit.spec.findings import Finding, Locator, hint
from audit.spec.models import Study
from audit.spec.not_yet import not_yet
from audit.spec.places import DEFAULTED
from audit.spec.showing import Path as Place
from audit.spec.showing import choices, did_you_mean, shown
from audit.spec.strict_yaml import Document, read_yaml
from audit.spec.structure import read_parts
from audit.spec.system_table import SystemTable, read_system_table

STUDY_FILE = "study.yaml"
MOST_TOLD = 1_000
"""Mistakes of one study that are told."""
_NO_ROOTS: Mapping[str, Path] = MappingProxyType({})


@dataclass(frozen=True)
class LoadedStudy:
    """A study without errors, with what the check remarks and what it was read from."""

    study: Study
    path: Path
    folder: Path
    remarks: tuple[Issue, ...]
    """Warnings and hints, in file order."""
    spec_digest: str
    """SHA-256 over the study's bytes and those of its system table."""


def load_study(path: Path, *, data_roots: Mapping[str, Path] = _NO_ROOTS) -> LoadedStudy:
    """Read, validate and check a study.

    Parameters
    ----------
    path : `study.yaml`, or the folder that holds it
    data_roots : {NAME: folder}, for a system table declared as `NAME:path`

    Raises
    ------
    SpecError
        with every mistake that could be found, in file order
    """
    path = path / STUDY_FILE if path.is_dir() else path
    content = _read_bytes(path)
    document = read_yaml(content, str(path))
    if not isinstance(document.data, dict):
        message = "a study is a mapping: `schema: 1`, `study: name`, and so on"
        raise SpecError([Issue(str(path), 1, 1, "", message, shown(document.data))])
    folder = path.parent
    issues: list[Issue] = []
    table = _table(document, folder, data_roots, issues)
    raw, findings = lay_defaults(document.data, table)
    locator = Locator(document, table.file, table.lines)
    findings = [*not_yet(document.data), *map(_cut_text, document.cut), *findings]
    name = Path(os.path.abspath(folder)).name  # noqa: PTH100 (links in the path keep their names)
    unread = ("systems",) if table.broken else ()
    parts, more = read_parts(raw, name, document.written, unread)
    findings += more
    findings += _until_many(check_parts(parts))
    issues += locator.issues(findings)
    if any(one.severity == "error" for one in issues):
        raise SpecError(_first(issues, str(path)))
    digest = hashlib.sha256(content + table.content).hexdigest()
    return LoadedStudy(_build(raw), path, folder, tuple(sorted(issues)), f"sha256:{digest}")


def _until_many(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Findings until there are more errors than are told."""
    errors = 0
    for one in findings:
        yield one
        errors += one.severity == "error"
        if errors > MOST_TOLD:
            return


def _first(issues: list[Issue], file: str) -> list[Issue]:
    """The first mistakes in file order, or all with every remark if they are not too many."""
    if len(issues) <= MOST_TOLD:
        return issues
    errors = sorted(one for one in issues if one.severity == "error")
    if len(errors) <= MOST_TOLD:
        return errors
    message = f"too many mistakes: these are the first {MOST_TOLD}"
    return [Issue(file, 0, 0, "", message), *errors[:MOST_TOLD]]


def _read_bytes(path: Path) -> bytes:
    """Read a regular file of at most 1 MiB (one byte more if it grows meanwhile: refused later)."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise SpecError([Issue(str(path), 0, 0, "", "this is no regular file")])
        if found.st_size > MOST_BYTES:
            raise too_large(str(path), found.st_size)
        with path.open("rb") as stream:
            return stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "strerror", None) or error)
        remedy = f"a study is a folder with a file {STUDY_FILE}"
        raise SpecError(
            [Issue(str(path), 0, 0, "", "the study cannot be read", shown(reason), "", remedy)]
        ) from None


def _cut_text(path: Place) -> Finding:
    return hint(path, "the text ends before #, which begins a comment", "quote the text")


def _table(
    document: Document, folder: Path, data_roots: Mapping[str, Path], issues: list[Issue]
) -> SystemTable:
    declared = document.data.get("system_table")
    if not isinstance(declared, str) or not declared.strip():
        return SystemTable("")
    try:
        return read_system_table(declared, folder, data_roots)
    except SpecError as error:
        line, column = document.position(("system_table",))
        for one in error.issues:
            if one.line:
                issues.append(one)
            else:  # a mistake of the path itself stands in the study
                issues.append(
                    Issue(
                        document.file,
                        line,
                        column,
                        "system_table",
                        one.message,
                        one.found or shown(declared),
                        one.allowed,
                        one.remedy,
                    )
                )
        return SystemTable("", broken=True)


# --------------------------------------------------------------------------------------- defaults


def lay_defaults(
    data: Mapping[str, Any], table: SystemTable
) -> tuple[dict[str, Any], list[Finding]]:
    """Lay the system table and the defaults under the entries.

    Key by key and one mapping deep: of a mapping in both, the entry's keys win; lists and
    everything else are replaced. What an entry says wins over defaults, and those over the role
    `reference` that a system of the table has when nobody says otherwise.

    Returns
    -------
    The study without `defaults`, and the mistakes in `defaults` itself.
    """
    raw = {key: value for key, value in data.items() if key != "defaults"}
    findings: list[Finding] = []
    defaults = data.get("defaults")
    if defaults is not None and not isinstance(defaults, dict):
        findings.append(Finding(("defaults",), "expected a mapping", shown(defaults)))
    defaults = defaults if isinstance(defaults, dict) else {}
    for key, value in defaults.items():
        if key not in DEFAULTED:
            remedy = did_you_mean(key, DEFAULTED)
            findings.append(
                Finding(
                    ("defaults", key),
                    f"{shown(key)} is not known here",
                    "",
                    choices(DEFAULTED),
                    remedy,
                    at_key=True,
                )
            )
        elif value is not None and not isinstance(value, dict):
            findings.append(Finding(("defaults", key), "expected a mapping", shown(value)))
    if table.rows:
        findings += _add_table(raw, table)
    for section in DEFAULTED:
        under, entries = defaults.get(section), raw.get(section)
        if isinstance(under, dict) and isinstance(entries, dict):
            raw[section] = {name: _laid(one, under) for name, one in entries.items()}
    for name in table.rows:
        system = raw["systems"].get(name) if isinstance(raw.get("systems"), dict) else None
        if isinstance(system, dict):
            system.setdefault("role", "reference")
            system.setdefault("version", "not stated")
    return raw, findings


def _add_table(raw: dict[str, Any], table: SystemTable) -> list[Finding]:
    declared = raw.get("systems")
    declared = {} if declared is None else declared
    if not isinstance(declared, dict):
        return []
    twice = [name for name in table.rows if name in declared]
    rows = {name: dict(one) for name, one in table.rows.items() if name not in declared}
    raw["systems"] = {**declared, **rows}
    return [
        Finding(
            ("systems", name),
            "the system is declared twice",
            remedy=f"it stands in {table.file} on line {table.lines[name]} too; keep one",
            at_key=True,
        )
        for name in twice
    ]


def _laid(entry: Any, under: Mapping[str, Any]) -> Any:
    if not isinstance(entry, dict):
        return entry
    merged = dict(under)
    for key, value in entry.items():
        below = merged.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            merged[key] = {**below, **value}
        else:
            merged[key] = value
    return merged


def _build(raw: Mapping[str, Any]) -> Study:
    try:
        return Study.model_validate({key: one for key, one in raw.items() if one is not None})
    except ValidationError as error:
        raise Contradiction(f"parts that fit make no study: {error}") from error
