"""Logs of Inspect: one table per log, with what the log says of its run.

A `.json` log is read here, as a stream. An `.eval` log is read by the library that writes it: its
format is not frozen, and its members may be packed in ways that Python does not unpack.
"""

from __future__ import annotations

import io
import json
import logging
import re
import warnings
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeGuard

from audit.errors import DataError, Issue
from audit.io import digest
from audit.responses.facts import Loss, Run
from audit.responses.readers.inspect_published import published
from audit.responses.readers.inspect_samples import WORDS, Samples, text_of
from audit.responses.readers.json_lines import opened
from audit.responses.readers.json_stream import BadJson, members
from audit.responses.readers.raw import Log, RawTable, check_names, refusal
from audit.responses.readers.table import MOST_BYTES
from audit.spec.files import ResolvedFile
from audit.spec.showing import shown

_ENDINGS: Final = (".json", ".json.gz", ".eval")
_MOST_MEMBERS: Final = 2_000_000
_MOST_MEMBER: Final = 1 << 28
"""Bytes of one member of an `.eval` log, once unpacked."""
MOST_ABSENT: Final = 100_000
"""Samples that a log names and does not hold, laid out as rows."""
_LONGEST: Final = 200
_SECRET: Final = re.compile(r"(api_?key|token|secret|password|credential|auth)s?$", re.IGNORECASE)
_HOW_FAST: Final = re.compile(
    r"^(max_(connections|retries|samples|tasks|subprocesses|sandboxes)|timeout|attempt_timeout|"
    r"batch|cache|cache_prompt|adaptive_connections|base_url|model_base_url)$"
)
_DECIDING: Final = (
    "epochs", "epochs_reducer", "message_limit", "token_limit", "time_limit", "working_limit",
    "cost_limit", "turn_limit",
)  # fmt: skip
"""Of `eval.config`; the rest says how fast, where, or what is kept."""
_DROPPED: Final = frozenset({"messages", "events", "events_data", "attachments", "store"})


def read_inspect(files: Sequence[ResolvedFile]) -> list[RawTable]:
    """Read Inspect logs, whatever their names.

    Returns
    -------
    One table per log: a row per sample and epoch, a column per score. Samples that the log names
    and does not hold, in a run that ended early, are rows that were not run. A log without samples
    gives a table without rows.

    Raises
    ------
    DataError
        with the first mistake of every file: damaged files, files that are no logs, a log that
        stands there twice
    """
    issues: list[Issue] = []
    tables: list[RawTable] = []
    seen: dict[str, str] = {}
    tasks: dict[str, str] = {}
    for file in files:
        try:
            samples, header = _read(file)
            stated = _mapping(header.get("eval"))
            run = text_of(stated.get("eval_id"))
            if run is not None and run in seen:
                raise refusal(
                    file, "this log stands there twice", shown(seen[run]),
                    remedy="name one of its forms",
                )  # fmt: skip
            if run is not None:
                seen[run] = file.declared
            task = text_of(stated.get("task_id"))
            earlier = tasks.setdefault(task, file.declared) if task else file.declared
            tables.append(_table(file, samples, header, earlier))
        except DataError as error:
            issues += error.issues
    if issues:
        raise DataError(issues)
    return tables


def _read(file: ResolvedFile) -> tuple[Samples, dict[str, Any]]:
    name = file.declared.lower()
    if not name.endswith(_ENDINGS):
        raise refusal(
            file, "this is no log of Inspect", allowed=", ".join(_ENDINGS),
            remedy="name the logs that Inspect wrote",
        )  # fmt: skip
    samples = Samples(file)
    header = _eval_log(file, samples) if name.endswith(".eval") else _json_log(file, samples)
    if not isinstance(header.get("eval"), dict) or text_of(header["eval"].get("model")) is None:
        raise refusal(
            file, "this is no log of Inspect", f"keys {', '.join(sorted(header)[:6])}"[:200],
            "an object with eval, plan, samples", "name the logs that Inspect wrote",
        )  # fmt: skip
    return samples, header


def _json_log(file: ResolvedFile, samples: Samples) -> dict[str, Any]:
    header: dict[str, Any] = {}
    try:
        with opened(file) as content:
            limited = io.BufferedReader(_Limited(file, content), 1 << 20)
            for key, number, value in members(limited, frozenset({"samples", "reductions"})):
                if number is None:
                    header[key] = value
                elif key == "samples":
                    samples.take(number, value)
    except BadJson as error:
        raise refusal(
            file, error.message, error.found and shown(error.found),
            remedy="copy it again; it may be cut off", place=error.place,
        ) from error  # fmt: skip
    return header


class _Limited(io.RawIOBase):
    """Bytes, refused beyond `MOST_BYTES`."""

    def __init__(self, file: ResolvedFile, content: io.BufferedIOBase) -> None:
        super().__init__()
        self._file, self._content, self._left = file, content, MOST_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        held = self._content.read(len(buffer))
        self._left -= len(held)
        if self._left < 0:
            raise refusal(
                self._file, f"the file holds more than {MOST_BYTES:,} bytes", remedy="split it"
            )
        buffer[: len(held)] = held
        return len(held)


def _eval_log(file: ResolvedFile, samples: Samples) -> dict[str, Any]:
    _check_zip(file)
    try:
        from inspect_ai.log import read_eval_log, read_eval_log_samples
    except ImportError as error:
        raise refusal(
            file, "an .eval log is read by inspect_ai, which is not installed",
            remedy='pip install "claimscope[inspect]", or write the log as JSON: inspect log '
            "convert --to json --output-dir DIR LOG",
        ) from error  # fmt: skip
    logging.getLogger("inspect_ai").setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            place = str(file.path)
            header = read_eval_log(place, header_only=True)
            held = read_eval_log_samples(place, all_samples_required=False)
            for number, sample in enumerate(held, start=1):
                samples.take(number, sample.model_dump(mode="json", exclude=set(_DROPPED)))
            return header.model_dump(mode="json", exclude={"samples", "reductions"})
    except DataError:
        raise
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # whatever a library meets in a damaged file
        reason = str(error).splitlines()[0][:_LONGEST] if str(error) else type(error).__name__
        raise refusal(
            file, "inspect_ai cannot read this log", shown(reason),
            remedy="copy it again; if a newer Inspect wrote it, install that version",
        ) from error  # fmt: skip


def _check_zip(file: ResolvedFile) -> None:
    """Refuse what is no archive, and one that would unpack to too much."""
    try:
        with zipfile.ZipFile(file.path) as archive:
            listed = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, UnicodeError, EOFError) as error:
        raise refusal(
            file, "this is no whole .eval log", shown(str(error)), remedy="copy it again"
        ) from error
    except OSError as error:
        raise refusal(file, "the file cannot be read", str(error.strerror or error)) from error
    largest = max((one.file_size for one in listed), default=0)
    total = sum(one.file_size for one in listed)
    if len(listed) > _MOST_MEMBERS or largest > _MOST_MEMBER or total > MOST_BYTES:
        raise refusal(
            file, "the log would unpack to too much",
            f"{len(listed):,} members, {total:,} bytes, {largest:,} in one",
            f"{_MOST_MEMBERS:,} members, {MOST_BYTES:,} bytes, {_MOST_MEMBER:,} in one",
        )  # fmt: skip


# ---------------------------------------------------------------------------------------- the table


def _table(
    file: ResolvedFile, samples: Samples, header: Mapping[str, Any], earlier: str
) -> RawTable:
    stated = _mapping(header.get("eval"))
    model, task = _text(stated.get("model")), _text(stated.get("task")) or "task"
    for entry in _list(_mapping(header.get("results")).get("scores")):
        if isinstance(_mapping(entry).get("name"), str) and not samples.scores:
            samples.scores.setdefault(entry["name"])
    run = _run(file, samples, header, model, task)
    absent = _absent(samples, header)
    frame, statuses = samples.frame(absent, _constants(stated, header, run))
    check_names(file, frame.columns)
    if not samples.count and not absent:
        frame = frame.clear()
    return RawTable(
        file.declared,
        frame,
        log=Log(
            scores=tuple(samples.scores),
            statuses=statuses,
            values=WORDS,
            texts=samples.texts,
            runs=(run,),
            reproductions=tuple(published(samples, header.get("results"), system=model, task=task)),
            losses=tuple(_losses(file, samples, header, run, len(absent), earlier)),
        ),
    )


def _run(
    file: ResolvedFile, samples: Samples, header: Mapping[str, Any], model: str, task: str
) -> Run:
    stated = _mapping(header.get("eval"))
    named = _named(header)
    total = _mapping(header.get("results")).get("total_samples")
    claimed = max(len(named), total if _is_count(total) else 0) or None
    version = _mapping(stated.get("packages")).get("inspect_ai")
    size = _mapping(stated.get("dataset")).get("samples")
    return Run(
        file=file.declared,
        system=model,
        task=task,
        task_version=text_of(stated.get("task_version")),
        harness=f"inspect_ai {_text(version) or 'of no stated version'}",
        date=text_of(stated.get("created")),
        state=_state(header),
        configuration=_configuration(stated, header),
        items_in_test=size if _is_count(size) else None,
        samples_claimed=claimed,
        samples_held=samples.count,
    )


def _state(header: Mapping[str, Any]) -> Literal["complete", "error", "cancelled", "started"]:
    found = header.get("status")
    if found == "error":
        return "error"
    if found == "cancelled":
        return "cancelled"
    return "complete" if found == "success" else "started"


def _named(header: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Every (sample id, epoch) that the log says it set out to run."""
    stated = _mapping(header.get("eval"))
    ids = _list(_mapping(stated.get("dataset")).get("sample_ids"))
    epochs = _mapping(stated.get("config")).get("epochs")
    times = epochs if _is_count(epochs) and 0 < epochs <= 10_000 else 1
    texts = [text for one in ids if (text := text_of(one)) is not None]
    if len(texts) * times > 10 * MOST_ABSENT:
        return []
    return [(text, epoch) for epoch in range(1, times + 1) for text in texts]


def _absent(samples: Samples, header: Mapping[str, Any]) -> list[tuple[str, int]]:
    """What was to be run and is not held, unless the log holds no samples of a run with results."""
    if not samples.count and header.get("results") is not None:
        return []
    absent = [one for one in _named(header) if one not in samples.places]
    return absent if len(absent) <= MOST_ABSENT else []


def _constants(stated: Mapping[str, Any], header: Mapping[str, Any], run: Run) -> dict[str, str]:
    """Columns that are the same in every row."""
    found = {
        "system": run.system,
        "date": run.date,
        "eval.task": run.task,
        "eval.status": _text(header.get("status")),
        "solver": _solver(header, names_only=True),
    }
    for key in ("task_version", "created", "run_id", "task_id", "eval_id"):
        found[f"eval.{key}"] = text_of(stated.get(key))
    for prefix, values in (
        ("task_args", stated.get("task_args")),
        ("model_args", stated.get("model_args")),
        ("generate", _generate(stated, header)),
        ("eval.metadata", stated.get("metadata")),
    ):
        for key, value in _mapping(values).items():
            text = text_of(value)
            if text is not None and len(text) <= _LONGEST and len(key) <= _LONGEST:
                found[f"{prefix}.{key}"] = None if _SECRET.search(key) else text
    return {key: text for key, text in found.items() if text}


def _generate(stated: Mapping[str, Any], header: Mapping[str, Any]) -> dict[str, Any]:
    """Generation settings stand in two places."""
    plan = _mapping(_mapping(header.get("plan")).get("config"))
    return {**_mapping(stated.get("model_generate_config")), **plan}


def _solver(header: Mapping[str, Any], *, names_only: bool) -> str:
    steps = [_mapping(one) for one in _list(_mapping(header.get("plan")).get("steps"))]
    if names_only:
        return " > ".join(_text(one.get("solver")) for one in steps)[:_LONGEST]
    return _setting([[one.get("solver"), one.get("params")] for one in steps]) if steps else ""


def _configuration(stated: Mapping[str, Any], header: Mapping[str, Any]) -> dict[str, str]:
    """What decides answers and scores; nothing that says only how fast or where it ran."""
    config = _mapping(stated.get("config"))
    parts: dict[str, Any] = {
        "solver": _solver(header, names_only=False) or None,
        "scorers": [
            [_mapping(one).get("name"), _mapping(one).get("options")]
            for one in _list(stated.get("scorers"))
        ]
        or None,
        "model_roles": stated.get("model_roles") or None,
        **{key: config.get(key) for key in _DECIDING},
    }
    for prefix, values in (
        ("generate", _generate(stated, header)),
        ("task_args", stated.get("task_args")),
        ("model_args", stated.get("model_args")),
    ):
        parts |= {f"{prefix}.{key}": value for key, value in _mapping(values).items()}
    return {
        key[:_LONGEST]: _setting(value)
        for key, value in parts.items()
        if value is not None
        and not _SECRET.search(key)
        and not _HOW_FAST.search(key.rpartition(".")[2])
    }


def _setting(value: Any) -> str:
    """A setting as text, a long one by its digest."""
    text = text_of(value)
    if text is None:
        text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    return text if len(text) <= _LONGEST else digest(text.encode(errors="replace"))[:23]


def _losses(
    file: ResolvedFile,
    samples: Samples,
    header: Mapping[str, Any],
    run: Run,
    absent: int,
    earlier: str,
) -> Iterator[Loss]:
    name, claimed = file.declared, run.samples_claimed or 0
    if not samples.count and not absent:
        yield Loss(file=name, code="header_only", count=claimed,
                   text=f"the log holds no samples: of {claimed:,} answers only the figures that "
                   "it publishes are known")  # fmt: skip
    if run.state != "complete":
        yield Loss(file=name, code="unfinished", count=absent,
                   text=f"the run ended early ({run.state}): {samples.count:,} of {claimed:,} "
                   "answers are there")  # fmt: skip
    elif absent:
        yield Loss(file=name, code="fewer_samples", count=absent,
                   text=f"the log names {claimed:,} answers and holds {samples.count:,}: the "
                   "others are rows that were not run")  # fmt: skip
    limit = _mapping(_mapping(header.get("eval")).get("config")).get("limit")
    if limit is not None:
        size = f" of {run.items_in_test:,} items" if run.items_in_test else ""
        yield Loss(file=name, code="limited", count=claimed,
                   text=f"the log ran a part of the test only (limit {_setting(limit)}{size})",
                   )  # fmt: skip
    if samples.texts_left_out:
        yield Loss(file=name, code="texts_left_out", count=samples.texts_left_out,
                   text=f"{samples.texts_left_out:,} inputs are too long to be kept")  # fmt: skip
    if earlier != name:
        yield Loss(file=name, code="retried", count=samples.count,
                   text=f"this log retries the run of {earlier}")  # fmt: skip
    if samples.retried:
        text = f"{samples.retried:,} answers were given after an error and a retry"
        yield Loss(file=name, code="retried", count=samples.retried, text=text)
    marked = bool(header.get("invalidated"))
    if marked or samples.invalidated:
        count = samples.invalidated or samples.count
        yield Loss(file=name, code="invalidated", count=count,
                   text=f"{count:,} answers are marked as invalid")  # fmt: skip


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return text_of(value) or ""


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12
