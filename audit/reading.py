"""One study with its files, read in process: what `check` and `lock` need without a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from audit.errors import FilesAbsent, InputError, Issue
from audit.responses.accounting import Accounting
from audit.responses.intake import ingest
from audit.spec.files import resolve_files
from audit.spec.load import LoadedStudy, load_study
from audit.spec.lock import read_lock
from audit.spec.plan import ArgumentSlice, LockEntry, SourceSlice
from audit.spec.slices import make_slices


@dataclass(frozen=True)
class Reading:
    """A study, its slices, and the accounting of each source whose files could be read."""

    loaded: LoadedStudy
    lock: tuple[LockEntry, ...]
    argument: ArgumentSlice
    accounting: dict[str, Accounting]
    absent: dict[str, InputError]
    """{source: why its files are not there}."""
    unreadable: dict[str, InputError]
    """{source: every mistake in its files}."""


def read_study(path: Path, roots: Mapping[str, Path]) -> Reading:
    """Load a study and read the files that are there.

    Raises
    ------
    InputError
        with every mistake in the study itself
    """
    loaded = load_study(path, data_roots=roots)
    lock = read_lock(loaded.folder)
    slices = make_slices(loaded, lock)
    accounting: dict[str, Accounting] = {}
    absent: dict[str, InputError] = {}
    unreadable: dict[str, InputError] = {}
    for source in loaded.study.sources:
        wanted = SourceSlice.model_validate(slices[f"source.{source}.json"], from_attributes=True)
        try:
            files = resolve_files(wanted.declared_files, loaded.folder, roots)
        except FilesAbsent as error:
            absent[source] = error
            continue
        except InputError as error:
            unreadable[source] = error
            continue
        try:
            accounting[source] = ingest(wanted, files).accounting
        except InputError as error:
            unreadable[source] = error
    argument = ArgumentSlice.model_validate(slices["argument.json"], from_attributes=True)
    return Reading(loaded, lock, argument, accounting, absent, unreadable)


def located(reading: Reading, error: InputError) -> Iterator[Issue]:
    """Issues of data files, with the study's folder before names that are the study's own."""
    for issue in error.issues:
        known = reading.loaded.folder / issue.file
        yield Issue(**{**vars(issue), "file": str(known)}) if known.is_file() else issue
