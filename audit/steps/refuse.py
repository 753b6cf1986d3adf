"""`audit refuse`: a study that cannot be judged becomes a job that fails with its message."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def run(
    message: Annotated[Path, typer.Argument(help="What was found while the Snakefile was read.")],
) -> None:
    """Print why, and leave with the exit code of the mistake."""
    found = json.loads(message.read_bytes())
    print("\n".join(found["lines"]), file=sys.stderr)
    raise typer.Exit(int(found["exit_code"]))
