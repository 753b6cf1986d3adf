import itertools

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.stats import binom, norm
from scipy.stats import t as student
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from audit.stats.paired import bonett_price, mcnemar, tango_bounds
from tests.reference.published import MCNEMAR, TANGO


def score_by_likelihood(gains, losses, n, delta):
    """Score statistic with the share of losses maximised numerically, not by Tango's formula."""
    low, high = max(0.0, -delta), (1 - delta) / 2

    def minus_log_likelihood(q):
        shares = np.array([q + delta, q, 1 - 2 * q - delta])
        counts = np.array([gains, losses, n - gains - losses])
        if np.any(shares[counts > 0] <= 0):
            return np.inf
        return -float(np.sum(counts[counts > 0] * np.log(shares[counts > 0])))

    q = minimize_scalar(
        minus_log_likelihood, bounds=(low, high), method="bounded", options={"xatol": 1e-13}
    ).x
    if minus_log_likelihood(low) <= minus_log_likelihood(q):
        q = low
    return (gains - losses - n * delta) / np.sqrt(n * (2 * q + delta - delta**2))


def exact_error(n, gain, loss, error, interval=tango_bounds):
    """P(lower bound > true difference), summed over all tables; the bound rises with gains."""
    total, truth = 0.0, gain - loss
    for k in np.flatnonzero(binom.pmf(np.arange(n + 1), n, loss) > 1e-10):
        low, high = 0, n - int(k) + 1
        while low < high:  # fewest gains with the bound above the truth
            middle = (low + high) // 2
            above = middle > n - k or interval(middle, int(k), n, error).lower > truth
            low, high = (low, middle) if above else (middle + 1, high)
        rest = binom.sf(low - 1, n - k, gain / (1 - loss))
        total += binom.pmf(k, n, loss) * rest
    return total


def test_no_discordant_items_by_hand():
    # q = 0 at the restricted maximum, so n d^2 / (d (1 - d)) = z^2 and d = z^2 / (n + z^2):
    # z = 1.959964, n = 100: 3.841459 / 103.841459 = .0369935
    found = tango_bounds(0, 0, 100, 0.025)
    assert found.upper == pytest.approx(3.8414588 / 103.8414588, abs=1e-9)
    assert found.lower == -found.upper


def test_all_items_gained_by_hand():
    # all weight on discordant items: gains (1 + d)/2, losses (1 - d)/2, variance 1 - d^2, so
    # n (1 - d)^2 = z^2 (1 - d)(1 + d) and d = (n - z^2)/(n + z^2) = 6.158541/13.841459 = .444934
    found = tango_bounds(10, 0, 10, 0.025)
    assert found.upper == 1
    assert found.lower == pytest.approx(0.444934, abs=1e-6)


@pytest.mark.parametrize(("gains", "losses", "n", "error", "lower", "upper", "places"), TANGO)
def test_tango_as_published(gains, losses, n, error, lower, upper, places):
    found = tango_bounds(gains, losses, n, error)
    assert (round(found.lower, places), round(found.upper, places)) == (lower, upper)


@pytest.mark.parametrize(
    ("gains", "losses", "n"),
    [(3, 1, 10), (1, 0, 12), (0, 4, 12), (20, 35, 200), (50, 49, 99), (6, 5, 40), (12, 0, 300)],
)
@pytest.mark.parametrize("error", [0.05, 0.01])
def test_tango_against_the_profile_likelihood(gains, losses, n, error):
    z, at = norm.isf(error), (gains - losses) / n
    found = tango_bounds(gains, losses, n, error)
    upper = brentq(
        lambda d: score_by_likelihood(gains, losses, n, d) + z, at + 1e-9, 1 - 1e-9, xtol=1e-12
    )
    lower = brentq(
        lambda d: score_by_likelihood(gains, losses, n, d) - z, -1 + 1e-9, at - 1e-9, xtol=1e-12
    )
    assert (found.lower, found.upper) == pytest.approx((lower, upper), abs=2e-6)


def test_every_table_of_twelve_items():
    """Mirrors to the last bit, contains the difference, has width, stays in [-1, 1]."""
    for gains, losses in itertools.product(range(13), repeat=2):
        if gains + losses > 12:
            continue
        found, swapped = (
            tango_bounds(gains, losses, 12, 0.025),
            tango_bounds(losses, gains, 12, 0.025),
        )
        assert (swapped.lower, swapped.upper) == (-found.upper, -found.lower)
        assert -1 <= found.lower <= (gains - losses) / 12 <= found.upper <= 1
        assert found.upper - found.lower > 0.1


def test_bounds_widen_as_the_error_falls_and_narrow_with_duplicated_items():
    found = [tango_bounds(5, 2, 30, error) for error in (0.2, 0.05, 0.025, 0.001, 1e-10)]
    assert sorted((b.lower for b in found), reverse=True) == [b.lower for b in found]
    assert sorted(b.upper for b in found) == [b.upper for b in found]
    twice = tango_bounds(10, 4, 60, 0.025)
    assert found[2].lower < twice.lower < twice.upper < found[2].upper


def test_more_gains_never_lower_the_bounds():
    for losses in (0, 3, 10):
        found = [tango_bounds(gains, losses, 40, 0.025) for gains in range(41 - losses)]
        for bounds in ([b.lower for b in found], [b.upper for b in found]):
            assert bounds == sorted(bounds)


@pytest.mark.parametrize(("n", "wanted"), [(30, 0.55), (100, 0.13), (600, 0.09)])
def test_only_losses_fool_the_t_interval_but_not_tango(n, wanted):
    """Losses of 2%, margin -.02, error .05: exact chances of a false "not worse"."""
    lost = np.arange(n + 1)
    chance, share = binom.pmf(lost, n, 0.02), lost / n
    half = student.ppf(0.95, n - 1) * np.sqrt(share * (1 - share) / (n - 1))
    assert chance[-share - half > -0.02].sum() == pytest.approx(wanted, abs=0.005)
    assert exact_error(n, 0, 0.02, 0.05) <= 0.075


def test_bonett_price_errs_with_only_losses_at_600_items():
    # errata: 0 / 0 / .087, so "fewer than 300 items" is the wrong switch
    errs = [exact_error(n, 0, 0.02, 0.05, bonett_price) for n in (30, 100, 600)]
    assert errs == pytest.approx([0, 0, 0.087], abs=0.001)


@pytest.mark.parametrize("n", [30, 100])
def test_tango_errs_at_most_075_at_05(n):
    settings = itertools.product((0.0, 0.02, 0.05, 0.1), (0, 0.02, 0.1, 0.2))
    worst = max(
        exact_error(n, gain, gain + margin, 0.05) for margin, gain in settings if gain + margin
    )
    assert worst <= 0.075


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 200, 300, 600])
def test_tango_errs_at_most_075_at_05_and_0275_at_025(n):
    for margin, gain in itertools.product((0.02, 0.05, 0.1), (0, 0.02, 0.1, 0.2)):
        assert exact_error(n, gain, gain + margin, 0.05) <= 0.075
        assert exact_error(n, gain, gain + margin, 0.025) <= 0.0275


@pytest.mark.parametrize(("n", "bonett", "wald"), [(100, 0.958, 0.943), (30, 0.988, 0.940)])
def test_bonett_price_coverage_as_in_the_methods(n, bonett, wald):
    """Simulated there with shares not stated; gains .10 and losses .05 reproduce both, roughly."""
    rng = np.random.default_rng(n)
    tables = rng.multinomial(n, [0.10, 0.05, 0.85], size=4000)
    gains, losses = tables[:, 0], tables[:, 1]
    truth, z = 0.05, norm.isf(0.025)
    seen = [bonett_price(int(b), int(c), n, 0.025) for b, c in zip(gains, losses, strict=True)]
    covered = np.mean([b.lower <= truth <= b.upper for b in seen])
    d = (gains - losses) / n
    half = z * np.sqrt(((gains + losses) / n - d**2) / n)
    assert covered >= 0.95
    assert np.mean(np.abs(d - truth) <= half) < covered
    assert covered == pytest.approx(bonett, abs=0.02)
    assert np.mean(np.abs(d - truth) <= half) == pytest.approx(wald, abs=0.04)


def test_bonett_price_by_hand():
    # 3/12 - 1/12 = 1/6; SE = sqrt((3/12 + 1/12 - 1/36)/12) = sqrt(.3055556/12) = .159571
    found = bonett_price(2, 0, 10, 0.025)
    assert (found.lower, found.upper) == pytest.approx(
        (1 / 6 - 1.959964 * 0.1595711, 1 / 6 + 1.959964 * 0.1595711), abs=1e-5
    )


def test_mcnemar_as_published():
    gains, losses, statistic, p = MCNEMAR
    found = mcnemar(gains, losses)
    assert found.statistic == pytest.approx(statistic, abs=5e-5)
    assert found.chi_squared == pytest.approx(p, abs=5e-8)


def test_mcnemar_by_hand():
    # 1 of 6: 2 (1 + 6)/64 = .21875; mid-p takes P(X = 1) = 6/64 off: .125; (5-1)^2/6 = 2.6667
    found = mcnemar(5, 1)
    assert (found.exact, found.mid_p) == pytest.approx((0.21875, 0.125))
    assert found.statistic == pytest.approx(16 / 6)


@pytest.mark.parametrize(("gains", "losses"), [(5, 1), (0, 7), (30, 30), (12, 25)])
def test_mcnemar_against_statsmodels(gains, losses):
    table = [[50, gains], [losses, 50]]
    found = mcnemar(gains, losses)
    assert found.exact == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue)
    other = statsmodels_mcnemar(table, exact=False, correction=False)
    assert (found.statistic, found.chi_squared) == pytest.approx((other.statistic, other.pvalue))
    assert mcnemar(losses, gains) == found


def test_no_discordant_items_say_nothing_against_equality():
    assert mcnemar(0, 0).statistic is None
    assert (mcnemar(0, 0).exact, mcnemar(0, 0).mid_p) == (1, 1)


@pytest.mark.parametrize(("gains", "losses", "n"), [(3, 3, 5), (-1, 0, 4), (0, 0, 0)])
def test_impossible_tables_are_refused(gains, losses, n):
    with pytest.raises(ValueError, match="gains"):
        tango_bounds(gains, losses, n, 0.025)
