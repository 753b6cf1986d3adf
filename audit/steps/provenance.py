"""What a result was made from, added by the door that read the files."""

from __future__ import annotations

from pathlib import Path

from audit.analyses.contract import Result
from audit.io import file_digest


def with_inputs(result: Result, **files: Path) -> Result:
    """The result with the digest of each file by its role."""
    inputs = {role: file_digest(path) for role, path in files.items()}
    known = result.provenance
    provenance = known.model_copy(update={"inputs": {**known.inputs, **inputs}})
    return result.model_copy(update={"provenance": provenance})
