"""`audit comparison`: paired differences and ranks."""

from __future__ import annotations

from audit.analyses import comparison
from audit.io import read_model, write_json
from audit.spec.plan import AnalysisSlice
from audit.steps.options import Items, Out, Responses, Slice
from audit.steps.provenance import with_inputs
from audit.steps.tables import read_table


def run(slice_file: Slice, responses: Responses, items: Items, out: Out) -> None:
    """Estimate paired differences and ranks, with bounds."""
    asked = read_model(slice_file, AnalysisSlice)
    found = comparison.analyse(asked, read_table(responses, items))
    write_json(out, with_inputs(found, responses=responses, items=items))
