"""The Snakefile's door: finds studies, writes their slices, says what each rule needs.

Runs while the Snakefile is read, in every job of a cluster too, so it imports pydantic and YAML
only. Everything that a rule may depend on is a *slice*: a small canonical file below
`results/<study>/slices/`, written only when its content differs. Digests of data files and of the
modules of each step are slices as well: what reruns follows from content, never from times.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from audit.environment import environment
from audit.errors import InputError, Issue
from audit.filedigests import FileDigests
from audit.io import write_json_if_different
from audit.layout import BROKEN, RESULTS, RUN, STUDY_FILE
from audit.modules import PACKAGE, STEPS, code_digests, modules_of
from audit.spec.files import ResolvedFile, resolve_files
from audit.spec.load import LoadedStudy, load_study
from audit.spec.lock import read_lock
from audit.spec.slices import make_slices

BY_SOURCE: Final = ("workload", "comparison")
"""Analyses that run for a source only when a claim asks them something."""
_RESERVED: Final = (".items", ".texts", ".accounting")
_SLUG: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Ready:
    """A study whose slices are written."""

    name: str
    sources: tuple[str, ...]
    analyses: tuple[str, ...]
    """`intake.<source>`, `workload.<source>`, …, `configuration`."""


@dataclass(frozen=True)
class Failure:
    """Why a study cannot be judged as it stands."""

    lines: tuple[str, ...]
    exit_code: int


@dataclass(frozen=True)
class Broken:
    """A study that cannot be judged as it stands; its folder says why."""

    name: str


@dataclass(frozen=True)
class Build:
    """Every study of one run, as the rules see it."""

    out: Path
    prefix: str
    """What stands before a study's name in the paths of rules: `results/`, or nothing."""
    ready: tuple[Ready, ...]
    broken: tuple[Broken, ...]

    def folder(self, study: Ready | Broken) -> str:
        """The study's results folder as the rules name it."""
        return f"{self.prefix}{study.name}"

    def targets(self) -> list[str]:
        """What a run makes: each study's report, and the refusal of each broken one."""
        return [
            *(f"{self.folder(study)}/report.pdf" for study in self.ready),
            *(f"{self.folder(study)}/accepted" for study in self.broken),
        ]

    @property
    def folder_pattern(self) -> str:
        """Regular expression of the wildcard `results`."""
        return _any_of([*map(self.folder, self.ready), *map(self.folder, self.broken)])

    @property
    def source_pattern(self) -> str:
        """Regular expression of the wildcard `source`."""
        return _any_of(source for study in self.ready for source in study.sources)

    def study(self, folder: str) -> Ready:
        """The study of a results folder."""
        return next(study for study in self.ready if self.folder(study) == folder)

    def analyses(self, wildcards: Any) -> list[str]:
        """Results of all analyses of a study."""
        study = self.study(wildcards.results)
        return [f"{wildcards.results}/analyses/{name}.json" for name in study.analyses]

    def accounting(self, wildcards: Any) -> list[str]:
        """Accounting of all sources of a study."""
        sources = self.study(wildcards.results).sources
        return [f"{wildcards.results}/responses/{source}.accounting.json" for source in sources]

    def recorded_files(self, wildcards: Any) -> list[str]:
        """What the record names: everything that a run leaves before its pages."""
        folder = wildcards.results
        tables = [
            f"{folder}/responses/{source}.{suffix}"
            for source in self.study(folder).sources
            for suffix in ("parquet", "items.parquet", "texts.parquet")
        ]
        single = ("plan.json", "analyses/assessment.json", "evidence.json", "verdicts.json")
        return [
            *(f"{folder}/{name}" for name in single),
            *self.analyses(wildcards),
            *self.accounting(wildcards),
            *tables,
        ]

    def result_options(self, wildcards: Any) -> list[str]:
        """`--result FILE` for each analysis."""
        return _repeated("--result", self.analyses(wildcards))

    def accounting_options(self, wildcards: Any) -> list[str]:
        """`--accounting FILE` for each source."""
        return _repeated("--accounting", self.accounting(wildcards))

    def file_options(self, wildcards: Any) -> list[str]:
        """`--file FILE` for everything that the record names."""
        return _repeated("--file", self.recorded_files(wildcards))


def _repeated(option: str, values: Iterable[str]) -> list[str]:
    return [part for value in values for part in (option, value)]


def _any_of(texts: Iterable[str]) -> str:
    """Regular expression that matches exactly these texts; none: nothing."""
    return "|".join(re.escape(text) for text in sorted(set(texts))) or "(?!)"


def results_folder(config: Mapping[str, Any]) -> Path:
    """The results folder that a run's configuration names."""
    return Path(str(config.get("out", RESULTS)))


def job_environment(build: Build) -> dict[str, str]:
    """Variables for the jobs: this interpreter, this package, this run; none is part of a rule."""
    search = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        "AUDIT_PYTHON": sys.executable,
        "AUDIT_RUN": str((build.out / RUN).absolute()),
        "PYTHONPATH": os.pathsep.join(search),
    }


def discover(specs: Path) -> list[Path]:
    """Study files below a folder, sorted; what looks like a study and is none is named."""
    if not specs.is_dir():
        return []
    found = []
    for folder in sorted(specs.iterdir()):
        if not folder.is_dir() or folder.name.startswith((".", "_")):
            continue
        if (folder / STUDY_FILE).is_file():
            found.append(folder / STUDY_FILE)
        else:
            print(f"{folder}: no {STUDY_FILE}: left out", file=sys.stderr)
    return found


def prepare(config: Mapping[str, Any]) -> Build:
    """Load the studies of a run and write their slices.

    Parameters
    ----------
    config : `studies` (files or folders; all below `specs` when missing), `out` (`results`), `data`
        ({name: folder}), as on Snakemake's command line
    """
    out = results_folder(config)
    named = config.get("studies")
    paths = discover(Path("specs")) if named is None else [study_file(Path(one)) for one in named]
    roots = {str(name): Path(folder) for name, folder in (config.get("data") or {}).items()}
    digests = FileDigests(out / RUN / "digests.json")
    ready: list[Ready] = []
    failed: list[tuple[Path, Failure]] = []
    places: dict[str, dict[str, str]] = {}
    for path in paths:
        study = _prepare_study(path, out, roots, digests, taken={one.name for one in ready})
        if isinstance(study, Ready):
            ready.append(study)
            places[study.name] = {"folder": str(path.parent.absolute()), "file": path.name}
        else:
            failed.append((path, study))
    # named last: a study that is ready keeps its folder, whatever stands before it
    taken = {one.name for one in ready}
    broken = [_break(path, out, failure, taken) for path, failure in failed]
    digests.save()
    shared = {name: str(folder.absolute()) for name, folder in roots.items()}
    write_json_if_different(out / RUN / "places.json", {"studies": places, "data": shared})
    if named is None:
        _name_stale(out, {one.name for one in ready} | {one.name for one in broken})
    prefix = "" if str(out) == "." else f"{out}/"
    return Build(out, prefix, tuple(ready), tuple(broken))


def study_file(path: Path) -> Path:
    """The study's file, of a path that may name its folder."""
    return path / STUDY_FILE if path.is_dir() else path


def _prepare_study(
    path: Path, out: Path, roots: Mapping[str, Path], digests: FileDigests, taken: set[str]
) -> Ready | Failure:
    """Slices of one study; whatever goes wrong is its own and never stops another."""
    try:
        loaded = load_study(path, data_roots=roots)
        _refuse_clashes(loaded, taken)
        return _write_slices(loaded, out, roots, digests)
    except InputError as error:
        return Failure(tuple(str(error).splitlines()), 2)
    except Exception as error:
        line = f"{path}: {type(error).__name__}: {str(error)[:500]}"
        return Failure((line, "this is a fault of the program, not of the study"), 1)


def _refuse_clashes(loaded: LoadedStudy, taken: set[str]) -> None:
    file, name = str(loaded.path), loaded.study.study
    issues = [
        Issue(file, 0, 0, f"sources.{source}", "this id would hide another source's files",
              remedy=f"choose one that does not end in {', '.join(_RESERVED)}")
        for source in loaded.study.sources
        if source.endswith(_RESERVED)
    ]  # fmt: skip
    if not _SLUG.fullmatch(name):
        issues.append(Issue(file, 0, 0, "study", "is no name for a folder of results", repr(name)))
    if name in taken:
        issues.append(Issue(file, 0, 0, "study", "another study of this run has the same name"))
    if issues:
        raise InputError(issues)


def _break(path: Path, out: Path, failure: Failure, taken: set[str]) -> Broken:
    """Put down why a study cannot be judged, in a folder that no other study of the run has."""
    folder = Path(os.path.abspath(path.parent)).name  # noqa: PTH100 (as a study's name is checked)
    name = re.sub(r"[^A-Za-z0-9._-]", "_", folder)[:60].lstrip(".") or "study"
    while name in taken:
        name += "_"
    taken.add(name)
    message = {"exit_code": failure.exit_code, "lines": list(failure.lines)}
    write_json_if_different(out / name / BROKEN, message)
    return Broken(name)


def _write_slices(
    loaded: LoadedStudy, out: Path, roots: Mapping[str, Path], digests: FileDigests
) -> Ready:
    study = loaded.study
    folder = out / study.study
    written: dict[str, Any] = dict(make_slices(loaded, read_lock(loaded.folder)))
    plan = written.pop("plan.json")
    for name in study.sources:
        files = resolve_files(written[f"source.{name}.json"].declared_files, loaded.folder, roots)
        written[f"files.{name}.json"] = digests_by_name(files, digests)
    for verb in STEPS:
        written[f"code.{verb}.json"] = code_digests(modules_of(verb))
    written["environment.json"] = environment()
    for name, content in written.items():
        write_json_if_different(folder / "slices" / name, content)
    write_json_if_different(folder / "plan.json", plan)
    for old in sorted((folder / "slices").iterdir()):
        if old.name not in written:
            old.unlink()
    (folder / BROKEN).unlink(missing_ok=True)
    asked = [f"{kind}.{name}" for kind in BY_SOURCE for name in study.sources]
    analyses = (
        *(f"intake.{name}" for name in study.sources),
        *(name for name in asked if f"{name}.json" in written),
        "configuration",
    )
    return Ready(study.study, tuple(study.sources), analyses)


def digests_by_name(files: Sequence[ResolvedFile], digests: FileDigests) -> dict[str, str]:
    """{file as declared: digest of its bytes}."""
    return {file.declared: digests.of(file.path) for file in files}


def _name_stale(out: Path, known: set[str]) -> None:
    """Results without a study are named, and nothing counts them."""
    if not out.is_dir():
        return
    for folder in sorted(out.iterdir()):
        if folder.name not in known and (folder / "plan.json").is_file():
            print(
                f"{folder}: stale: no study specs/{folder.name} any more; not counted,"
                " delete the folder to be rid of it",
                file=sys.stderr,
            )
