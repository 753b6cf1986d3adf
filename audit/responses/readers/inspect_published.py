"""What an Inspect log publishes beside what its own samples give."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from audit.responses.facts import Reproduction
from audit.responses.readers.inspect_samples import Samples, score_column
from audit.responses.readers.reproducing import reproduction

_AT: Final = re.compile(r"(pass_at|at_least)_([0-9]{1,3})")


def published(samples: Samples, results: Any, *, system: str, task: str) -> Iterator[Reproduction]:
    """Recompute every metric of every score, after the reducer of its epochs.

    Samples that were not scored are left out, as Inspect does. Counting them as 0 is no second
    reading here: a lost failure beside an errored sample would then look as published.
    """
    scores = results.get("scores") if isinstance(results, dict) else None
    for entry in scores if isinstance(scores, list) else []:
        if not isinstance(entry, dict) or not isinstance(entry.get("metrics"), dict):
            continue
        column = _column(entry, samples)
        reducer = entry.get("reducer") if isinstance(entry.get("reducer"), str) else "mean"
        reduced = _reduced(samples, column, str(reducer))
        for key, metric in entry["metrics"].items():
            value = metric.get("value") if isinstance(metric, dict) else None
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            if not math.isfinite(value):
                continue
            plain = not (isinstance(metric.get("params"), dict) and metric["params"])
            name = str(metric.get("name") or key).rpartition("/")[2]
            recomputed, note = _recomputed(name if plain else "", reduced)
            after = f" after {reducer}" if entry.get("reducer") else ""
            yield reproduction(
                file=samples.file.declared, system=system, task=task, metric=column[:200],
                aggregation=f"{name}{after}"[:200], published=float(value),
                recomputed=recomputed, items=len(reduced), note=note,
            )  # fmt: skip


def _column(entry: Mapping[str, Any], samples: Samples) -> str:
    """The column of a published score: a scorer, or a key of a scorer with several values."""
    name, scorer = (score_column(str(entry.get(key) or "")) for key in ("name", "scorer"))
    for one in (f"{entry.get('scorer')}.{entry.get('name')}", name, scorer):
        if one in samples.values:
            return one
    return name


def _reduced(samples: Samples, column: str, reducer: str) -> list[float]:
    """One value of each scored sample; none where the reducer is not known."""
    reduce = _reducer(reducer)
    if reduce is None:
        return []
    found = []
    for values in samples.values.get(column, {}).values():
        held = [one for one in values if one is not None]
        if held:
            found.append(reduce(held))
    return found


def _reducer(name: str) -> Callable[[Sequence[float]], float] | None:
    """Inspect's reducers: mean, median, mode, max, at_least_k, pass_at_k (Chen et al. 2021,
    arXiv:2107.03374: 1 - C(n - c, k) / C(n, k)).
    """
    plain: dict[str, Callable[[Sequence[float]], float]] = {
        "mean": lambda values: math.fsum(values) / len(values),
        "median": statistics.median,
        "mode": statistics.mode,
        "max": max,
    }
    found = _AT.fullmatch(name)
    if found is None:
        return plain.get(name)
    k = int(found.group(2))
    if found.group(1) == "at_least":
        return lambda values: float(sum(one >= 1 for one in values) >= k)
    return lambda values: _pass_at(values, k)


def _pass_at(values: Sequence[float], k: int) -> float:
    total, right = len(values), sum(one >= 1 for one in values)
    if total - right < k:
        return 1.0
    return 1.0 - math.comb(total - right, k) / math.comb(total, k)


def _recomputed(metric: str, reduced: Sequence[float]) -> tuple[float | None, str]:
    """The value of a metric, or why there is none."""
    if not reduced:
        return None, "the log holds no samples with this score, or the reducer is not known"
    compute = {"accuracy": _mean, "mean": _mean, "stderr": _error, "std": _deviation}.get(metric)
    if compute is None:
        return None, "this metric is not recomputed"
    return compute(reduced), ""


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _deviation(values: Sequence[float]) -> float:
    return statistics.stdev(values) if len(values) > 1 else 0.0


def _error(values: Sequence[float]) -> float:
    return _deviation(values) / math.sqrt(len(values))
