"""The results file of lm-evaluation-harness: what was run, how, and what was published."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, Final, NamedTuple

from audit.io import digest
from audit.responses.facts import Run
from audit.responses.readers.json_lines import json_document
from audit.responses.readers.raw import refusal
from audit.spec.files import ResolvedFile
from audit.spec.showing import shown

LONGEST_SETTING: Final = 200
"""Characters of a setting; longer ones are given by their digest."""
MOST_SETTINGS: Final = 500
_STAMP: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}-[0-9]{2}-[0-9]{2}(?:\.[0-9]+)?"
SAMPLES_NAME: Final = re.compile(rf"^samples_(.+?)(?:_({_STAMP}))?\.jsonl(?:\.gz)?$", re.DOTALL)
RESULTS_NAME: Final = re.compile(r"^results(?:_.*)?\.json(?:\.gz)?$", re.DOTALL)
_NAMING: Final = (
    "peft", "delta", "pretrained", "model", "model_version", "model_name", "model_id", "path",
    "engine",
)  # fmt: skip
"""Model arguments that lm_eval takes a model's name from."""
_SECRET: Final = {
    "token", "api_key", "apikey", "openai_api_key", "hf_token", "use_auth_token", "auth_token",
    "access_token", "password", "secret", "header", "headers", "auth",
}  # fmt: skip
_WHERE: Final = {
    "base_url", "batch_size", "cache_dir", "data_parallel_size", "device", "device_map",
    "device_map_option", "devices", "gpu_memory_utilization", "gpus", "max_batch_size",
    "max_cpu_memory", "max_gpu_memory", "max_memory_per_gpu", "max_retries", "num_concurrent",
    "offload_folder", "parallelize", "pipeline_parallel_size", "swap_space",
    "tensor_parallel_size", "timeout", "use_cache", "verify_certificate",
}  # fmt: skip
"""Model arguments that say where or how fast a model ran, not what it answers."""
_TASK_SETTINGS: Final = (
    "output_type", "doc_to_text", "doc_to_target", "doc_to_choice", "description", "gen_prefix",
    "target_delimiter", "fewshot_delimiter", "filter_list", "repeats",
)  # fmt: skip
_RUN_SETTINGS: Final = (
    "model", "model_dtype", "model_revision", "model_sha", "random_seed", "numpy_seed",
    "torch_seed", "fewshot_seed",
)  # fmt: skip
"""`model` is the kind of model (hf, vllm); seeds change few-shot draws."""
_BOOKKEEPING: Final = {"sample_len", "samples", "sample_count", "alias", "name"}
_COMBINING: Final = {"majority_vote", "take_first_k"}
_WORDS: Final = {"True": True, "False": False, "None": None}
"""What lm_eval reads these words as, in arguments given as text."""
_MOST_WHOLE: Final = 2**53


class Figure(NamedTuple):
    """A published number of one task or group."""

    metric: str
    filter: str | None
    """None: from before the log said which extraction rule a number belongs to."""
    is_error: bool
    """A standard error, not a score."""
    value: float

    @property
    def column(self) -> str:
        """The score column's name."""
        return self.metric if self.filter is None else f"{self.metric},{self.filter}"


@dataclass(frozen=True)
class Results:
    """One results file; nothing that describes the machine is read from it."""

    file: ResolvedFile
    stamp: str | None
    content: Mapping[str, Any]

    @cached_property
    def scores(self) -> dict[str, dict[str, Any]]:
        """{task or group: what was published for it}; old names are indented by hyphens."""
        return {key.lstrip(" -") or key: one for key, one in self.content["results"].items()}

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """{group: its tasks and groups}."""
        listed = mapping(self.content.get("group_subtasks"))
        return {
            group: tuple(one for one in tasks if isinstance(one, str))
            for group, tasks in listed.items()
            if isinstance(tasks, list) and tasks
        }

    @cached_property
    def tasks(self) -> tuple[str, ...]:
        """Tasks with documents of their own."""
        apart = {*self.groups, *mapping(self.content.get("groups"))}
        return tuple(one for one in self.scores if one not in apart)

    @cached_property
    def system(self) -> str | None:
        """The model; a dummy model without a name of its own gets a random one from lm_eval."""
        named = text_of(self.content.get("model_name"))
        if named and (self._is_named or not text_of(self.run_config.get("model"))):
            return named
        return text_of(self.run_config.get("model")) or named

    @property
    def _is_named(self) -> bool:
        """Whether the model's arguments hold a name; unknown arguments are believed."""
        if "model_args" not in self.run_config:
            return True
        return any(key in arguments(self.run_config["model_args"]) for key in _NAMING)

    @cached_property
    def run_config(self) -> Mapping[str, Any]:
        """What the whole run was told."""
        return mapping(self.content.get("config"))

    def task_config(self, task: str) -> Mapping[str, Any]:
        """What the task was told."""
        return mapping(mapping(self.content.get("configs")).get(task))

    def of_task(self, key: str, task: str) -> Any:
        """`versions`, `n-shot`, `task_hashes`, ... of one task."""
        return mapping(self.content.get(key)).get(task)

    def figures(self, name: str) -> Iterator[Figure]:
        """Published numbers of a task or group; standard errors that are not available are none."""
        for key, value in self.scores.get(name, {}).items():
            if key in _BOOKKEEPING or isinstance(value, bool) or not isinstance(value, int | float):
                continue
            metric, comma, rule = key.partition(",")
            is_error = metric.endswith("_stderr")
            yield Figure(
                metric.removesuffix("_stderr"), rule if comma else None, is_error, as_float(value)
            )

    def metrics(self, task: str) -> tuple[str, ...]:
        """Names of the task's metrics, published or configured."""
        listed = self.task_config(task).get("metric_list")
        configured = [
            mapping(one).get("metric") for one in (listed if isinstance(listed, list) else ())
        ]
        names = [*(one.metric for one in self.figures(task)), *configured]
        return tuple(dict.fromkeys(one for one in names if isinstance(one, str)))

    def samples(self, task: str) -> tuple[int | None, int | None]:
        """Documents of the whole test, and documents that were run."""
        stated = mapping(self.of_task("n-samples", task))
        run = whole(stated.get("effective"))
        for key in ("sample_len", "samples"):
            run = whole(self.scores.get(task, {}).get(key)) if run is None else run
        return whole(stated.get("original")), run

    def groups_of(self, task: str) -> str | None:
        """The groups that list a task."""
        return ", ".join(group for group, tasks in self.groups.items() if task in tasks) or None

    @property
    def limit(self) -> str | None:
        """`--limit` or `--samples` as given."""
        for key in ("limit", "samples", "offset"):
            if self.run_config.get(key) is not None:
                return f"--{key} {shown(self.run_config[key])}"
        return None

    @property
    def date(self) -> str | None:
        """When the run began, in UTC."""
        value = self.content.get("date")
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        try:
            found = datetime.datetime.fromtimestamp(value, datetime.UTC)
        except (OverflowError, OSError, ValueError):
            return None
        return found.isoformat(timespec="seconds").replace("+00:00", "Z")

    def run(self, file: str, task: str, held: int) -> Run:
        """How one task was run; `held` documents stand in its samples file."""
        version = setting(self.of_task("versions", task))
        task_hash = text_of(self.of_task("task_hashes", task))
        if task_hash:
            version = f"{version or 'unversioned'} ({task_hash[:8]})"
        harness = f"lm_eval {setting(self.content.get('lm_eval_version')) or ''}".strip()
        commit = text_of(self.content.get("git_hash"))
        original, effective = self.samples(task)
        return Run(
            file=file,
            system=self.system or folder_system(self.file),
            task=task,
            task_version=version,
            harness=f"{harness} (git {commit[:12]})" if commit else harness,
            date=self.date or stamp_date(self.stamp),
            configuration=self.configuration(task),
            items_in_test=original,
            samples_claimed=effective,
            samples_held=held,
        )

    def configuration(self, task: str) -> dict[str, str]:
        """What decides answers and scores, as {dotted key: text}."""
        found = {
            key: value
            for key, value in self.columns(task).items()
            if key.removeprefix("model_args.") not in _WHERE
        }
        own = self.task_config(task)
        for key in _TASK_SETTINGS:
            found[key] = setting(own.get(key))
        found |= self._settings("generation_kwargs", own.get("generation_kwargs"))
        for key in _RUN_SETTINGS:
            found[key] = setting(self.run_config.get(key))
        return {key: value for key, value in found.items() if value is not None}

    def columns(self, task: str) -> dict[str, str | None]:
        """Settings that a study can tell systems and variants apart by."""
        found: dict[str, str | None] = {}
        for name in ("model_args", "gen_kwargs"):
            found |= self._settings(name, self.run_config.get(name))
        shots = self.of_task("n-shot", task)
        found["num_fewshot"] = setting(
            self.task_config(task).get("num_fewshot") if shots is None else shots
        )
        found["system_instruction"] = setting(self.content.get("system_instruction"))
        template = text_of(self.content.get("chat_template"))
        found["chat_template"] = setting(self.content.get("chat_template_sha")) or (
            digest(template.encode()) if template else None
        )
        found["fewshot_as_multiturn"] = setting(self.content.get("fewshot_as_multiturn"))
        return found

    def _settings(self, name: str, stated: Any) -> dict[str, str | None]:
        """Named arguments under dotted keys, without what opens doors."""
        found = arguments(stated)
        if len(found) > MOST_SETTINGS or any(len(key) > LONGEST_SETTING for key in found):
            raise refusal(
                self.file, f"too many {name}, or too long names", f"{len(found):,}",
                f"at most {MOST_SETTINGS}, {LONGEST_SETTING} characters each",
            )  # fmt: skip
        return {
            f"{name}.{key}": setting(value)
            for key, value in found.items()
            if key.lower() not in _SECRET
        }

    def combining_filters(self, task: str) -> tuple[str, ...] | None:
        """Extraction rules that use more than the first answer; None: it cannot be told."""
        listed = self.task_config(task).get("filter_list")
        if listed is None:
            return ()
        if not isinstance(listed, list):
            return None
        found = []
        for one in listed:
            steps = mapping(one).get("filter")
            names = {
                mapping(step).get("function") if isinstance(mapping(step).get("function"), str)
                else "" for step in (steps if isinstance(steps, list) else ())
            }  # fmt: skip
            if "take_first" not in names or names & _COMBINING:
                found.append(text_of(mapping(one).get("name")) or "unnamed")
        return tuple(found)


def read_results(file: ResolvedFile) -> Results:
    """Read a results file.

    Raises
    ------
    DataError
        no whole JSON object, or without scores
    """
    content = json_document(file)
    scores = content.get("results")
    if not isinstance(scores, dict):
        raise refusal(
            file, "the results file has no results", shown(scores), "a mapping of tasks",
            "name the results file that lm_eval wrote",
        )  # fmt: skip
    for task, published in scores.items():
        if not isinstance(published, dict):
            raise refusal(
                file, "the results of a task are no mapping", shown(published),
                "{metric,filter: number}", place=f"results.{shown(task)}",
            )  # fmt: skip
        for name in (task, *published):
            if len(name) > LONGEST_SETTING:
                raise refusal(
                    file, "a task or metric has a name that is too long", shown(name),
                    f"at most {LONGEST_SETTING} characters",
                )  # fmt: skip
    stamp = re.search(_STAMP, PurePosixPath(file.declared).name)
    return Results(file, stamp.group() if stamp else None, content)


def folder_system(file: ResolvedFile) -> str:
    """The model, as lm_eval names its folder: `tiny__sum-strong` is tiny/sum-strong."""
    name = text_of(file.path.parent.name) or text_of(file.path.resolve().parent.name)
    return (name or "unknown").replace("__", "/")


def stamp_date(stamp: str | None) -> str | None:
    """The time stamp of a file's name as a date-time."""
    if stamp is None:
        return None
    day, _, time = stamp.partition("T")
    text = f"{day}T{time[:8].replace('-', ':')}"
    try:
        return datetime.datetime.fromisoformat(text).isoformat()
    except ValueError:
        return None


def mapping(value: Any) -> Mapping[str, Any]:
    """A mapping as it is, all else as an empty one."""
    return value if isinstance(value, dict) else {}


def text_of(value: Any) -> str | None:
    """Text that says something; all else is none."""
    return value.strip() or None if isinstance(value, str) else None


def whole(value: Any) -> int | None:
    """A count; all else is none."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_WHOLE:
        return None
    return value


def as_float(value: float) -> float:
    """A number as a float; one that is too large is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def arguments(value: Any) -> Mapping[str, Any]:
    """Arguments given as a mapping or as `a=b,c=d`."""
    if not isinstance(value, str):
        return mapping(value)
    pairs = (one.partition("=") for one in value.split(",") if one.strip())
    return {key.strip(): _WORDS.get(text.strip(), text) for key, _, text in pairs}


def setting(value: Any) -> str | None:
    """A setting as text, long ones as their digest; nothing and empty text are none."""
    if value is None or value in ("", [], {}):
        return None
    text = value if isinstance(value, str) and value == value.strip() else _written(value)
    return text if len(text) <= LONGEST_SETTING else digest(text.encode())


def _written(value: Any) -> str:
    try:
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    except RecursionError:
        return "nested too deep"
