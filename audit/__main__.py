"""The command `audit`: one verb per step of the path, and those for people; imported when called.

Exit codes: 0 done (for `gate`: passed), 1 the program failed, 2 the input is wrong, 3 not passed.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

import typer

from audit import __version__
from audit.errors import Contradiction, InputError
from audit.layout import EXIT_MARK

FAILED, WRONG = 1, 2
VERBS: Final[dict[str, tuple[str, str]]] = {
    "check": ("audit.checking", "Name every mistake in a study, with its line and a remedy."),
    "report": ("audit.running", "Make the reports of studies: the whole path."),
    "lock": ("audit.locking", "Pin what decides, with today's date, before scores are seen."),
    "gate": ("audit.gate", "Pass only if the decision may rest on the evidence today."),
    "verify": ("audit.verifying", "Recompute a results folder and name the first difference."),
    "schema": ("audit.schema_verb", "Print the JSON Schema of a study, for editors."),
    "ingest": ("audit.steps.ingest", "Step: files of one source to the response table."),
    "intake": ("audit.steps.intake", "Step: what was read and what was lost."),
    "workload": ("audit.steps.workload", "Step: scores and losses on the declared work."),
    "comparison": ("audit.steps.comparison", "Step: paired differences and ranks."),
    "configuration": ("audit.steps.configuration", "Step: tested against deployed."),
    "assess": ("audit.steps.assess", "Step: from results to verdicts."),
    "evidence": ("audit.steps.evidence", "Step: all that a page may show."),
    "record": ("audit.steps.record", "Step: the lasting record of the run."),
    "render": ("audit.steps.render", "Step: charts, HTML, PDF and summary."),
    "refuse": ("audit.steps.refuse", "Step: say why a study cannot be judged, and fail."),
}
_STEP_PACKAGE = "audit.steps."
_STEPS_PANEL = "Steps (what the Snakefile calls)"


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one verb and leave with its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    given = [one for one in given if one != "--debug"]
    called = next((one for one in given if not one.startswith("-")), None)
    marked = _join_run(called)
    try:
        _application(called)(args=given, prog_name="audit")
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else FAILED
    except InputError as error:
        print("\n".join(map(str, error.issues)), file=sys.stderr)
        code = WRONG
    except KeyboardInterrupt:
        code = FAILED
    except BrokenPipeError:
        sys.stdout = None  # whoever read the output has gone
        code = FAILED
    except Exception as error:
        code = FAILED
        _explain(error, debug)
    if marked is not None and code:
        print(f"{EXIT_MARK}{code}", file=sys.stderr)
    sys.exit(code)


def _explain(error: Exception, debug: bool) -> None:
    """One line; the traceback only where it was asked for."""
    if debug:
        traceback.print_exception(error)
        return
    text = " ".join(str(error).split())[:500]
    if isinstance(error, Contradiction):
        print(f"audit: the program disagrees with itself: {text}", file=sys.stderr)
    else:
        name = type(error).__name__
        print(f"audit: {name}: {text} (--debug shows where)", file=sys.stderr)


def _join_run(called: str | None) -> Any:
    """Mark a step as part of the run that started it; None outside a run and for other verbs."""
    run = os.environ.get("AUDIT_RUN")
    if run is None or called not in VERBS or not VERBS[called][0].startswith(_STEP_PACKAGE):
        return None
    from audit.holding import job_lock

    return job_lock(Path(run))


def _application(called: str | None) -> typer.Typer:
    """The command line, with the called verb imported and the others only listed."""
    app = typer.Typer(
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        help="How far a claim about an AI system may go. --debug shows tracebacks.",
    )

    @app.callback()
    def options(
        version: bool = typer.Option(
            False, "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ) -> None:
        pass

    for verb, (module, text) in VERBS.items():
        function = _quiet(importlib.import_module(module).run) if verb == called else _listed
        panel = _STEPS_PANEL if module.startswith(_STEP_PACKAGE) else None
        app.command(verb, help=text, rich_help_panel=panel)(function)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


def _listed() -> None:
    """Stand for a verb that was not called."""


def _quiet(function: Callable[..., None]) -> Callable[..., None]:
    """Leave quietly when the user presses Ctrl-C."""

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> None:
        try:
            function(*args, **kwargs)
        except KeyboardInterrupt:
            raise typer.Exit(FAILED) from None

    return called


if __name__ == "__main__":
    main()
