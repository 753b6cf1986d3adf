"""`audit render`: charts, HTML, PDF and summary from one bundle."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Annotated

import typer

from audit.evidence import Evidence
from audit.io import read_model, write_atomic
from audit.report.render import Attachments, render


def run(
    evidence: Annotated[Path, typer.Option(help="The evidence bundle.")],
    record: Annotated[Path, typer.Option(help="The record.")],
    study: Annotated[str, typer.Option(help="Name of the study.")],
    places: Annotated[Path, typer.Option(help="Where studies lie (JSON).")],
    html: Annotated[Path, typer.Option(help="Page to write.")],
    pdf: Annotated[Path, typer.Option(help="PDF to write.")],
    summary: Annotated[Path, typer.Option(help="Summary to write.")],
    figures: Annotated[Path, typer.Option(help="Folder of charts to write.")],
) -> None:
    """Make the pages; every number on them comes from the bundle."""
    place = json.loads(places.read_bytes())["studies"][study]
    declared = Path(place["folder"]) / place["file"]
    bundle = read_model(evidence, Evidence)
    pages = render(
        bundle,
        Attachments(
            study_yaml=declared.read_bytes(),
            evidence_json=evidence.read_bytes(),
            record_json=record.read_bytes(),
        ),
    )
    _write_figures(figures, pages.figures)
    write_atomic(html, pages.html)
    write_atomic(summary, pages.summary)
    write_atomic(pdf, pages.pdf)


def _write_figures(folder: Path, figures: dict[str, bytes]) -> None:
    """A folder of charts, whole or not at all: written beside, then renamed."""
    beside = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    for name, svg in sorted(figures.items()):
        write_atomic(beside / f"{name}.svg", svg)
    if folder.exists():
        shutil.rmtree(folder)
    beside.rename(folder)
