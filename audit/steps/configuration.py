"""`audit configuration`: what was tested against what will be deployed."""

from __future__ import annotations

from audit.analyses import configuration
from audit.io import read_model, write_json
from audit.spec.plan import ConfigurationSlice
from audit.steps.options import Out, Slice


def run(slice_file: Slice, out: Out) -> None:
    """Compare tested and deployed configurations."""
    write_json(out, configuration.analyse(read_model(slice_file, ConfigurationSlice)))
