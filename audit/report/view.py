"""The view: every string of the report, made from the bundle alone."""

from __future__ import annotations

from dataclasses import dataclass

from audit.evidence import Evidence
from audit.report.annex import Annex, annex
from audit.report.figures import Figures, make_figures
from audit.report.lookup import Lookup
from audit.report.page_one import DENSITIES, Density, PageOne, page_one
from audit.report.page_two import PageTwo, page_two
from audit.report.words import clip


@dataclass(frozen=True)
class View:
    """What the templates see: strings, and charts as SVG text of our own making."""

    title: str
    study: str
    program: str
    simulated: bool
    digest: str
    spec_digest: str
    one: PageOne
    two: PageTwo
    annex: Annex
    figures: Figures


def make_view(
    evidence: Evidence, density: Density = DENSITIES[0], figures: Figures | None = None
) -> View:
    """All strings of the report at a density of page one.

    Parameters
    ----------
    figures : charts drawn before, to spare drawing them again at another density
    """
    lookup = Lookup(evidence)
    charts = figures or make_figures(lookup)
    one = page_one(Lookup(evidence, density.name), density)
    return View(
        title=clip(str(evidence.study["title"]), 200),
        study=str(evidence.study["study"]),
        program=evidence.program,
        simulated=evidence.simulated,
        digest=one.digest,
        spec_digest=evidence.digests.get("spec", "").removeprefix("sha256:")[:16],
        one=one,
        two=page_two(lookup),
        annex=annex(lookup, charts.of_result),
        figures=charts,
    )
