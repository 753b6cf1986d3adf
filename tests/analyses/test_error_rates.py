"""How often the bounds err, by small simulations of whole tables; at the boundary of a bar."""

import numpy as np
import pytest

from audit.analyses.arrays import prepare
from audit.analyses.estimates import Choices, evaluate_value
from audit.spec.models import UNSCORED_DEFAULT
from tests.analyses.builders import BINARY, request, scored, table, weight

pytestmark = pytest.mark.slow

STUDIES = 400
MOST = 18
"""P(X > 18 | 400, .025) = .008."""


def errs(rows, truth, *, weights=(), kind="none", **asked):
    """Whether the lower bound lies above the truth, and the upper below."""
    responses = prepare(table(rows), BINARY, UNSCORED_DEFAULT)
    wanted = request("a", asked.pop("over", None), errors=(0.025,), **asked)
    found = evaluate_value(responses, Choices(wanted, tuple(weights), kind))
    return found.bounds[0].lower > truth, found.bounds[0].upper < truth


def counted(studies):
    lower, upper = np.sum(list(studies), axis=0)
    return int(lower), int(upper)


def pair_of(rng, n, p, q, shared=0.5):
    """Right or wrong of two systems with correlated outcomes."""
    common = rng.random(n)
    own = [np.where(rng.random(n) < shared, common, rng.random(n)) for _ in range(2)]
    return (own[0] < p).tolist(), (own[1] < q).tolist()


def test_weighted_differences_of_unlike_tasks():
    """Items not proportional to the work: x .8 of the items, .3 of the work."""

    def study(seed):
        rng = np.random.default_rng(seed)
        one, other = pair_of(rng, 160, 0.85, 0.75), pair_of(rng, 40, 0.4, 0.5)
        rows = scored(
            {"a": one[0] + other[0], "b": one[1] + other[1]}, task=["x"] * 160 + ["y"] * 40
        )
        weights = [weight("x", 0.3), weight("y", 0.7)]
        return errs(
            rows,
            0.3 * 0.1 - 0.7 * 0.1,
            over="b",
            weights=weights,
            kind="share",
            measure="expected_success",
            tasks=("x", "y"),
        )

    assert max(counted(study(seed) for seed in range(STUDIES))) <= MOST


def test_counted_weights_carry_their_own_error():
    """The counts are drawn anew in each study; fixed-weight intervals would err more often."""
    true, effect = np.array([0.5, 0.5]), np.array([0.5, -0.4])

    def study(seed, kind):
        rng = np.random.default_rng(seed)
        counts = rng.multinomial(60, true)
        scores = {"a": [], "b": []}
        for gain in effect:
            a, b = pair_of(rng, 100, 0.45 + gain / 2 + 0.05, 0.45 - gain / 2 + 0.05)
            scores["a"] += a
            scores["b"] += b
        weights = [
            weight(task, count / 60, count=int(count))
            for task, count in zip("xy", counts, strict=True)
        ]
        return errs(
            scored(scores, task=["x"] * 100 + ["y"] * 100),
            float(true @ effect),
            over="b",
            weights=weights,
            kind=kind,
            measure="expected_success",
            tasks=("x", "y"),
        )

    # the normal term for weights from 60 uses is itself approximate: errata allow up to .04
    assert max(counted(study(seed, "count") for seed in range(STUDIES))) <= 24
    assert sum(counted(study(seed, "share") for seed in range(STUDIES))) > 2 * MOST


def test_rows_lost_for_a_reason_never_err_more_often():
    """A candidate .0075 worse loses rows on a tenth of its failures: no bound claims too much."""

    def study(seed):
        rng = np.random.default_rng(seed)
        a, b = pair_of(rng, 600, 0.6925, 0.70, 0.9)
        lost = [not right and rng.random() < 0.1 for right in a]
        rows = scored({"a": [None if gone else s for gone, s in zip(lost, a, strict=True)], "b": b})
        return errs(rows, -0.0075, over="b")

    lower, upper = counted(study(seed) for seed in range(STUDIES))
    # all lost rows are failures: the lower end is the truth's own interval, the upper far from it
    assert lower <= MOST
    assert upper <= 2


def test_weighted_scores_of_a_rare_severe_task():
    def study(seed):
        rng = np.random.default_rng(seed)
        right = (rng.random(200) < 0.9).tolist() + (rng.random(30) < 0.97).tolist()
        rows = scored({"a": right}, task=["x"] * 200 + ["y"] * 30)
        weights = [weight("x", 0.9, consequence=1.0), weight("y", 0.1, consequence=30.0)]
        return errs(
            rows,
            0.9 * 0.1 + 0.1 * 30 * 0.03,
            weights=weights,
            kind="share",
            measure="expected_loss",
            tasks=("x", "y"),
        )

    assert max(counted(study(seed) for seed in range(STUDIES))) <= MOST


def test_clusters_that_cross_tasks():
    """Ten documents asked about in two tasks; documents differ by .3 (SD) in one system."""

    def study(seed):
        rng = np.random.default_rng(seed)
        document = np.repeat(np.arange(20), 8)
        shift = rng.normal(0, 0.15, 20)[document]
        task = np.where(np.arange(160) % 2, "x", "y")
        a = (rng.random(160) < np.clip(0.55 + shift, 0, 1)).tolist()
        b = (rng.random(160) < 0.55).tolist()
        rows = scored(
            {"a": a, "b": b},
            task=task.tolist(),
            cluster=[f"d{one}" for one in document],
        )
        weights = [weight("x", 0.5), weight("y", 0.5)]
        return errs(
            rows,
            0.0,
            over="b",
            weights=weights,
            kind="share",
            measure="expected_success",
            tasks=("x", "y"),
        )

    assert max(counted(study(seed) for seed in range(STUDIES))) <= MOST
