"""What the files say against the study: each contradiction a threat with its code.

Codes (`estimate`: open, it stands in the way of a verdict; `validity`: printed)
-----
aggregate_contradicts : estimate; a published figure that the items do not reproduce
configuration_mixed : estimate; one system was run in several configurations
configuration_contradicts : estimate; a log states another configuration than the study
test_version_mixed : estimate; compared systems answered different versions of a test
item_changed : estimate; one id stands for different contents among compared systems
samples_missing : estimate; a log says that it ran more than it holds
run_invalidated : estimate; somebody marked a run as invalid
run_unfinished : validity; a run ended early, and what it lacks stands inside the bounds
run_limited : validity; only a part of the test was run, in the order of the file
harness_mixed : validity; compared systems were run with different versions of the harness
blindness_refuted : validity; responses are older than the choice of items that calls itself blind
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

import polars as pl

from audit.analyses.contract import Threat
from audit.responses.accounting import Accounting
from audit.responses.facts import Reproduction, Run
from audit.responses.table import ResponseTable
from audit.responses.values import when
from audit.spec.plan import IntakeSlice

_MODEL_KEYS: Final = ("generate.", "gen_kwargs.", "model_args.", "system_instruction", "chat_temp")
"""Beginnings of keys that belong to the model and must be the same on every task."""
_SEED: Final = re.compile(r"(^|[._])seed$")
_LONGEST: Final = 80


def log_threats(
    accounting: Accounting,
    table: ResponseTable,
    checked: Sequence[Reproduction],
    slice_: IntakeSlice,
) -> Iterator[Threat]:
    """Give the threats that facts of the files raise, or close, for each claim on the source."""
    for claim, systems in slice_.claims.items():
        runs = [one for one in accounting.runs if one.system in systems]
        yield from _aggregates(claim, [one for one in checked if one.system in systems])
        yield from _configurations(claim, runs, slice_)
        yield from _versions(claim, runs)
        yield from _contents(claim, systems, table)
        yield from _samples(claim, runs, accounting, slice_)
        yield from _blindness(claim, accounting, slice_)


def _threat(
    code: str,
    claim: str,
    text: str,
    *,
    affects: Literal["estimate", "validity"] = "estimate",
    state: Literal["open", "closed"] = "open",
    condition: str | None = None,
) -> Threat:
    return Threat(
        code=code, claims=(claim,), affects=affects, state=state, condition=condition, text=text
    )


def _few(words: Sequence[str], most: int = 3) -> str:
    shown = [one if len(one) <= _LONGEST else f"{one[: _LONGEST - 1]}…" for one in words[:most]]
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return "; ".join(shown) + more


# -------------------------------------------------------------------------------- published figures


def _aggregates(claim: str, checked: Sequence[Reproduction]) -> Iterator[Threat]:
    wrong = [one for one in checked if one.state in ("contradicts", "impossible")]
    if wrong:
        yield _threat(
            "aggregate_contradicts", claim,
            f"Published figures do not follow from the items: {_few([_figure(o) for o in wrong])}.",
            condition="the items, not the published figures, are right",
        )  # fmt: skip
    elif any(one.state in ("agrees", "close") for one in checked):
        held = sum(one.state in ("agrees", "close") for one in checked)
        yield _threat(
            "aggregate_contradicts", claim, state="closed",
            text=f"The items reproduce {held} published "
            f"figure{'' if held == 1 else 's'} of the compared systems.",
        )  # fmt: skip


def _figure(one: Reproduction) -> str:
    where = ", ".join(part for part in (one.task, one.variant) if part)
    place = f"{one.system}{f' ({where})' if where else ''}, {one.metric} {one.aggregation}"
    if one.state == "impossible":
        return f"{place}: published {one.published:g} lies outside of the metric's range"
    return f"{place}: published {one.published:.4g}, from the items {one.recomputed:.4g}"


# ----------------------------------------------------------------------------------- configurations


def _configurations(claim: str, runs: Sequence[Run], slice_: IntakeSlice) -> Iterator[Threat]:
    if not runs:
        return
    mixed = list(_mixed(runs, slice_.told_apart))
    if mixed:
        yield _threat(
            "configuration_mixed", claim,
            f"One system was run in several configurations: {_few(mixed)}.",
            condition="each system is one configuration",
        )  # fmt: skip
    else:
        yield _threat(
            "configuration_mixed", claim, "The logs state one configuration for each system.",
            state="closed",
        )  # fmt: skip
    against = list(_against_study(runs, slice_.tested))
    if against:
        yield _threat(
            "configuration_contradicts", claim,
            f"The logs state another configuration than the study: {_few(against)}.",
            condition="the study, not the logs, says how the systems were run",
        )  # fmt: skip


def _mixed(runs: Sequence[Run], told_apart: Sequence[str]) -> Iterator[str]:
    """Keys of one system with several values: those of the model, and on one task all.

    Runs that the study tells apart, as wordings for instance, may differ in whatever follows.
    """
    alike: dict[tuple[str, ...], list[Run]] = {}
    for run in runs:
        apart = [run.configuration.get(key, "") for key in told_apart]
        alike.setdefault((run.system, *apart), []).append(run)
    seen: set[tuple[str, str]] = set()
    for (system, *_), own in alike.items():
        for task in (None, *dict.fromkeys(one.task for one in own)):
            part = [one for one in own if task is None or one.task == task]
            for key, values in sorted(_values_by_key(part).items()):
                belongs = task is not None or key.startswith(_MODEL_KEYS)
                counts = belongs and _SEED.search(key) is None and (system, key) not in seen
                if counts and len(values) > 1:
                    seen.add((system, key))
                    yield f"{system}: {key} {_either(values)}"


def _values_by_key(runs: Sequence[Run]) -> dict[str, list[str]]:
    """{key: the different values that it has, `not stated` among them}."""
    keys = dict.fromkeys(key for one in runs for key in one.configuration)
    return {
        key: list(dict.fromkeys(one.configuration.get(key, "not stated") for one in runs))
        for key in keys
    }


def _either(values: Sequence[str]) -> str:
    short = [one if len(one) <= 30 else f"{one[:29]}…" for one in values[:3]]
    return " or ".join(short) + (f" or {len(values) - 3} more" if len(values) > 3 else "")


def _against_study(runs: Sequence[Run], tested: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for run in runs:
        stated = {key.rsplit(".", 1)[-1]: text for key, text in run.configuration.items()}
        for key, value in _leaves(tested.get(run.system, {})):
            if key == "harness" and isinstance(value, str):
                if _other_version(value, run.harness):
                    yield f"{run.system}: harness {run.harness}, in the study {value}"
            elif key in stated and not _same(stated[key], value):
                yield f"{run.system}: {key} {stated[key]}, in the study {value}"


def _leaves(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, one in value.items():
        if isinstance(one, dict):
            yield from _leaves(one)
        elif isinstance(one, str | int | float | bool):
            yield str(key), one


def _same(stated: str, declared: object) -> bool:
    if isinstance(declared, bool):
        return stated.casefold() == str(declared).casefold()
    try:
        return float(stated) == float(str(declared))
    except ValueError:
        return stated.strip().casefold() == str(declared).strip().casefold()


def _other_version(declared: str, stated: str) -> bool:
    """Whether both name one harness and different versions of it."""
    ours, theirs = declared.split(), stated.split()
    named = len(ours) > 1 and len(theirs) > 1
    return named and ours[0].casefold() == theirs[0].casefold() and ours[1] != theirs[1]


# ------------------------------------------------------------------------------- versions, contents


def _versions(claim: str, runs: Sequence[Run]) -> Iterator[Threat]:
    if not runs:
        return
    tests = list(_differing(runs, lambda one: one.task_version or "not stated"))
    if tests:
        yield _threat(
            "test_version_mixed", claim,
            f"Systems answered different versions of a test: {_few(tests)}.",
            condition="these versions of the test ask and score the same",
        )  # fmt: skip
    harness = list(_differing(runs, lambda one: one.harness))
    if harness:
        yield _threat(
            "harness_mixed", claim, affects="validity",
            text=f"Systems were run with different versions of the harness: {_few(harness)}.",
        )  # fmt: skip


def _differing(runs: Sequence[Run], said: Callable[[Run], str]) -> Iterator[str]:
    for task in dict.fromkeys(one.task for one in runs):
        values = list(dict.fromkeys(said(one) for one in runs if one.task == task))
        if len(values) > 1:
            yield f"{task}: {_either(values)}"


def _contents(claim: str, systems: Sequence[str], table: ResponseTable) -> Iterator[Threat]:
    """One id with several digests of what was asked, among the systems of a claim."""
    rows = table.responses.filter(
        pl.col("system").is_in(list(systems)) & pl.col("item_hash").is_not_null()
    )
    if rows.is_empty():
        return
    by_item = rows.group_by(["item", "variant"]).agg(
        pl.col("item_hash").n_unique().alias("contents"),
        pl.col("item_hash").len().alias("rows"),
    )
    changed = by_item.filter(pl.col("contents") > 1)
    if len(changed):
        first = changed.sort("item", "variant")["item"].to_list()
        yield _threat(
            "item_changed", claim,
            f"{len(changed):,} of {len(by_item):,} items are not the same for all compared "
            f"systems, though their ids are: {_few([str(one) for one in first])}. Identify items "
            "by their content (columns: {item: item_hash}), or leave these out.",
            condition="the items with one id and several contents are left out",
        )  # fmt: skip
    elif not table.responses["item_hash"].null_count():
        yield _threat(
            "item_changed", claim, "Each id stands for one content in all rows.", state="closed"
        )


# ------------------------------------------------------------------------------ samples, blindness


def _samples(
    claim: str, runs: Sequence[Run], accounting: Accounting, slice_: IntakeSlice
) -> Iterator[Threat]:
    rows = {one.file: one.rows_read for one in accounting.files}
    short, early, part = [], [], []
    for run in runs:
        claimed, held = run.samples_claimed, rows.get(run.file, run.samples_held)
        if claimed is not None and held < claimed:
            short.append(f"{run.system}: {held:,} of {claimed:,} in {run.file}")
        if run.state != "complete":
            of = "" if claimed is None else f" of {claimed:,}"
            early.append(f"{run.system} ({run.state}): {run.samples_held:,}{of} answered")
        epochs = _whole(run.configuration.get("epochs", "1"))
        if run.items_in_test and claimed is not None and claimed < run.items_in_test * epochs:
            part.append(f"{run.system}: {claimed // epochs:,} of {run.items_in_test:,} items")
    if short:
        yield _threat(
            "samples_missing", claim,
            f"Logs hold fewer answers than they say were given: {_few(short)}.",
            condition="the answers that the logs do not hold came out like the others",
        )  # fmt: skip
    elif runs:
        yield _threat(
            "samples_missing", claim, "The logs hold as many answers as they say were given.",
            state="closed",
        )  # fmt: skip
    if early:
        yield _threat(
            "run_unfinished", claim, affects="validity",
            text=f"Runs ended early, and what they lack stands inside the bounds: {_few(early)}.",
        )  # fmt: skip
    if part:
        against = " although all items are declared" if slice_.chosen == "all" else ""
        yield _threat(
            "run_limited", claim, affects="validity",
            text=f"Only a part of the test was run{against}: {_few(part)}.",
        )  # fmt: skip
    invalid = [one for one in accounting.losses if one.code == "invalidated"]
    named = [one.text for one in invalid if one.file in {run.file for run in runs}]
    if named:
        yield _threat("run_invalidated", claim, f"A run was marked as invalid: {_few(named)}.")


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and int(text) > 0 else 1


def _blindness(claim: str, accounting: Accounting, slice_: IntakeSlice) -> Iterator[Threat]:
    chosen = None if slice_.chosen_on is None else when(slice_.chosen_on)
    first = None if accounting.earliest_date is None else when(accounting.earliest_date)
    if slice_.blind_to_scores and chosen is not None and first is not None and first < chosen:
        yield _threat(
            "blindness_refuted", claim, affects="validity",
            text=f"The items are said to be chosen without sight of scores, on {slice_.chosen_on}, "
            f"yet the earliest response is of {accounting.earliest_date}.",
        )  # fmt: skip
