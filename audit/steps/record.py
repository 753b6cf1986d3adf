"""`audit record`: the lasting file of one run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from audit.evidence import Evidence
from audit.io import file_digest, read_model, write_json
from audit.record import make_record
from audit.steps.options import Out


def run(
    evidence: Annotated[Path, typer.Option(help="The evidence bundle.")],
    code: Annotated[Path, typer.Option(help="Digests of the program's modules (slice).")],
    environment: Annotated[Path, typer.Option(help="Versions of libraries (slice).")],
    file: Annotated[list[Path], typer.Option(help="Results file to name; repeat.")],
    out: Out,
) -> None:
    """Write down what was decided from what, by which code, with which seeds."""
    folder = out.parent
    record = make_record(
        read_model(evidence, Evidence),
        code=json.loads(code.read_bytes()),
        environment=json.loads(environment.read_bytes()),
        files={path.relative_to(folder).as_posix(): file_digest(path) for path in file},
    )
    write_json(out, record)
