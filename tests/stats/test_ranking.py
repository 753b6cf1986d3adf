import numpy as np
import pytest
from scipy.special import ndtr

from audit.errors import Reason
from audit.stats.clusters import cluster_mean
from audit.stats.intervals import t_quantile
from audit.stats.ranking import RankWeights, rank_sets
from tests.stats.builders import at_most, lognormal_sizes


def answers(rng, chances, n, correlation=0.5):
    """[S, n] right or wrong; items are hard or easy for all systems alike."""
    shared = rng.standard_normal(n) * np.sqrt(correlation)
    own = rng.standard_normal((len(chances), n)) * np.sqrt(1 - correlation)
    return (ndtr(shared + own) < np.asarray(chances)[:, None]).astype(float)


def sets(values, error=0.025, **more):
    found = rank_sets(values, values, more.pop("clusters", None), error, 1, **more)
    return found.lower.tolist(), found.upper.tolist()


def ranks(values):
    scores = values.mean(axis=1)
    return 1 + (scores[None, :] > scores[:, None]).sum(axis=1)


def test_far_apart_systems_have_one_rank_each():
    values = answers(np.random.default_rng(0), [0.2, 0.9, 0.5], 400)
    assert sets(values) == ([3, 1, 2], [3, 1, 2])
    assert sets(values, higher=False) == ([1, 3, 2], [1, 3, 2])


@pytest.mark.parametrize("clusters", [None, np.repeat(np.arange(10), 20)])
def test_identical_systems_tie(clusters):
    values = np.tile(answers(np.random.default_rng(0), [0.6], 200), (4, 1))
    assert sets(values, clusters=clusters) == ([1] * 4, [4] * 4)


def test_one_system_alone_is_first():
    assert sets(np.ones((1, 20))) == ([1], [1])


@pytest.mark.parametrize("n", [60, 400])
def test_a_few_discordant_items_give_no_certainty(n):
    values = np.zeros((2, n))
    for gains, certain in ((3, False), (5, False), (12, True)):
        values[0, :gains] = 1
        assert sets(values)[0] == ([1, 2] if certain else [1, 1]), gains


def test_differences_in_few_clusters_give_no_certainty():
    clusters, values = np.repeat(np.arange(40), 10), np.zeros((2, 400))
    values[0, :80] = 1  # 80 items, but 8 clusters
    assert sets(values, clusters=clusters) == ([1, 1], [2, 2])
    values[0, :200] = 1
    assert sets(values, clusters=clusters) == ([1, 2], [1, 2])


def test_sidak_against_pairs_one_by_one():
    rng = np.random.default_rng(4)
    values = answers(rng, [0.3, 0.5, 0.6, 0.8], 240)
    clusters = np.repeat(np.arange(24), 10)
    found = rank_sets(values, values, clusters, 0.025, 1)
    each = (1 - 0.95 ** (1 / 6)) / 2
    better = np.zeros((4, 4), dtype=bool)
    for i in range(4):
        for k in range(4):
            if i == k:
                continue
            pair = np.append(values[i] - values[k], [1.0, -1.0])
            fit = cluster_mean(pair, np.append(clusters, [100, 101]))
            centre = min(fit.value, (values[i] - values[k]).mean())
            better[i, k] = centre > t_quantile(each, fit.df) * np.sqrt(fit.variance)
    assert found.method == "sidak(cr2+2) over 6 pairs"
    assert found.lower.tolist() == (1 + better.sum(axis=0)).tolist()
    assert found.upper.tolist() == (4 - better.sum(axis=1)).tolist()
    assert better.any()


@pytest.mark.parametrize("seed", range(4))
def test_sets_hold_the_estimated_rank_and_lie_in_range(seed):
    rng = np.random.default_rng(seed)
    values = answers(rng, np.linspace(0.4, 0.7, 9), 150)
    for clusters in (None, np.arange(150) % 12, np.arange(150) % 50):
        lower, upper = sets(values, clusters=clusters)
        assert all(1 <= a <= b <= 9 for a, b in zip(lower, upper, strict=True))
        assert np.all((lower <= ranks(values)) & (ranks(values) <= upper))


def test_smaller_error_and_more_systems_widen():
    values = answers(np.random.default_rng(5), np.linspace(0.3, 0.8, 8), 250)
    strict, loose = sets(values, 0.001), sets(values, 0.1)
    assert np.all(np.array(strict[0]) <= loose[0])
    assert np.all(np.array(strict[1]) >= loose[1])
    pair = np.array(sets(values[:2])[1]) - sets(values[:2])[0]
    among_all = np.array(sets(values)[1][:2]) - sets(values)[0][:2]
    assert np.all(pair <= among_all)


def test_order_of_systems_and_of_items_does_not_matter():
    rng = np.random.default_rng(6)
    values = answers(rng, np.linspace(0.3, 0.8, 6), 200)
    clusters = np.arange(200) % 20
    order, items = rng.permutation(6), rng.permutation(200)
    before, after = sets(values, clusters=clusters), None
    after = sets(values[np.ix_(order, items)], clusters=clusters[items])
    assert after[0] == [before[0][i] for i in order]
    assert after[1] == [before[1][i] for i in order]


def test_same_seed_same_sets():
    values = answers(np.random.default_rng(7), np.linspace(0.3, 0.8, 12), 300)
    assert sets(values) == sets(values)


@pytest.mark.parametrize("factor", [100.0, 0.01])
def test_units_do_not_matter(factor):
    values = answers(np.random.default_rng(8), np.linspace(0.3, 0.8, 7), 200)
    assert sets(values * factor, width=factor) == sets(values)


def test_missing_responses_widen_and_are_bounded():
    rng = np.random.default_rng(9)
    values = answers(rng, [0.4, 0.6, 0.8], 400)
    gone = rng.random(values.shape) < 0.15
    low, high = np.where(gone, 0.0, values), np.where(gone, 1.0, values)
    found = rank_sets(low, high, None, 0.025, 1)
    assert np.all(found.lower <= sets(values)[0])
    assert np.all(found.upper >= sets(values)[1])
    worst, best = rank_sets(low[:2], low[:2], None, 0.025, 1), None
    best = rank_sets(low, np.maximum(low, 1.0), None, 0.025, 1)
    assert worst.lower.tolist() == [2, 1]
    assert best.lower.tolist() == [1, 1, 1]


def test_weights_decide_the_order():
    rng = np.random.default_rng(10)
    strata = np.repeat([0, 1], 200)
    one = np.concatenate([rng.random(200) < 0.9, rng.random(200) < 0.2])
    two = np.concatenate([rng.random(200) < 0.5, rng.random(200) < 0.5])
    values = np.stack([one, two]).astype(float)
    found = [
        sets(values, weights=RankWeights(strata, shares)) for shares in ([0.9, 0.1], [0.1, 0.9])
    ]
    assert found == [([1, 2], [1, 2]), ([2, 1], [2, 1])]


def test_tasks_without_weight_are_left_out():
    values = answers(np.random.default_rng(13), np.linspace(0.3, 0.8, 5), 300)
    strata = np.repeat([0, 1, 2], 100)
    found = sets(values, weights=RankWeights(strata, [0.5, 0.0, 0.5], counts=[50, 0, 50]))
    kept = strata != 1
    left = RankWeights(strata[kept] // 2, [0.5, 0.5], counts=[50, 50])
    assert found == sets(values[:, kept], weights=left)


def test_equal_weights_in_proportion_are_the_plain_mean():
    values = answers(np.random.default_rng(11), np.linspace(0.35, 0.75, 8), 300)
    strata = np.repeat([0, 1, 2], 100)
    weighted = sets(values, weights=RankWeights(strata, [1 / 3] * 3))
    assert np.max(np.abs(np.array(weighted) - np.array(sets(values)))) <= 1


def test_counted_weights_widen():
    rng = np.random.default_rng(12)
    strata = np.repeat([0, 1], 150)
    values = np.stack(
        [
            np.concatenate([rng.random(150) < 0.9, rng.random(150) < 0.3]),
            np.concatenate([rng.random(150) < 0.4, rng.random(150) < 0.55]),
        ]
    ).astype(float)
    assert sets(values, weights=RankWeights(strata, [0.6, 0.4])) == ([1, 2], [1, 2])
    few = RankWeights(strata, [0.6, 0.4], counts=[6, 4])
    assert sets(values, weights=few) == ([1, 1], [2, 2])


def test_a_task_in_one_cluster_gives_no_certainty():
    clusters = np.concatenate([np.arange(100), np.full(100, 500)])
    strata = np.repeat([0, 1], 100)
    values = np.stack([np.repeat([0.5, 1.0], 100), np.repeat([0.5, 0.0], 100)])
    weights = RankWeights(strata, [0.5, 0.5])
    assert sets(values, clusters=clusters, weights=weights) == ([1, 1], [2, 2])


def test_too_few_clusters_are_refused():
    values = np.zeros((2, 50))
    assert rank_sets(values, values, np.arange(50) % 5, 0.025, 1).reason == Reason.TOO_FEW_CLUSTERS
    assert rank_sets(values[:, :5], values[:, :5], None, 0.025, 1).reason == Reason.TOO_FEW_ITEMS


def test_low_above_high_is_refused():
    with pytest.raises(ValueError, match="low <= high"):
        rank_sets(np.ones((2, 9)), np.zeros((2, 9)), None, 0.025, 1)


def test_without_a_range_equal_systems_still_tie():
    values = np.tile(np.random.default_rng(0).normal(size=80), (3, 1))
    assert sets(values, width=None) == ([1] * 3, [3] * 3)
    assert sets(values + np.array([[0.0], [5.0], [9.0]]) + 0.0, width=None)[0] == [1, 1, 1]


def wrong_sets(rng, chances, draw, runs, **more):
    """Share of runs in which some system's true rank is outside its set; ties are never wrong."""
    chances = np.asarray(chances)
    above = (chances[None, :] > chances[:, None]).sum(axis=1)
    below = (chances[None, :] < chances[:, None]).sum(axis=1)
    wrong = 0
    for run in range(runs):
        values, clusters = draw(rng, chances)
        found = rank_sets(values, values, clusters, 0.025, run, **more)
        wrong += bool(np.any(found.lower > 1 + above) or np.any(found.upper < len(chances) - below))
    return wrong / runs


@pytest.mark.slow
@pytest.mark.parametrize(
    "chances",
    [[0.6] * 8, [0.02] * 8, [0.5, 0.5, 0.55, 0.55, 0.7, 0.7]],
    ids=["equal", "equal, rare", "pairs"],
)
@pytest.mark.parametrize("n", [60, 300])
def test_simultaneous_error_of_items(chances, n):
    rng, runs = np.random.default_rng(n), 400
    found = wrong_sets(rng, chances, lambda g, p: (answers(g, p, n), None), runs)
    assert found <= at_most(0.05, runs)


@pytest.mark.slow
@pytest.mark.parametrize("count", [8, 20, 40])
def test_simultaneous_error_of_clusters(count):
    def draw(rng, chances):
        codes = np.repeat(np.arange(count), lognormal_sizes(rng, count, 8, 0.5))
        tilt = 0.3 * (rng.random((len(chances), count)) - 0.5)
        return (rng.random((len(chances), len(codes))) < chances[0] + tilt[:, codes]) + 0.0, codes

    runs = 400
    found = wrong_sets(np.random.default_rng(count), [0.5] * 6, draw, runs)
    assert found <= at_most(0.055, runs)
