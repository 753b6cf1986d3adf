"""`audit assess`: from results to verdicts."""

from __future__ import annotations

from audit.analyses.contract import Result
from audit.argument.assess import assess
from audit.io import read_model, write_json
from audit.responses.accounting import Accounting
from audit.spec.plan import ArgumentSlice
from audit.steps.options import Accountings, Out, Results, Slice


def run(slice_file: Slice, result: Results, accounting: Accountings, out: Out) -> None:
    """Judge every claim of a study by the computed results."""
    argument = read_model(slice_file, ArgumentSlice)
    results = [read_model(path, Result) for path in result]
    write_json(
        out, assess(argument, results, [read_model(path, Accounting) for path in accounting])
    )
