"""Whole studies in process: from the study's file to the verdicts, without the workflow."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from audit.analyses import comparison, configuration, intake, workload
from audit.analyses.contract import Estimate, NotEstimable, Result
from audit.argument.assess import assess
from audit.argument.assessment import Assessment, ClaimVerdict
from audit.evidence import Evidence, build_evidence
from audit.responses.accounting import Accounting
from audit.responses.intake import Ingested, ingest
from audit.spec.files import resolve_files
from audit.spec.load import LoadedStudy, load_study
from audit.spec.lock import read_lock
from audit.spec.slices import make_slices


@dataclass(frozen=True)
class Whole:
    """Everything between a study and its assessment."""

    loaded: LoadedStudy
    slices: Mapping
    ingested: Mapping[str, Ingested]
    results: tuple[Result, ...]
    assessment: Assessment

    def claim(self, name: str) -> ClaimVerdict:
        return next(one for one in self.assessment.claims if one.id == name)

    def estimate(self, request: str) -> Estimate | NotEstimable:
        return next(
            one
            for result in self.results
            for one in (*result.estimates, *result.not_estimable)
            if one.request == request
        )

    def accounting(self, source: str) -> Accounting:
        return self.ingested[source].accounting

    def evidence(self) -> Evidence:
        """The bundle that pages are made of."""
        argument = self.slices["argument.json"]
        return build_evidence(
            study_slice=self.slices["study.json"],
            plan=argument.plan,
            weights=argument.weights,
            accounting=[one.accounting for one in self.ingested.values()],
            results=list(self.results),
            assessment=self.assessment,
        )


def run_whole(path: Path, roots: Mapping[str, Path] | None = None) -> Whole:
    """Load, ingest every source, analyse and assess.

    Parameters
    ----------
    path : the study's `study.yaml`
    roots : {name: folder} for files declared as `NAME:path`
    """
    roots = dict(roots or {})
    loaded = load_study(path, data_roots=roots)
    slices = make_slices(loaded, read_lock(loaded.folder))
    ingested, results = {}, []
    for source in loaded.study.sources:
        own = slices[f"source.{source}.json"]
        files = resolve_files(own.declared_files, loaded.folder, roots)
        ingested[source] = ingest(own, files)
        table, accounting = ingested[source].table, ingested[source].accounting
        results.append(intake.analyse(accounting, table, slices[f"intake.{source}.json"]))
        for name, analysis in (("workload", workload), ("comparison", comparison)):
            wanted = slices.get(f"{name}.{source}.json")
            if wanted is not None:
                results.append(analysis.analyse(wanted, table))
    results.append(configuration.analyse(slices["configuration.json"]))
    accountings = [one.accounting for one in ingested.values()]
    assessment = assess(slices["argument.json"], results, accountings)
    return Whole(loaded, slices, ingested, tuple(results), assessment)


def judge(path: Path, roots: Mapping[str, Path] | None = None) -> Assessment:
    """Give the assessment of a study."""
    return run_whole(path, roots).assessment


def write_study(folder: Path, study: Mapping, files: Mapping[str, str]) -> Path:
    """Write a study and its data into `folder`/<study>; JSON is YAML.

    Parameters
    ----------
    study : the study as declared
    files : {name: content}
    """
    home = folder / study["study"]
    home.mkdir(parents=True)
    for name, content in files.items():
        (home / name).write_text(content, encoding="utf-8")
    path = home / "study.yaml"
    path.write_text(json.dumps(study, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def as_csv(rows: Sequence[Sequence], columns: Sequence[str]) -> str:
    """Rows as CSV text; nothing here needs quoting."""
    lines = [",".join(columns), *(",".join(str(one) for one in row) for row in rows)]
    return "\n".join(lines) + "\n"
