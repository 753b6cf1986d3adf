"""Files that a study names: in its folder or below a root of the command line, nowhere else."""

from __future__ import annotations

import fnmatch
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NoReturn

from audit.errors import DataError, FilesAbsent, Issue
from audit.spec.showing import ascii_safe, choices, shown

MOST_FILES = 10_000
MOST_ENTRIES = 200_000
"""Folder entries looked at for one glob."""

_ROOT = re.compile(r"^([A-Za-z][A-Za-z0-9._-]{0,63}):(.*)$", re.DOTALL)
_INSIDE = "put the file in the study's folder, or name its root: NAME:path, --data NAME=FOLDER"
_OF_THE_STUDY = ("study.yaml", "lock.jsonl")
"""Files of a study's folder that are no data, whatever a glob says."""
_GLOB = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class ResolvedFile:
    """A regular file below its root; `declared` never is an absolute path."""

    declared: str
    path: Path


@dataclass(frozen=True)
class Problem:
    """Why a declared path is refused, and what to do."""

    message: str
    remedy: str = ""


def declared_problem(declared: str) -> Problem | None:
    """Find what is wrong with a declared path or glob, without looking at any file."""
    found = _ROOT.match(declared)
    path = found.group(2) if found else declared
    if not all(one.isprintable() for one in declared):
        return Problem("a path holds characters that are not printable", "rename the file")
    if not path.strip():
        return Problem("the path is empty", "name a file")
    if "\\" in path:
        return Problem("a path is written with /", "write folder/file.csv")
    if path.startswith(("/", "~")):
        return Problem("absolute paths are refused", _INSIDE)
    if ".." in PurePosixPath(path).parts:
        return Problem("paths that leave the folder (..) are refused", _INSIDE)
    return None


def resolve_files(
    declared: Sequence[str], folder: Path, data_roots: Mapping[str, Path]
) -> tuple[ResolvedFile, ...]:
    """Find the files that a source declares.

    Parameters
    ----------
    declared : paths or globs (`*`, `?`, `[a-c]`, `**`), in the study's folder or `NAME:path`
    folder : the study's folder
    data_roots : {NAME: folder}, as given on the command line

    Returns
    -------
    In the order of `declared`, the matches of each glob sorted; each file once.

    Raises
    ------
    FilesAbsent
        if all that is wrong is a root that is not given, a file that is not there, no match
    DataError
        with all issues: a path that is refused, a link that leaves, no regular file
    """
    issues: list[Issue] = []
    absent = True
    found: dict[Path, ResolvedFile] = {}
    for one in declared:
        try:
            for file in _resolve(one, folder, data_roots):
                found.setdefault(file.path.resolve(), file)
        except DataError as error:
            issues += error.issues
            absent = absent and isinstance(error, FilesAbsent)
    if issues:
        raise (FilesAbsent if absent else DataError)(issues)
    return tuple(found.values())


def _resolve(declared: str, folder: Path, data_roots: Mapping[str, Path]) -> Iterator[ResolvedFile]:
    problem = declared_problem(declared)
    if problem is not None:
        _refuse(declared, problem.message, problem.remedy)
    named = _ROOT.match(declared)
    root, prefix, path = folder, "", declared
    if named is not None:
        name, path = named.groups()
        if name not in data_roots:
            _refuse(
                declared,
                f"the root {name} is not known",
                f"give it on the command line: --data {name}=FOLDER",
                choices(sorted(data_roots)) if data_roots else "no root is given",
                kind=FilesAbsent,
            )
        root, prefix = data_roots[name], f"{name}:"
    steps = [one for one in PurePosixPath(path).parts if one != "."]
    matches = ["/".join(steps)]
    if _GLOB.search(path):
        own = () if named is not None else _OF_THE_STUDY
        matches = sorted(one for one in _matches(root, steps, declared) if one not in own)
    if not matches:
        remedy = "check the name; hidden files match only by name"
        _refuse(declared, "no file matches", remedy, kind=FilesAbsent)
    for one in matches:
        yield ResolvedFile(prefix + one, _checked(root, one, prefix + one))


def _matches(root: Path, steps: Sequence[str], declared: str) -> Iterator[str]:
    """Relative paths of files below the root that fit a glob; linked folders are not entered."""
    seen = 0
    pending: list[tuple[str, tuple[str, ...]]] = [("", tuple(steps))]
    visited: set[tuple[str, tuple[str, ...]]] = set(pending)
    matched: set[str] = set()
    while pending:
        base, rest = pending.pop()
        head, tail = rest[0], rest[1:]
        if head == "**" and tail:
            _push(pending, visited, (base, tail))
        for entry in _entries(root / base):
            seen += 1
            if seen > MOST_ENTRIES or len(matched) > MOST_FILES:
                _refuse(declared, "the glob looks at too many files", "name a narrower folder")
            path = f"{base}/{entry.name}" if base else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if head == "**":
                if is_folder and not entry.name.startswith("."):
                    _push(pending, visited, (path, rest))
                if tail or is_folder or entry.name.startswith("."):
                    continue
            elif not _fits(entry.name, head):
                continue
            if tail and is_folder:
                _push(pending, visited, (path, tail))
            elif not tail and not is_folder:
                matched.add(path)
    yield from matched


def _push(
    pending: list[tuple[str, tuple[str, ...]]],
    visited: set[tuple[str, tuple[str, ...]]],
    one: tuple[str, tuple[str, ...]],
) -> None:
    if one not in visited:
        visited.add(one)
        pending.append(one)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda one: one.name)
    except OSError:
        return []


def _fits(name: str, pattern: str) -> bool:
    if name.startswith(".") and not pattern.startswith("."):
        return False
    return fnmatch.fnmatchcase(name, pattern)


def _checked(root: Path, relative: str, declared: str) -> Path:
    """Give a path whose real place is a regular file below the real root."""
    path = root / relative
    try:
        real_root = root.resolve(strict=True)
        real = path.resolve(strict=True)
        mode = real.stat().st_mode
    except (OSError, RuntimeError, ValueError) as error:
        why = shown(_why(error))
        _refuse(declared, "the file cannot be found", "check the name", why, kind=FilesAbsent)
    if real != real_root and real_root not in real.parents:
        _refuse(declared, "a link leaves the folder", "copy the file, or name its root")
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "no regular file"
        remedy = "name the files in it: folder/*.csv" if stat.S_ISDIR(mode) else "name a file"
        _refuse(declared, f"this is {kind}", remedy)
    return path


def _why(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or type(error).__name__)


def _refuse(
    declared: str,
    message: str,
    remedy: str,
    found: str = "",
    kind: type[DataError] = DataError,
) -> NoReturn:
    name = ascii_safe(declared)
    name = name if len(name) <= 120 else name[:119] + "…"
    raise kind([Issue(name, 0, 0, "", message, found=found, remedy=remedy)])
