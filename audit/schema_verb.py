"""`audit schema`: the JSON Schema of a study."""

from __future__ import annotations

import sys

from audit.io import canonical_json
from audit.spec.schema import study_schema


def run() -> None:
    """Print the JSON Schema of a study, for editors."""
    sys.stdout.buffer.write(canonical_json(study_schema()))
