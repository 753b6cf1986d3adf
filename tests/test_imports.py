"""Imports go one way: the table of the rooms, read from the source files themselves."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from audit.modules import imports_of

PACKAGE = Path(__file__).resolve().parents[1] / "audit"

OURS = {
    "errors": set(),
    "bundled": set(),
    "layout": set(),
    "io": {"errors"},
    "spec": {"errors", "io"},
    "responses": {"errors", "io", "spec"},
    "stats": {"errors"},
    "analyses": {"errors", "io", "spec", "responses", "stats"},
    "argument": {"errors", "io", "spec", "responses.accounting", "analyses.contract", "stats"},
    "evidence": {
        "errors", "io", "spec.plan", "responses.accounting", "analyses.contract", "argument",
    },
    "report": {
        "errors", "io", "bundled", "evidence", "spec.plan", "spec.models", "responses.accounting",
        "analyses.contract", "argument.assessment",
    },
    "record": {"errors", "io", "evidence", "argument.assessment"},
}  # fmt: skip
"""{room: what it may import of this package}; rooms not named are doors and may import all."""

OTHERS = {
    "errors": set(),
    "bundled": set(),
    "layout": set(),
    "io": {"pydantic", "numpy", "polars"},
    "spec": {"pydantic", "yaml"},
    "responses": {"pydantic", "numpy", "polars", "inspect_ai"},
    "stats": {"numpy", "scipy", "statsmodels"},
    "analyses": {"pydantic", "numpy", "polars", "scipy"},
    "argument": {"pydantic", "numpy"},
    "evidence": {"pydantic"},
    "report": {
        "pydantic", "jinja2", "markupsafe", "weasyprint", "matplotlib", "fontTools",
        "font_source_sans_pro",
    },
    "record": {"pydantic"},
}  # fmt: skip
"""{room: libraries that it may import beside Python's own}."""


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if room_of(path) in OURS)


def allowed(name: str, room: str) -> bool:
    if name in ("audit", "audit.__version__"):
        return True
    inner = name.removeprefix("audit.")
    rooms = {room, *OURS[room]}
    # `from audit.spec import plan` reads as `audit.spec`, then `audit.spec.plan`
    return any(inner == one or inner.startswith(f"{one}.") or one.startswith(f"{inner}.")
               for one in rooms)  # fmt: skip


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_rooms_import_only_what_their_line_of_the_table_names(path):
    room = room_of(path)
    for name in sorted(imports_of(path)):
        head = name.split(".")[0]
        if head == "audit":
            assert allowed(name, room), f"{room} imports {name}"
        elif head not in sys.stdlib_module_names:
            assert head in OTHERS[room], f"{room} imports {head}"


def test_the_table_names_every_room_that_is_no_door():
    doors = {"__init__", "__main__", "checking", "environment", "filedigests", "gate", "holding",
             "locking", "modules", "pango", "prospects", "reading", "results", "running",
             "schema_verb", "steps", "verifying", "workflow"}  # fmt: skip
    assert {room_of(path) for path in PACKAGE.rglob("*.py")} == doors | set(OURS)


def test_relative_imports_are_not_used():
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            assert not (isinstance(node, ast.ImportFrom) and node.level), path


def test_reading_the_snakefile_loads_no_heavy_library():
    """Every job of a cluster reads it again: pydantic and YAML only."""
    code = "import audit.workflow, audit.holding, sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent, check=True
    )
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not loaded & {"numpy", "polars", "scipy", "pandas", "matplotlib", "typer", "snakemake"}
