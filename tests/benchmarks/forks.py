"""Variations of one source's comparison that a person might as well have chosen, in process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from audit.analyses.arrays import Responses, prepare
from audit.analyses.comparison import evaluate
from audit.analyses.estimates import Choices
from audit.io import read_model
from audit.spec.plan import AnalysisSlice, Request, TaskWeight
from audit.steps.tables import read_table

FORKS = 50
SEED = 1


@dataclass(frozen=True)
class Fork:
    """One set of choices."""

    strict: bool
    """Whether every response without a score counts as wrong, instead of the study's rules."""
    weights: tuple[TaskWeight, ...]
    left_out: int
    """Which of the other ranked systems is left out of the field."""


def forks_of(slice_: AnalysisSlice) -> Iterator[Fork]:
    """Fifty forks: shares of tasks drawn at random, two rules, a field without one system."""
    rng = np.random.default_rng(SEED)
    for at in range(FORKS):
        shares = rng.dirichlet(np.ones(len(slice_.weights)))
        weights = tuple(
            one.model_copy(update={"share": float(share)})
            for one, share in zip(slice_.weights, shares, strict=True)
        )
        yield Fork(strict=at % 2 == 1, weights=weights, left_out=at)


def fork_runner(folder: Path, source: str) -> Callable[[], None]:
    """An action that answers every request of the comparison under every fork.

    The table is read here, once; both rules' arrays are made inside the action.
    """
    slice_ = read_model(folder / "slices" / f"comparison.{source}.json", AnalysisSlice)
    responses = folder / "responses"
    table = read_table(responses / f"{source}.parquet", responses / f"{source}.items.parquet")
    metrics = {one.id: one for one in slice_.metrics}
    used = dict.fromkeys(one.metric for one in slice_.requests)
    rules = {False: slice_.unscored, True: dict.fromkeys(slice_.unscored, "wrong")}
    forks = list(forks_of(slice_))

    def run() -> None:
        arrays = {
            (strict, name): prepare(table, metrics[name], rule)
            for strict, rule in rules.items()
            for name in used
        }
        for fork in forks:
            for request in slice_.requests:
                _answer(arrays[fork.strict, request.metric], request, fork, slice_.seed)

    return run


def _answer(responses: Responses, request: Request, fork: Fork, seed: int) -> None:
    others = [name for name in request.among if name != request.of]
    if others:
        gone = others[fork.left_out % len(others)]
        among = tuple(name for name in request.among if name != gone)
        request = request.model_copy(update={"among": among})
    evaluate(responses, Choices(request, fork.weights, "share", seed=seed))
