"""`audit intake`: what was read and what was lost, as a result."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from audit.analyses import intake
from audit.io import read_model, write_json
from audit.responses.accounting import Accounting
from audit.spec.plan import IntakeSlice
from audit.steps.options import Items, Out, Responses, Slice
from audit.steps.provenance import with_inputs
from audit.steps.tables import read_table


def run(
    slice_file: Slice,
    accounting: Annotated[Path, typer.Option(help="Accounting of the source.")],
    responses: Responses,
    items: Items,
    out: Out,
) -> None:
    """Say what was read, what was lost and what that leaves open."""
    source = read_model(slice_file, IntakeSlice)
    table = read_table(responses, items)
    found = intake.analyse(read_model(accounting, Accounting), table, source)
    write_json(out, with_inputs(found, accounting=accounting, responses=responses, items=items))
