import numpy as np
import pytest
from scipy.stats import binom

from audit.stats.intervals import (
    check_error,
    clopper_pearson,
    normal_quantile,
    t_quantile,
    wilson_interval,
)
from tests.reference.published import CLOPPER_PEARSON, WILSON


def test_zero_successes_by_hand():
    # upper: (1 - p)^20 = .025, p = 1 - .025^(1/20) = 1 - exp(-3.688879/20) = .168433
    found = clopper_pearson(0, 20, 0.025)
    assert found.lower == 0
    assert found.upper == pytest.approx(0.168433, abs=1e-6)


def test_wilson_by_hand():
    # 5 of 10, z = 1.959964, z^2 = 3.841459: half = 1.959964 sqrt(.025 + .00960365) = .364592;
    # (.5 + .192073 -/+ .364592) / 1.3841459 = .236593, .763407
    found = wilson_interval(5, 10, 0.025)
    assert (found.lower, found.upper) == pytest.approx((0.236593, 0.763407), abs=1e-6)


@pytest.mark.parametrize(("successes", "trials", "lower", "upper"), CLOPPER_PEARSON)
def test_clopper_pearson_as_published(successes, trials, lower, upper):
    found = clopper_pearson(successes, trials, 0.025)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=5.1e-5)


@pytest.mark.parametrize(("successes", "trials", "lower", "upper"), WILSON)
def test_wilson_as_published(successes, trials, lower, upper):
    found = wilson_interval(successes, trials, 0.025)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=5.1e-5)


@pytest.mark.parametrize("trials", [1, 7, 40])
@pytest.mark.parametrize("error", [0.05, 0.025, 0.001])
def test_clopper_pearson_never_errs_more_than_stated(trials, error):
    counts = np.arange(trials + 1)
    lower = np.array([clopper_pearson(int(x), trials, error).lower for x in counts])
    upper = np.array([clopper_pearson(int(x), trials, error).upper for x in counts])
    for share in np.linspace(0.005, 0.995, 67):
        chances = binom.pmf(counts, trials, share)
        assert chances[lower > share].sum() <= error + 1e-12
        assert chances[upper < share].sum() <= error + 1e-12


@pytest.mark.parametrize("interval", [clopper_pearson, wilson_interval])
def test_flipped_outcomes_mirror_and_bounds_contain_the_share(interval):
    for trials in (1, 3, 30):
        for successes in range(trials + 1):
            found = interval(successes, trials, 0.025)
            flipped = interval(trials - successes, trials, 0.025)
            assert flipped.lower == pytest.approx(1 - found.upper, abs=1e-12)
            assert 0 <= found.lower <= successes / trials <= found.upper <= 1
            assert found.lower < found.upper


@pytest.mark.parametrize("interval", [clopper_pearson, wilson_interval])
def test_bounds_widen_as_the_error_falls(interval):
    found = [interval(3, 17, error) for error in (0.2, 0.05, 0.025, 0.001, 1e-8)]
    assert sorted((b.lower for b in found), reverse=True) == [b.lower for b in found]
    assert sorted(b.upper for b in found) == [b.upper for b in found]


def test_quantiles():
    assert normal_quantile(0.025) == pytest.approx(1.959963985, abs=1e-9)
    assert t_quantile(0.025, 9) == pytest.approx(2.262157, abs=1e-6)  # printed tables: 2.262
    assert t_quantile(0.025, None) == t_quantile(0.025, np.inf) == normal_quantile(0.025)


@pytest.mark.parametrize("error", [0, 0.5, -0.1, float("nan")])
def test_an_impossible_error_is_refused(error):
    with pytest.raises(ValueError, match="one-sided error"):
        check_error(error)


@pytest.mark.parametrize(("successes", "trials"), [(1, 0), (-1, 3), (4, 3)])
def test_impossible_counts_are_refused(successes, trials):
    with pytest.raises(ValueError, match="trials"):
        clopper_pearson(successes, trials, 0.025)
