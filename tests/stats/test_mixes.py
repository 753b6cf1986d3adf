import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import norm

from audit.errors import Reason
from audit.stats.mixes import flip_weight, least_difference_over_vertices
from tests.stats.builders import at_most


def test_flip_weight_by_hand():
    # rest +.02, task -.10: (1 - w) .02 - .10 w = 0 -> w = .02/.12 = 1/6
    found = flip_weight(0.02, -0.10, np.zeros((2, 2)), 0.025)
    assert found.weight == pytest.approx(1 / 6)
    assert found.compatible[0] == pytest.approx((1 / 6, 1 / 6))
    assert found.shape == "interval"


@pytest.mark.parametrize("seed", range(20))
def test_fiellers_set_is_where_a_tie_is_not_excluded(seed):
    rng = np.random.default_rng(seed)
    d_rest, d_task = rng.normal(0, 0.05, size=2)
    root = rng.normal(0, 0.03, size=(2, 2))
    cov = root @ root.T
    found = flip_weight(d_rest, d_task, cov, 0.025)
    for w in np.linspace(0, 1, 401):
        at = np.array([1 - w, w])
        z = abs(at @ [d_rest, d_task]) / math.sqrt(at @ cov @ at)
        inside = any(low <= w <= high for low, high in found.compatible)
        assert inside == (z <= norm.isf(0.025)) or abs(z - norm.isf(0.025)) < 1e-6
    if found.weight is not None:
        assert any(low <= found.weight <= high for low, high in found.compatible)


def test_an_unbounded_set_says_so():
    assert flip_weight(0.001, 0.002, np.eye(2) * 0.01, 0.025).shape == "line"
    assert flip_weight(0.001, 0.002, np.eye(2) * 0.01, 0.025).compatible == ((0.0, 1.0),)
    assert flip_weight(0.05, 0.049, np.eye(2) * 1e-5, 0.025).shape == "complement"
    assert flip_weight(0.05, 0.049, np.eye(2) * 1e-5, 0.025).compatible == ()


def test_no_weight_makes_equal_differences_tie():
    assert flip_weight(0.03, 0.03, np.zeros((2, 2)), 0.025).weight is None
    assert flip_weight(0.03, 0.05, np.zeros((2, 2)), 0.025).weight is None
    assert flip_weight(0.0, 0.05, np.zeros((2, 2)), 0.025).weight == 0


def test_swapped_systems_flip_at_the_same_weight():
    cov = np.array([[4e-4, 1e-4], [1e-4, 9e-4]])
    one, other = flip_weight(0.03, -0.06, cov, 0.025), flip_weight(-0.03, 0.06, cov, 0.025)
    assert one.weight == pytest.approx(other.weight, abs=1e-15)
    assert np.array(one.compatible) == pytest.approx(np.array(other.compatible), abs=1e-12)


def test_least_difference_by_hand():
    # D = .05, -.02; shares in [.3, .6] and [.4, .7]: vertices (.3, .7) and (.6, .4)
    # w'D = .015 - .014 = .001 and .030 - .008 = .022
    # SE = .01 sqrt(.09 + .49) = .0076158; bound = .001 - 1.959964 x .0076158 = -.0139266
    found = least_difference_over_vertices(
        [0.05, -0.02], [1e-4, 1e-4], [0.3, 0.4], [0.6, 0.7], 0.025
    )
    assert found.weights == pytest.approx((0.3, 0.7))
    assert found.difference == pytest.approx(0.001)
    assert found.bound == pytest.approx(-0.0139266, abs=1e-7)
    assert found.exact


@pytest.mark.parametrize("seed", range(8))
def test_no_mix_inside_is_below_the_worst_vertex(seed):
    rng = np.random.default_rng(seed)
    H = 4
    D, root = rng.normal(0.03, 0.05, H), rng.normal(0, 0.02, (H, H))
    cov, low, high = root @ root.T, rng.uniform(0, 0.2, H), rng.uniform(0.3, 0.9, H)
    found = least_difference_over_vertices(D, cov, low, high, 0.025)
    w = rng.dirichlet(np.ones(H), size=20_000)
    w = w[np.all((w >= low) & (w <= high), axis=1)]
    bounds = w @ D - norm.isf(0.025) * np.sqrt(np.einsum("vh,hg,vg->v", w, cov, w))
    assert len(w) > 50
    assert bounds.min() >= found.bound - 1e-12
    assert sum(found.weights) == pytest.approx(1)


@pytest.mark.parametrize("seed", range(5))
def test_least_estimate_against_linear_programming(seed):
    rng = np.random.default_rng(seed)
    D, low, high = rng.normal(size=7), rng.uniform(0, 0.1, 7), rng.uniform(0.2, 0.6, 7)
    wanted = linprog(D, A_eq=np.ones((1, 7)), b_eq=[1], bounds=list(zip(low, high, strict=True)))
    found = least_difference_over_vertices(D, np.zeros(7), low, high, 0.025)
    assert found.difference == pytest.approx(wanted.fun)


def test_order_of_tasks_does_not_matter_and_units_scale():
    rng = np.random.default_rng(1)
    D, V = rng.normal(0.02, 0.05, 5), rng.uniform(1e-4, 4e-4, 5)
    low, high, order = np.full(5, 0.05), np.full(5, 0.5), rng.permutation(5)
    found = least_difference_over_vertices(D, V, low, high, 0.025)
    again = least_difference_over_vertices(D[order], V[order], low[order], high[order], 0.025)
    assert again.bound == pytest.approx(found.bound, abs=1e-12)
    percent = least_difference_over_vertices(100 * D, 1e4 * V, low, high, 0.025)
    assert percent.bound == pytest.approx(100 * found.bound, abs=1e-10)


def test_many_tasks_get_a_bound_that_is_never_too_high():
    rng = np.random.default_rng(2)
    few = 10
    D, V = rng.normal(0.02, 0.05, few), rng.uniform(1e-4, 4e-4, few)
    exact = least_difference_over_vertices(D, V, np.zeros(few), np.full(few, 0.4), 0.025)
    # six further tasks with a very small range do not change much, but there are 16 now
    more = np.full(6, 0.02)
    loose = least_difference_over_vertices(
        np.append(D, more),
        np.append(V, np.full(6, 1e-4)),
        np.zeros(16),
        np.append(np.full(few, 0.4), np.full(6, 1e-9)),
        0.025,
    )
    assert not loose.exact
    assert loose.bound <= exact.bound + 1e-8
    assert loose.bound >= exact.bound - 0.03


def test_fixed_shares_are_one_mix():
    found = least_difference_over_vertices([0.1, 0.3], [0, 0], [0.5, 0.5], [0.5, 0.5], 0.025)
    assert found.weights == (0.5, 0.5)
    assert found.bound == pytest.approx(0.2)


@pytest.mark.parametrize(("low", "high"), [([0.6, 0.6], [0.9, 0.9]), ([0.1, 0.1], [0.2, 0.2])])
def test_ranges_that_allow_no_mix_are_refused(low, high):
    found = least_difference_over_vertices([0.1, 0.2], [0, 0], low, high, 0.025)
    assert found.reason == Reason.SPEC_INCOMPLETE


@pytest.mark.parametrize("flat", [1, 4])
def test_a_true_minimum_of_zero_is_rarely_called_positive(flat):
    """Errata section 10: point estimates say "for all mixes" in half of the studies, this in .02.

    With several vertices at 0 (flat > 1) both say so less often.
    """
    rng, runs, sd = np.random.default_rng(flat), 4000, 0.02
    truth = np.array([0.0] * flat + [0.1] * (5 - flat))
    low, high = np.zeros(5), np.ones(5)
    estimates = truth + sd * rng.standard_normal((runs, 5))
    points = np.mean(estimates.min(axis=1) > 0)
    bounds = [
        least_difference_over_vertices(d, np.full(5, sd**2), low, high, 0.025).bound
        for d in estimates
    ]
    assert np.mean(np.array(bounds) > 0) <= at_most(0.025, runs)
    if flat == 1:
        assert points == pytest.approx(0.5, abs=0.03)
        assert np.mean(np.array(bounds) > 0) >= 0.015


def test_vertices_of_a_box_by_brute_force():
    low, high = np.array([0.1, 0.2, 0.0]), np.array([0.5, 0.6, 0.45])
    D = np.array([0.3, -0.1, 0.2])
    corners = []
    for last in range(3):
        for ends in itertools.product((0, 1), repeat=2):
            w = np.zeros(3)
            others = [h for h in range(3) if h != last]
            for h, end in zip(others, ends, strict=True):
                w[h] = (low, high)[end][h]
            w[last] = 1 - w.sum()
            if low[last] <= w[last] <= high[last]:
                corners.append(w)
    V = np.array([1e-3, 4e-3, 2e-3])
    wanted = min(w @ D - norm.isf(0.025) * math.sqrt(w**2 @ V) for w in corners)
    found = least_difference_over_vertices(D, V, low, high, 0.025)
    assert found.bound == pytest.approx(wanted)
