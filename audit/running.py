"""`audit report`: runs the bundled Snakefile on some studies and says what came out."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from audit.bundled import bundled
from audit.errors import InputError, Issue
from audit.layout import EXIT_MARK, RESULTS, STUDY_FILE
from audit.results import refusal

_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_MESSAGE: Final = re.compile(r"Job \d+: (.*)")
_PROGRESS: Final = re.compile(r"(\d+) of (\d+) steps \(\d+%\) done")
_LAST_LINES: Final = 25
DataRoots = Annotated[
    list[str], typer.Option("--data", help="NAME=FOLDER: root for files declared as NAME:path.")
]


def run(
    path: Annotated[list[Path], typer.Argument(help="Studies: their files or folders.")],
    out: Annotated[Path, typer.Option(help="Results folder.")] = Path(RESULTS),
    cores: Annotated[int, typer.Option(min=1, help="Jobs at a time.")] = os.cpu_count() or 1,
    data: DataRoots = [],  # noqa: B006 - the command line's default, never changed
) -> None:
    """Make the reports of studies, from their files to the PDF."""
    wanted = Wanted(tuple(path), out, data_roots(data))
    outcome = build(wanted, cores=cores, tell=lambda line: print(line, file=sys.stderr, flush=True))
    for line in outcome.answers:
        typer.echo(line)
    for line in outcome.complaints:
        print(line, file=sys.stderr)
    raise typer.Exit(outcome.exit_code)


@dataclass(frozen=True)
class Wanted:
    """What a run shall make: studies, where to, and where the data lies."""

    studies: tuple[Path, ...]
    out: Path
    roots: Mapping[str, Path]


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    exit_code: int
    answers: tuple[str, ...]
    complaints: tuple[str, ...]


def data_roots(options: Sequence[str]) -> dict[str, Path]:
    """{name: folder} of `--data NAME=FOLDER`.

    Raises
    ------
    InputError
        for what is not of that form, names given twice, and folders that are not there
    """
    roots: dict[str, Path] = {}
    issues = []
    for option in options:
        name, given, folder = option.partition("=")
        if not given or not _NAME.fullmatch(name) or name in roots:
            message = "is not NAME=FOLDER, or its name is given twice"
            issues.append(Issue("--data", 0, 0, "", message, repr(option[:80])))
        elif not Path(folder).is_dir():
            issues.append(Issue("--data", 0, 0, name, "there is no such folder", repr(folder[:80])))
        else:
            roots[name] = Path(folder)
    if issues:
        raise InputError(issues)
    return roots


def build(wanted: Wanted, *, cores: int, tell: Callable[[str], None]) -> Outcome:
    """Run the workflow in a process of its own.

    Parameters
    ----------
    tell : takes each line of progress
    """
    for path in wanted.studies:
        if not (path / STUDY_FILE if path.is_dir() else path).is_file():
            raise refusal(path, "there is no study here", f"name a {STUDY_FILE} or its folder")
    began = time.time()
    command, directory = _command(wanted, cores)
    process = subprocess.Popen(
        command,
        env=_environment(directory),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    last: list[str] = []
    try:
        for line in process.stdout or ():
            last = [*last, line.rstrip()][-_LAST_LINES:]
            for shown in _readable(line):
                tell(shown)
        code = process.wait()
    except KeyboardInterrupt:
        process.wait()  # it got the same signal
        raise
    return _outcome(wanted, code, began, last)


def _command(wanted: Wanted, cores: int) -> tuple[list[str], Path]:
    """Snakemake's command line and its working folder, which holds its own notes.

    The default results folder is the one that `snakemake` alone uses from here, with the same
    notes; another one keeps them itself, so that nothing is written beside it.
    """
    usual = wanted.out == Path(RESULTS)
    directory = Path() if usual else wanted.out
    directory.mkdir(parents=True, exist_ok=True)
    config = {
        "studies": [str(path.absolute()) for path in wanted.studies],
        "out": RESULTS if usual else ".",
        "data": {name: str(folder.absolute()) for name, folder in wanted.roots.items()},
    }
    return [
        *(sys.executable, "-P", "-m", "snakemake"),
        *("--snakefile", str(bundled("Snakefile"))),
        *("--workflow-profile", str(bundled("profiles") / "default")),
        *("--directory", str(directory.absolute())),
        *("--cores", str(cores)),
        "--config",
        *(f"{key}={json.dumps(value)}" for key, value in config.items()),
    ], directory.absolute()


def _environment(directory: Path) -> dict[str, str]:
    """This environment, without the user's own Snakemake settings and caches elsewhere."""
    kept = {name: text for name, text in os.environ.items() if name != "SNAKEMAKE_PROFILE"}
    package = str(Path(__file__).resolve().parent.parent)
    search = [package, *filter(None, [kept.get("PYTHONPATH")])]
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(search),
        "XDG_CACHE_HOME": str(directory / ".snakemake" / "cache"),
    }


def _readable(line: str) -> Iterator[str]:
    """What a person wants of a line of Snakemake's."""
    text = line.strip()
    message, progress = _MESSAGE.fullmatch(text), _PROGRESS.fullmatch(text)
    if message:
        yield f"  {message[1]}"
    elif progress:
        yield f"{progress[1]} of {progress[2]} steps done"
    elif "; waiting" in text or "waiting for" in text or ": stale: " in text:
        yield text


def _outcome(wanted: Wanted, code: int, began: float, last: Sequence[str]) -> Outcome:
    """Answers of what was made, and the logs of what failed."""
    answers: list[str] = []
    complaints: list[str] = []
    codes: set[int] = set()
    for log in sorted(wanted.out.glob("*/logs/*.log")):
        if code == 0 or log.stat().st_mtime < began - 2:
            continue
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        if lines and lines[-1].startswith(EXIT_MARK):
            codes.add(int(lines[-1].removeprefix(EXIT_MARK)))
            complaints.extend(line.replace(f"{Path.cwd()}/", "") for line in lines[:-1])
    for path in wanted.studies:
        place = path if path.is_dir() else path.parent
        name = Path(os.path.abspath(place)).name  # noqa: PTH100 (as a study's name is checked)
        folder = wanted.out / name
        if code == 0:
            answers.extend(_answers(name, folder))
    if code and not codes:
        complaints.extend(last)
        codes.add(1)
    return Outcome(0 if code == 0 else min(codes), tuple(answers), tuple(complaints))


def _answers(name: str, folder: Path) -> Iterator[str]:
    """The computed answer, each claim's verdict with its reasons, and where the report is."""
    verdicts = json.loads((folder / "verdicts.json").read_bytes())
    yield f"{name}: {verdicts['answer'].replace('_', ' ')}: {folder / 'report.pdf'}"
    width = max((len(claim["id"]) for claim in verdicts["claims"]), default=0)
    for claim in verdicts["claims"]:
        why = f" ({', '.join(claim['reasons'])})" if claim["reasons"] else ""
        yield f"  {claim['id']:<{width}}  {claim['verdict'].replace('_', ' ')}{why}"
