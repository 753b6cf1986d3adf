import math

import numpy as np
import pytest
from scipy.stats import norm, t

from audit.stats.power import (
    ExpectedCriterion,
    chance_of_support,
    detectable_difference,
    guard_items,
    items_for,
)
from tests.reference.published import ITEMS_FOR_THREE_POINTS


def test_items_as_published():
    found = items_for(0.03, 0.025, item_variance=1 / 9)
    assert found == pytest.approx(968.997, abs=1e-3)
    assert math.ceil(found) == ITEMS_FOR_THREE_POINTS


@pytest.mark.parametrize(("attempts", "wanted"), [(1, 0.1327), (10, 0.0757)])
def test_detectable_difference_with_198_items(attempts, wanted):
    """omega^2 = 1/9 and sigma^2 = 1/6 each, over K attempts (methods, section e)."""
    se = math.sqrt((1 / 9 + 2 / 6 / attempts) / 198)
    assert detectable_difference(se, None, 0.025) == pytest.approx(wanted, abs=5e-5)
    assert items_for(
        wanted,
        0.025,
        item_variance=1 / 9,
        attempt_variance=(1 / 6, 1 / 6),
        attempts=(attempts, attempts),
    ) == pytest.approx(198, abs=0.3)


def test_detectable_difference_with_500_items():
    se = math.sqrt(1 / 9 / 500)
    assert detectable_difference(se, None, 0.025) == pytest.approx(0.0418, abs=5e-5)


def test_attempts_cut_the_variance_as_the_identity_says():
    # success chances uniform on (0, 1): Var = 1/12 over items, 1/6 within; (1/12 + 1/(6K))/n:
    # K = 1: 1/4, K = 2: 1/6, K = 4: 1/8
    rng = np.random.default_rng(1)
    chances = rng.random(400_000)
    for attempts, wanted in ((1, 1 / 4), (2, 1 / 6), (4, 1 / 8)):
        means = rng.binomial(attempts, chances) / attempts
        assert means.var() == pytest.approx(wanted, abs=0.001)
        per_item = items_for(
            1.0, 0.025, item_variance=1 / 12, attempt_variance=(1 / 6, 0), attempts=(attempts, 1)
        )
        assert per_item / (norm.isf(0.025) + norm.isf(0.2)) ** 2 == pytest.approx(wanted)


def test_guard_items_by_hand():
    # (1.644854 + .841621)^2 = 6.182557; x .45^2 = .2025 -> 1.251968; / .02^2 = .0004 -> 3129.92
    assert guard_items(0.02) == pytest.approx(3129.92, abs=0.01)
    assert math.ceil(guard_items(0.02)) == 3130
    assert guard_items(0.02, difference=0.02) == pytest.approx(guard_items(0.02) / 4)


def test_detectable_difference_uses_student_for_few_clusters():
    found = detectable_difference(0.1, 9, 0.025)
    assert found == pytest.approx(0.1 * (t.ppf(0.975, 9) + t.ppf(0.8, 9)))
    assert found > detectable_difference(0.1, None, 0.025)


def test_power_is_what_the_items_were_for():
    n = items_for(0.03, 0.025, item_variance=1 / 9)
    one = ExpectedCriterion("above", 0.0, 0.03, math.sqrt(1 / 9 / n), 0.025)
    assert chance_of_support([one]) == pytest.approx(0.8)


def test_design_effect_multiplies_items():
    plain = items_for(0.03, 0.025, item_variance=0.2)
    assert items_for(0.03, 0.025, item_variance=0.2, design_effect=1 + 9 * 0.2) == pytest.approx(
        2.8 * plain
    )


@pytest.mark.parametrize(
    ("criterion", "met"),
    [
        (ExpectedCriterion("above", 0.01, 0.05, 0.02, 0.025), lambda L, U: L > 0.01),
        (ExpectedCriterion("above", -0.02, 0.0, 0.02, 0.05), lambda L, U: L > -0.02),
        (
            ExpectedCriterion("within", 0.06, 0.01, 0.02, 0.05),
            lambda L, U: (L > -0.06) & (U < 0.06),
        ),
        (
            ExpectedCriterion("outside", 0.03, 0.05, 0.02, 0.025),
            lambda L, U: (L > 0.03) | (U < -0.03),
        ),
        (
            ExpectedCriterion("above", -0.02, -0.03, 0.02, 0.05, block=True),
            lambda L, U: ~(U < -0.02),
        ),
        (ExpectedCriterion("within", 0.01, 0.0, 0.02, 0.05), lambda L, U: (L > -0.01) & (U < 0.01)),
    ],
    ids=["superior", "not worse", "within", "outside", "block", "hopeless"],
)
def test_chance_against_simulated_estimates(criterion, met):
    rng = np.random.default_rng(3)
    estimates = criterion.expected + criterion.standard_error * rng.standard_normal(200_000)
    half = norm.isf(criterion.error) * criterion.standard_error
    wanted = np.mean(met(estimates - half, estimates + half))
    assert chance_of_support([criterion]) == pytest.approx(wanted, abs=0.004)
    same = chance_of_support([criterion, criterion], np.ones((2, 2)), seed=1)
    assert same == pytest.approx(wanted, abs=0.015)


def test_conjunctions_multiply_if_independent_and_lose_less_if_correlated():
    one = ExpectedCriterion("above", 0.0, 0.05, 0.02, 0.025)
    alone = chance_of_support([one])
    assert chance_of_support([one] * 3) == pytest.approx(alone**3)
    half = chance_of_support([one] * 3, np.full((3, 3), 0.5) + np.eye(3) / 2, seed=2)
    assert alone**3 < half < alone
    none = chance_of_support([one] * 3, np.eye(3), seed=2)
    assert none == pytest.approx(alone**3, abs=0.015)


def test_impossible_designs_are_refused():
    with pytest.raises(ValueError, match="not > 0"):
        items_for(0.0, 0.025, item_variance=0.1)
    with pytest.raises(ValueError, match="no room"):
        guard_items(0.02, difference=-0.02)
