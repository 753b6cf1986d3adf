"""The files that steps read and write, as options of the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Slice = Annotated[Path, typer.Option("--slice", help="The slice of the study for this step.")]
Responses = Annotated[Path, typer.Option(help="Response table (Parquet).")]
Items = Annotated[Path, typer.Option(help="Item table (Parquet).")]
Results = Annotated[list[Path], typer.Option("--result", help="Result of an analysis; repeat.")]
Accountings = Annotated[
    list[Path], typer.Option("--accounting", help="Accounting of a source; repeat.")
]
Out = Annotated[Path, typer.Option(help="File to write.")]
