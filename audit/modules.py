"""Which source files a step depends on, read from the imports themselves.

A step's door is `audit/steps/<verb>.py`; it depends on every module of the package that is reached
from there by `import`, at whatever depth, and on the page templates where it renders. Modules are
parsed, never imported, so that reading them costs no library. Imports under `TYPE_CHECKING` bind
nothing at run time and are left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from audit.bundled import bundled
from audit.io import file_digest

PACKAGE: Final = Path(__file__).resolve().parent
STEPS: Final = (
    "ingest",
    "intake",
    "workload",
    "comparison",
    "configuration",
    "assess",
    "evidence",
    "record",
    "render",
)
"""Verbs that the Snakefile calls, in the order of the path."""


@cache
def imports_of(path: Path) -> frozenset[str]:
    """Dotted names that a source file imports, also inside functions; not for types only."""
    tree = ast.parse(path.read_bytes(), filename=str(path))
    return frozenset(_imported(tree))


def _imported(node: ast.AST) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom) and child.module and not child.level:
            yield child.module
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        elif isinstance(child, ast.If) and _is_type_checking(child.test):
            yield from (name for part in child.orelse for name in _imported(part))
        else:
            yield from _imported(child)


def _is_type_checking(test: ast.expr) -> bool:
    return "TYPE_CHECKING" in (getattr(test, "id", None), getattr(test, "attr", None))


def source_of(module: str) -> Path | None:
    """Source file of a module of this package by its dotted name; None for anything else."""
    head, *rest = module.split(".")
    if head != PACKAGE.name:
        return None
    place = PACKAGE.joinpath(*rest)
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file() and (rest or path.name == "__init__.py"):
            return path
    return None


def reached_from(*modules: str) -> tuple[Path, ...]:
    """All source files of this package that these modules import, themselves included, sorted."""
    found: set[Path] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        path = source_of(name)
        if path is None or path in found:
            continue
        found.add(path)
        waiting.append(name.rpartition(".")[0])  # a package runs before what lies in it
        waiting.extend(imports_of(path))
    return tuple(sorted(found))


@cache
def modules_of(verb: str) -> tuple[Path, ...]:
    """Source files and templates that a step's output depends on, sorted.

    Raises
    ------
    KeyError
        if there is no such step
    """
    if verb not in STEPS:
        raise KeyError(verb)
    modules = reached_from(f"audit.steps.{verb}")
    if verb == "render":
        modules += tuple(sorted(path for path in bundled("templates").rglob("*") if path.is_file()))
    if verb == "record":
        modules = tuple(sorted({*modules, *judging_modules()}))
    return modules


@cache
def judging_modules() -> tuple[Path, ...]:
    """Source files behind a verdict: planning and every step up to the evidence; no pages."""
    found = set(reached_from("audit.workflow"))
    for verb in STEPS[: STEPS.index("record")]:
        found.update(modules_of(verb))
    return tuple(sorted(found))


def code_digests(files: tuple[Path, ...]) -> dict[str, str]:
    """{path as the checkout names it: digest}, the same for a checkout and an installed wheel."""
    return {_name(path): file_digest(path) for path in files}


def _name(path: Path) -> str:
    """`audit/spec/load.py`, `templates/report.css`, wherever they are installed."""
    if path.suffix == ".py" and path.is_relative_to(PACKAGE):
        return path.relative_to(PACKAGE.parent).as_posix()
    return path.relative_to(bundled("templates").parent).as_posix()
