"""`audit ingest`: the files of one source become the response table, with every row accounted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from audit.errors import Contradiction
from audit.io import read_model, write_json, write_parquet
from audit.responses.intake import ingest
from audit.spec.files import resolve_files
from audit.spec.plan import SourceSlice
from audit.steps.options import Slice


def run(
    slice_file: Slice,
    places: Annotated[Path, typer.Option(help="Where studies and data roots lie (JSON).")],
    responses: Annotated[Path, typer.Option(help="Response table to write.")],
    items: Annotated[Path, typer.Option(help="Item table to write.")],
    texts: Annotated[Path, typer.Option(help="Text store to write.")],
    accounting: Annotated[Path, typer.Option(help="Accounting to write.")],
) -> None:
    """Read one source's files into the response table; every row is kept or counted."""
    source = read_model(slice_file, SourceSlice)
    known = json.loads(places.read_bytes())
    if source.study not in known["studies"]:
        raise Contradiction(f"{places} does not say where the study {source.study!r} lies")
    files = resolve_files(
        source.declared_files,
        Path(known["studies"][source.study]["folder"]),
        {name: Path(folder) for name, folder in known["data"].items()},
    )
    found = ingest(source, files)
    write_parquet(responses, found.table.responses)
    write_parquet(items, found.table.items)
    write_parquet(texts, found.texts)
    write_json(accounting, found.accounting)
