"""What an analysis of one source asks of its arrays: the plan's requests, and those of its tables.

Numbers of tables come through the same door as the plan's: a table makes requests of its own, with
one-sided error .025 on each side unless said (95% intervals).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from audit import __version__
from audit.analyses.arrays import Responses, prepare
from audit.analyses.contract import Estimate, NotEstimable, Provenance
from audit.analyses.estimates import Choices, evaluate_value
from audit.io import digest_of
from audit.responses.table import ResponseTable
from audit.spec.plan import AnalysisSlice, Request

TABLE_ERROR = 0.025
MOST_SYSTEMS = 20
"""Systems in tables of all pairs; a convention."""
Measure = Literal["mean", "expected_success", "expected_loss"]


@dataclass(frozen=True)
class View:
    """One metric in one set of variants, as some requests use it."""

    metric: str
    variants: tuple[str, ...]

    @property
    def suffix(self) -> str:
        """End of a table's id: nothing for the base wording of the primary metric is assumed."""
        return ".".join((self.metric, *self.variants))


@dataclass(frozen=True, eq=False)
class Asking:
    """The slice with its arrays by metric."""

    slice: AnalysisSlice
    arrays: Mapping[str, Responses]

    def choices(self, request: Request) -> Choices:
        """A request with the study's weights."""
        return Choices(
            request,
            self.slice.weights,
            self.slice.weights_kind,
            self.slice.consequence_unit,
            self.slice.seed,
        )

    def value(self, request: Request) -> Estimate | NotEstimable:
        """Answer a request for a score, a loss or a difference."""
        return evaluate_value(self.arrays[request.metric], self.choices(request))

    @property
    def views(self) -> tuple[View, ...]:
        """Metrics and variants of the plan's requests (twins apart), in their order."""
        return tuple(
            dict.fromkeys(
                View(one.metric, one.variants) for one in self.slice.requests if one.twin is None
            )
        )

    @property
    def systems(self) -> tuple[str, ...]:
        """Candidates and baselines in the study's order, then others that requests name."""
        named = [
            name
            for one in self.slice.requests
            for name in (one.of, *([one.over] if one.over else []), *one.among)
        ]
        return tuple(dict.fromkeys([*self.slice.systems, *named]))

    @property
    def compared(self) -> tuple[str, ...]:
        """Systems for tables of all pairs: those that requests name first, at most 20."""
        named = [name for name in self.systems if self._is_named(name)]
        most = set([*named, *self.systems][:MOST_SYSTEMS])
        return tuple(name for name in self.systems if name in most)

    def _is_named(self, name: str) -> bool:
        return any(name in (one.of, one.over, *one.among) for one in self.slice.requests)

    @property
    def weighted(self) -> tuple[str, ...]:
        """Tasks with weight, in the study's order."""
        return tuple(one.task for one in self.slice.weights if one.share > 0)

    @property
    def has_losses(self) -> bool:
        """Whether every task with weight has a consequence."""
        weights = [one for one in self.slice.weights if one.share > 0]
        return bool(weights) and all(one.consequence is not None for one in weights)

    def tasks_of(self, view: View) -> tuple[str, ...]:
        """Tasks for tables: the declared ones, else those of the items."""
        declared = tuple(one.task for one in self.slice.weights)
        return declared or self.arrays[view.metric].tasks

    def has_range(self, view: View) -> bool:
        """Whether the view's metric has two ends."""
        return self.arrays[view.metric].lower is not None

    def asked(self, view: View, of: str, over: str | None = None, **changes: Any) -> Request:
        """Make a request for a table."""
        values: dict[str, Any] = {
            "id": "table",
            "criterion": "table",
            "claim": "",
            "source": self.slice.source,
            "analysis": self.slice.analysis,
            "kind": "performance" if over is None else "comparison",
            "measure": "mean",
            "metric": view.metric,
            "of": of,
            "over": over,
            "variants": view.variants,
            "errors": (TABLE_ERROR,),
        }
        return Request(**(values | changes))

    def provenance(self, seed: int | None = None) -> Provenance:
        """Program and digest of the slice; the step adds those of the files it read."""
        return Provenance(program=__version__, inputs={"slice": digest_of(self.slice)}, seed=seed)


def ask(slice: AnalysisSlice, table: ResponseTable) -> Asking:
    """Make the arrays of every metric that the slice's requests use."""
    used = dict.fromkeys(one.metric for one in slice.requests)
    metrics = {one.id: one for one in slice.metrics}
    return Asking(slice, {name: prepare(table, metrics[name], slice.unscored) for name in used})


def split(
    answers: Sequence[Estimate | NotEstimable],
) -> tuple[tuple[Estimate, ...], tuple[NotEstimable, ...]]:
    """Estimates and refusals, each in the order of the requests."""
    return (
        tuple(one for one in answers if isinstance(one, Estimate)),
        tuple(one for one in answers if isinstance(one, NotEstimable)),
    )


def cells(found: Estimate | NotEstimable) -> tuple[float | None, float | None, float | None]:
    """Value, lower and upper at the first error, None where there is no number."""
    if isinstance(found, NotEstimable):
        return None, None, None
    return found.value, found.bounds[0].lower, found.bounds[0].upper


def why_not(found: Estimate | NotEstimable) -> str:
    """Why there is no number; empty when there is one."""
    return found.detail if isinstance(found, NotEstimable) else ""
