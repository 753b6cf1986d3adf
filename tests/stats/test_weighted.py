import math

import numpy as np
import pytest
from scipy.stats import beta
from scipy.stats import t as student

from audit.errors import Reason
from audit.stats.clusters import cluster_mean
from audit.stats.estimate import NotEstimable
from audit.stats.intervals import clopper_pearson, normal_quantile
from audit.stats.paired import tango_bounds
from audit.stats.strata import Stratum, sparse_bounds
from audit.stats.weighted import weighted_bounds
from tests.stats.builders import dense_cr2, indicators, signs


def difference(values, clusters=None, kind="binary_difference", r=1.0):
    return Stratum(np.asarray(values, dtype=float), clusters, -r, r, kind)


def score(values, clusters=None, kind="binary_score", low=0.0, high=1.0):
    return Stratum(np.asarray(values, dtype=float), clusters, low, high, kind)


def a_case(name, seed=0):
    """Strata and weights of every rule."""
    rng = np.random.default_rng(seed)
    one, two, three = (signs(rng, n, 0.2, 0.1) for n in (60, 45, 90))
    groups = np.repeat(np.arange(20), 3)
    graded = rng.binomial(3, 0.7, size=60) / 3
    return {
        "tango": ([difference(one)], [1.0]),
        "clopper-pearson": ([score(one > 0)], [1.0]),
        "cr2+2": ([difference(one, groups)], [1.0]),
        "graded": ([score(graded, kind="graded")], [1.0]),
        "clusters": ([difference(np.where(groups < 4, one, 0.0), groups)], [1.0]),
        "mover": ([difference(one), difference(two), difference(three)], [0.5, 0.2, 0.3]),
        "strata": ([difference(one, kind="graded"), difference(two, kind="graded")], [0.6, 0.4]),
        "mixed": ([difference(one, groups), difference(two)], [0.6, 0.4]),
        "crossed": (
            [difference(one, groups), difference(two, np.arange(45) % 17)],
            [0.6, 0.4],
        ),
    }[name]


RULES = ["tango", "clopper-pearson", "cr2+2", "graded", "clusters", "mover", "strata", "mixed"]
RULES.append("crossed")


def test_plain_difference_is_tangos():
    values = [1.0] * 9 + [-1.0] * 3 + [0.0] * 20
    found, tango = (
        weighted_bounds([difference(values)], [1.0], 0.025),
        tango_bounds(9, 3, 32, 0.025),
    )
    assert found.value == pytest.approx(6 / 32)
    assert (found.lower, found.upper) == pytest.approx((tango.lower, tango.upper), abs=1e-15)
    assert (found.method, found.items, found.df) == ("tango", 32, None)


def test_plain_score_is_clopper_pearsons_on_any_range():
    found = weighted_bounds([score([100.0] * 7 + [0.0] * 3, high=100.0)], [1.0], 0.025)
    exact = clopper_pearson(7, 10, 0.025)
    assert (found.lower, found.upper) == pytest.approx((100 * exact.lower, 100 * exact.upper))
    assert found.method == "clopper-pearson"


def test_mover_by_hand():
    # D = (.10, -.05), weights .25, .75; T = .025 - .0375 = -.0125
    # L = T - sqrt((.25 (.10 - l1))^2 + (.75 (-.05 - l2))^2), l from Tango's intervals
    one = [1.0] * 15 + [-1.0] * 5 + [0.0] * 80
    two = [1.0] * 2 + [-1.0] * 6 + [0.0] * 72
    found = weighted_bounds([difference(one), difference(two)], [0.25, 0.75], 0.025)
    a, b = tango_bounds(15, 5, 100, 0.025), tango_bounds(2, 6, 80, 0.025)
    down = math.hypot(0.25 * (0.10 - a.lower), 0.75 * (-0.05 - b.lower))
    up = math.hypot(0.25 * (a.upper - 0.10), 0.75 * (b.upper + 0.05))
    assert found.value == pytest.approx(-0.0125)
    assert (found.lower, found.upper) == pytest.approx((-0.0125 - down, -0.0125 + up))
    assert found.method == "mover(tango)"


def test_pseudo_items_by_hand():
    # twelve .5 and twelve 0; with -1 and 1 the mean is 6/26 = .230769, and about it
    # sum of squares = 12 (.269231)^2 + 12 (.230769)^2 + 1.230769^2 + .769231^2 = 3.615385
    # V = 3.615385 / (26 x 25) = .00556213, SE .0745797, df 25; the plain mean is .25
    values = [0.5] * 12 + [0.0] * 12
    found = weighted_bounds([difference(values, kind="graded")], [1.0], 0.025)
    t = student.ppf(0.975, 25)
    assert found.value == 0.25
    assert (found.standard_error, found.df) == pytest.approx((0.0745797, 25), abs=1e-7)
    assert found.lower == pytest.approx(0.230769 - t * 0.0745797, abs=1e-6)
    assert found.upper == pytest.approx(0.25 + t * 0.0745797, abs=1e-6)


def test_sparse_clusters_by_hand():
    # 20 clusters of 3, one with a net loss, none with a net gain: r = 1,
    # L = -CPU(1, 20), U = CPU(0, 20) = 1 - .025^(1/20) = .168433
    values, groups = np.zeros(60), np.repeat(np.arange(20), 3)
    values[:2] = -1
    found = weighted_bounds([difference(values, groups)], [1.0], 0.025)
    assert found.lower == pytest.approx(-clopper_pearson(1, 20, 0.025).upper)
    assert found.upper == pytest.approx(0.168433, abs=1e-6)
    assert found.method == "clusters"


def test_unequal_sparse_clusters_count_as_the_largest():
    sizes = np.array([10.0, 1, 1, 1, 1, 1, 1, 1, 1, 2])  # mean 2, r = 5
    found = sparse_bounds(np.array([0.0] * 9 + [-1.0]), sizes, (-1.0, 1.0), 0.025)
    # CPU(1, 10) = .4450: five times that is more than all, so the bound is the end
    assert found[0] == -1
    assert found[1] == pytest.approx(min(1, 5 * (1 - 0.025**0.1)))


def test_score_of_few_failing_clusters_by_hand():
    # 12 clusters of 2; three lose one item each: 21 of 24 = .875 on 12 effective clusters, which is
    # Clopper-Pearson at 10.5 of 12: beta quantiles I^-1(.025; 10.5, 2.5) and I^-1(.975; 11.5, 1.5)
    values, groups = np.ones(24), np.repeat(np.arange(12), 2)
    values[[0, 2, 4]] = 0
    found = weighted_bounds([score(values, groups)], [1.0], 0.025)
    assert found.lower == pytest.approx(beta.ppf(0.025, 10.5, 2.5))
    assert found.upper == pytest.approx(beta.ppf(0.975, 11.5, 1.5))
    assert found.method == "effective clusters"


def test_clusters_that_go_one_way_count_as_items():
    values, groups = np.repeat([1.0] * 9 + [0.0] * 3, 5), np.repeat(np.arange(12), 5)
    found = weighted_bounds([score(values, groups)], [1.0], 0.025)
    exact = clopper_pearson(9, 12, 0.025)
    assert (found.lower, found.upper) == pytest.approx((exact.lower, exact.upper))


def test_score_in_unequal_clusters_is_not_the_whole_range():
    """17 of 24 in 16 clusters of one to three items, as a real study had it."""
    sizes = [3, 2, 2, 2, 2, 2] + [1] * 9 + [2]
    groups = np.repeat(np.arange(16), sizes)
    values = np.ones(24)
    values[[0, 3, 5, 7, 14, 15, 16]] = 0
    found = weighted_bounds([score(values, groups)], [1.0], 0.025)
    assert found.lower > 0.3
    assert found.upper < 0.95


def test_nested_clusters_are_satterthwaites():
    strata, weights = a_case("cr2+2")[0] * 1, [0.7, 0.3]
    rng = np.random.default_rng(1)
    strata.append(difference(signs(rng, 60, 0.3, 0.2), 100 + np.repeat(np.arange(15), 4)))
    found = weighted_bounds(strata, weights, 0.025)
    parts = []
    for s in strata:
        values = np.append(s.values, [-1.0, 1.0])
        parts.append(cluster_mean(values, np.append(s.clusters, [900, 901])))
    V = [w**2 * p.variance for w, p in zip(weights, parts, strict=True)]
    df = sum(V) ** 2 / sum(v**2 / p.df for v, p in zip(V, parts, strict=True))
    pulled = sum(w * p.value for w, p in zip(weights, parts, strict=True))
    half = student.ppf(0.975, df) * math.sqrt(sum(V))
    assert found.lower == pytest.approx(min(pulled, found.value) - half)
    assert found.upper == pytest.approx(max(pulled, found.value) + half)
    assert (found.df, found.clusters) == (pytest.approx(df), 35)


def test_crossing_clusters_against_dense_matrices():
    strata, weights = a_case("crossed")
    found = weighted_bounds(strata, weights, 0.025)
    values = np.concatenate([np.append(s.values, [-1.0, 1.0]) for s in strata])
    codes = np.concatenate(
        [np.append(s.clusters, [500 + 2 * h, 501 + 2 * h]) for h, s in enumerate(strata)]
    )
    groups = np.repeat([0, 1], [62, 47])
    value, variance, df = dense_cr2(values, codes, indicators(groups), np.array(weights))
    half = student.ppf(0.975, df) * math.sqrt(variance)
    assert found.method == "cr2+2 across tasks"
    assert found.lower == pytest.approx(min(value, found.value) - half)
    assert found.upper == pytest.approx(max(value, found.value) + half)
    assert found.clusters == 20


def test_variance_of_counted_weights_by_hand():
    # f = (.25, .75) of 40 counted uses, D = (.10, -.05):
    # (1/40)(.25 x .01 + .75 x .0025 - .0125^2) = (.0025 + .001875 - .00015625)/40 = .00010546875
    one = [1.0] * 15 + [-1.0] * 5 + [0.0] * 80
    two = [1.0] * 2 + [-1.0] * 6 + [0.0] * 72
    strata = [difference(one), difference(two)]
    fixed = weighted_bounds(strata, [0.25, 0.75], 0.025)
    counted = weighted_bounds(strata, [0.25, 0.75], 0.025, weight_counts=[10, 30])
    side = normal_quantile(0.025) * math.sqrt(0.00010546875)
    assert counted.value - counted.lower == pytest.approx(
        math.hypot(fixed.value - fixed.lower, side)
    )
    assert counted.standard_error**2 - fixed.standard_error**2 == pytest.approx(0.00010546875)
    assert counted.method == "mover(tango) + counted weights"


def test_counts_of_tasks_without_items_are_part_of_the_counted_uses():
    # shares .2 and .3 of 50 uses (counts 10, 15; 25 are of a task without items, g = 0):
    # (1/50)(.2 x .04 + .3 x .01 - (.04 + .03)^2) = (.008 + .003 - .0049)/50 = .000122
    strata = [difference([1.0] * 20 + [0.0] * 80), difference([1.0] * 10 + [0.0] * 90)]
    fixed = weighted_bounds(strata, [0.2, 0.3], 0.025)
    counted = weighted_bounds(strata, [0.2, 0.3], 0.025, weight_counts=[10, 15])
    assert counted.standard_error**2 - fixed.standard_error**2 == pytest.approx(0.000122)


def test_equal_means_make_weights_irrelevant():
    strata = [difference([1.0] * 10 + [0.0] * 30)] * 2
    fixed = weighted_bounds(strata, [0.5, 0.5], 0.025)
    counted = weighted_bounds(strata, [0.5, 0.5], 0.025, weight_counts=[6, 6])
    assert (counted.lower, counted.upper) == (fixed.lower, fixed.upper)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_names_itself(rule):
    strata, weights = a_case(rule)
    wanted = {
        "graded": "cr2+2",
        "mover": "mover(tango)",
        "strata": "strata(cr2+2)",
        "mixed": "mover(cr2+2, tango)",
        "crossed": "cr2+2 across tasks",
    }
    assert weighted_bounds(strata, weights, 0.025).method == wanted.get(rule, rule)


@pytest.mark.parametrize("rule", RULES)
def test_sign_flips_mirror(rule):
    strata, weights = a_case(rule)
    flipped = [Stratum(-s.values, s.clusters, -s.upper, -s.lower, s.kind) for s in strata]
    found, mirror = (weighted_bounds(s, weights, 0.025) for s in (strata, flipped))
    assert mirror.value == -found.value
    assert (mirror.lower, mirror.upper) == pytest.approx((-found.upper, -found.lower), abs=1e-12)
    scaled = weighted_bounds(strata, weights, 0.025, scale=[-1.0] * len(weights))
    assert (scaled.lower, scaled.upper) == pytest.approx((-found.upper, -found.lower), abs=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_order_of_items_and_of_strata_does_not_matter(rule):
    strata, weights = a_case(rule)
    rng = np.random.default_rng(2)
    mixed = []
    for s in strata:
        order = rng.permutation(len(s.values))
        codes = None if s.clusters is None else s.clusters[order]
        mixed.append(Stratum(s.values[order], codes, s.lower, s.upper, s.kind))
    found = weighted_bounds(strata, weights, 0.025)
    again = weighted_bounds(mixed[::-1], weights[::-1], 0.025)
    assert (again.value, again.lower, again.upper) == pytest.approx(
        (found.value, found.lower, found.upper), abs=1e-12
    )


@pytest.mark.parametrize("rule", RULES)
def test_units_scale_the_interval(rule):
    strata, weights = a_case(rule)
    percent = [
        Stratum(100 * s.values, s.clusters, 100 * s.lower, 100 * s.upper, s.kind) for s in strata
    ]
    found, scaled = (weighted_bounds(s, weights, 0.025) for s in (strata, percent))
    assert (scaled.value, scaled.lower, scaled.upper) == pytest.approx(
        (100 * found.value, 100 * found.lower, 100 * found.upper), abs=1e-9
    )
    by_scale = weighted_bounds(strata, weights, 0.025, scale=[100.0] * len(weights))
    assert (by_scale.lower, by_scale.upper) == pytest.approx((scaled.lower, scaled.upper), abs=1e-9)


@pytest.mark.parametrize("rule", RULES)
def test_bounds_widen_as_the_error_falls_and_contain_the_value(rule):
    for seed in range(5):
        strata, weights = a_case(rule, seed)
        found = [weighted_bounds(strata, weights, e) for e in (0.3, 0.1, 0.05, 0.025, 0.003, 1e-6)]
        lowers, uppers = [b.lower for b in found], [b.upper for b in found]
        assert lowers == sorted(lowers, reverse=True)
        assert uppers == sorted(uppers)
        assert all(b.lower < b.upper and b.lower <= b.value <= b.upper for b in found)


@pytest.mark.parametrize("rule", RULES)
def test_more_of_the_same_items_narrow_the_interval(rule):
    strata, weights = a_case(rule)
    more = []
    for s in strata:
        codes = s.clusters
        if codes is not None:
            codes = np.concatenate([codes + 1000 * k for k in range(4)])
        more.append(Stratum(np.tile(s.values, 4), codes, s.lower, s.upper, s.kind))
    found, wider = weighted_bounds(more, weights, 0.025), weighted_bounds(strata, weights, 0.025)
    assert found.value == pytest.approx(wider.value)
    assert found.upper - found.lower < wider.upper - wider.lower


@pytest.mark.parametrize("kind", ["binary_difference", "graded"])
@pytest.mark.parametrize("constant", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("grouped", [False, True])
def test_equal_values_never_give_a_zero_width(kind, constant, grouped):
    groups = np.repeat(np.arange(8), 5) if grouped else None
    found = weighted_bounds([difference(np.full(40, constant), groups, kind)], [1.0], 0.025)
    assert -1 <= found.lower <= constant <= found.upper <= 1
    assert found.upper - found.lower > 0.01
    assert found.standard_error > 0


@pytest.mark.parametrize("constant", [0.0, 1.0])
@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("tasks", [1, 3])
def test_perfect_scores_are_not_certain(constant, grouped, tasks):
    strata = [
        score(np.full(40, constant), 10 * h + np.repeat(np.arange(8), 5) if grouped else None)
        for h in range(tasks)
    ]
    found = weighted_bounds(strata, [1 / tasks] * tasks, 0.025)
    assert 0 <= found.lower <= found.value <= found.upper <= 1
    assert found.upper - found.lower > 0.03


def test_strata_without_weight_may_be_empty():
    strata, weights = a_case("mover")
    empty = difference([])
    found = weighted_bounds([*strata, empty], [*weights, 0.0], 0.025)
    assert found == weighted_bounds(strata, weights, 0.025)
    assert weighted_bounds([*strata, empty], [*weights, 0.1], 0.025).reason == Reason.NO_ITEMS
    assert weighted_bounds([], [], 0.025).reason == Reason.NO_ITEMS
    alone = weighted_bounds([strata[0], strata[1]], [1.0, 0.0], 0.025, weight_counts=[9, 0])
    assert alone == weighted_bounds(strata[:1], [1.0], 0.025)


def test_fewer_than_six_clusters_are_refused():
    values = signs(np.random.default_rng(0), 50, 0.3, 0.2)
    for count, refused in ((5, True), (6, False)):
        found = weighted_bounds([difference(values, np.arange(50) % count)], [1.0], 0.025)
        assert isinstance(found, NotEstimable) == refused
    five = weighted_bounds([difference(values, np.arange(50) % 5)], [1.0], 0.025)
    assert five.reason == Reason.TOO_FEW_CLUSTERS
    assert "5 clusters" in five.detail
    graded = weighted_bounds([difference(values[:5] / 2, kind="graded")], [1.0], 0.025)
    assert graded.reason == Reason.TOO_FEW_ITEMS


def test_exact_rules_need_no_six_items():
    found = weighted_bounds([difference([1.0, 0.0, 0.0])], [1.0], 0.025)
    assert found.upper - found.lower > 0.9


def test_a_task_in_one_cluster_counts_as_its_whole_range():
    rng = np.random.default_rng(0)
    many = difference(signs(rng, 100, 0.2, 0.2), np.repeat(np.arange(20), 5))
    one = difference(signs(rng, 50, 0.5, 0.0), np.full(50, 99))
    found = weighted_bounds([many, one], [0.8, 0.2], 0.025)
    assert found.method == "mover(cr2+2, whole range)"
    assert found.value - found.lower > 0.2 * (one.mean + 1)
    crossing = difference(many.values, np.append(many.clusters[:-1], 99))
    across = weighted_bounds([crossing, one], [0.8, 0.2], 0.025)
    assert across.value - across.lower > 0.2 * 2


def test_metric_without_a_range():
    rng = np.random.default_rng(0)
    values, inf = rng.normal(3, 1, size=30), math.inf
    found = weighted_bounds([Stratum(values, None, -inf, inf, "graded")], [1.0], 0.025)
    half = student.ppf(0.975, 29) * values.std(ddof=1) / math.sqrt(30)
    assert (found.lower, found.upper) == pytest.approx((values.mean() - half, values.mean() + half))
    flat = weighted_bounds([Stratum(np.ones(30), None, -inf, inf, "graded")], [1.0], 0.025)
    assert flat.reason == Reason.TOO_FEW_ITEMS


def test_values_between_right_and_wrong_are_graded_whatever_the_kind():
    values = np.random.default_rng(0).binomial(2, 0.7, size=30) / 2
    assert weighted_bounds([score(values)], [1.0], 0.025).method == "cr2+2"


@pytest.mark.parametrize(
    ("values", "low", "high"), [([2.0], 0.0, 1.0), ([math.nan], 0.0, 1.0), ([0.0], 1.0, 0.0)]
)
def test_impossible_values_are_refused(values, low, high):
    with pytest.raises(ValueError, match=r"range|outside"):
        score(values, low=low, high=high)


def test_negative_weights_are_refused():
    with pytest.raises(ValueError, match="weight >= 0"):
        weighted_bounds([difference([1.0, 0.0])], [-1.0], 0.025)


def a_random_stratum(rng, h, grouping):
    n = int(rng.choice([1, 2, 3, 6, 10, 40]))
    low, kind, values = (
        (-1.0, "binary_difference", rng.choice([-1.0, 0.0, 1.0], n, p=[0.1, 0.8, 0.1])),
        (0.0, "binary_score", rng.choice([0.0, 1.0], n, p=[0.05, 0.95])),
        (-1.0, "graded", rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], n)),
        (0.0, "graded", np.full(n, rng.choice([0.0, 1.0]))),
    )[int(rng.integers(4))]
    first = {"none": None, "nested": 100 * h, "crossed": 0}[grouping]
    return Stratum(values, None if first is None else first + rng.integers(0, 9, n), low, 1.0, kind)


@pytest.mark.parametrize("grouping", ["none", "nested", "crossed"])
def test_whatever_the_data_bounds_are_finite_ordered_and_around_the_value(grouping):
    rng = np.random.default_rng(5)
    for _ in range(300):
        H = int(rng.integers(1, 5))
        strata = [a_random_stratum(rng, h, grouping) for h in range(H)]
        counts = rng.integers(1, 100, H)
        more = {"weight_counts": counts} if rng.random() < 0.3 else {}
        if rng.random() < 0.3:
            more["scale"] = rng.choice([-5.0, 1.0, 3.0], H)
        found = [weighted_bounds(strata, counts / counts.sum(), e, **more) for e in (0.1, 0.001)]
        if isinstance(found[0], NotEstimable):
            assert isinstance(found[1], NotEstimable)
            continue
        wide, wider = found
        assert wider.lower <= wide.lower <= wide.value <= wide.upper <= wider.upper
        assert wide.upper - wide.lower > 1e-6
        assert 0 < wide.standard_error < math.inf
