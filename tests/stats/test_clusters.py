import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import norm

from audit.stats.clusters import cluster_mean, cluster_means_crossed
from audit.stats.intervals import t_quantile
from tests.stats.builders import at_least, dense_cr2, indicators, lognormal_sizes


def clustered(rng, sizes, correlation):
    """Standard normal values with one cluster effect each; true mean 0."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    effects = np.sqrt(correlation) * rng.standard_normal(len(sizes))
    noise = np.sqrt(1 - correlation) * rng.standard_normal(len(codes))
    return effects[codes] + noise, codes


def test_three_clusters_by_hand():
    # values 1 1 | 0 | -1, n = 4, mean 1/4; residual sums 3/2, -1/4, -5/4; 1 - n_c/n = 1/2, 3/4, 3/4
    # V = (1/16)(9/4 / (1/2) + 1/16 / (3/4) + 25/16 / (3/4)) = (1/16)(4.5 + 1/12 + 25/12) = 5/12
    # u = (n_c/n)^2/(1 - n_c/n): (1/4)/(1/2) = 1/2, (1/16)/(3/4) = 1/12, 1/12
    # sum B^2 = (4+1+1)/256 + ((2/3)^2 - (1/4 + 2/144))/16 = .0234375 + .0112847 = .0347222
    # df = (1/4)^2 / .0347222 = 1.8
    found = cluster_mean(np.array([1.0, 1.0, 0.0, -1.0]), np.array([7, 7, 3, 5]))
    assert found.value == 0.25
    assert found.variance == pytest.approx(5 / 12)
    assert found.df == pytest.approx(1.8)
    assert (found.clusters, found.n) == (3, 4)


def test_items_of_their_own_give_the_textbook_variance():
    values = np.random.default_rng(0).normal(size=13)
    for clusters in (None, np.arange(13)[::-1]):
        found = cluster_mean(values, clusters)
        assert found.variance == pytest.approx(values.var(ddof=1) / 13, rel=1e-12)
        assert found.df == 12


@pytest.mark.parametrize("seed", range(6))
def test_closed_form_against_dense_matrices(seed):
    rng = np.random.default_rng(seed)
    sizes = lognormal_sizes(rng, 4 + 3 * seed, 3)
    values, codes = clustered(rng, sizes, 0.4)
    found = cluster_mean(values, codes)
    value, variance, df = dense_cr2(values, codes)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.variance == pytest.approx(variance, rel=1e-9)
    assert found.df == pytest.approx(df, rel=1e-9)


def test_equal_clusters_agree_with_statsmodels_but_for_its_factor():
    # equal sizes: 1 - n_c/n = (C-1)/C, so CR2 = C/(C-1) CR0; statsmodels adds (n-1)/(n-k), k = 1
    rng = np.random.default_rng(3)
    values, codes = clustered(rng, np.full(12, 5), 0.3)
    fit = sm.OLS(values, np.ones((60, 1))).fit(cov_type="cluster", cov_kwds={"groups": codes})
    found = cluster_mean(values, codes)
    assert found.variance == pytest.approx(float(fit.cov_params()[0, 0]), rel=1e-9)
    assert found.df == pytest.approx(11, rel=1e-9)


def test_unclustered_variance_is_the_hc2_of_statsmodels():
    rng = np.random.default_rng(4)
    values, strata = rng.normal(size=40), np.repeat([0, 1, 2], [9, 11, 20])
    weights = np.array([0.5, 0.3, 0.2])
    fit = sm.OLS(values, indicators(strata)).fit(cov_type="HC2")
    found = cluster_means_crossed(values, strata, None, weights)
    assert found.value == pytest.approx(weights @ fit.params)
    assert found.variance == pytest.approx(weights @ fit.cov_params() @ weights)


@pytest.mark.parametrize("seed", range(6))
def test_crossing_clusters_against_dense_matrices(seed):
    rng = np.random.default_rng(100 + seed)
    strata = np.sort(rng.integers(0, 3, size=50))
    clusters, values = rng.integers(0, 5 + 2 * seed, size=50), rng.normal(size=50)
    weights = rng.dirichlet(np.ones(3)) * np.array([1, 1, -1])
    found = cluster_means_crossed(values, strata, clusters, weights)
    value, variance, df = dense_cr2(values, clusters, indicators(strata), weights)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.variance == pytest.approx(variance, rel=1e-8)
    assert found.df == pytest.approx(df, rel=1e-8)


def test_one_stratum_is_the_plain_mean():
    rng = np.random.default_rng(9)
    values, codes = clustered(rng, lognormal_sizes(rng, 9, 4), 0.3)
    one = cluster_means_crossed(values, np.zeros(len(values), dtype=int), codes, np.array([1.0]))
    mean = cluster_mean(values, codes)
    assert (one.variance, one.df) == pytest.approx((mean.variance, mean.df), rel=1e-10)


def test_a_cluster_that_holds_a_stratum_shows_no_variance_there():
    strata, clusters = np.array([0, 0, 1, 1, 1]), np.array([0, 0, 1, 2, 3])
    found = cluster_means_crossed(
        np.array([1.0, 0.0, 3.0, 4.0, 5.0]), strata, clusters, np.array([0.5, 0.5])
    )
    assert found.variance == pytest.approx(0.25 * 1 / 3)  # only the second stratum's s^2/3


def test_variance_is_unbiased_for_equal_variances():
    rng = np.random.default_rng(5)
    sizes = np.array([30, 10, 5, 3, 2, 1, 1, 1])
    runs = 4000
    found = [cluster_mean(*clustered(rng, sizes, 0.0)).variance for _ in range(runs)]
    assert np.mean(found) == pytest.approx(1 / 53, abs=4 * np.std(found) / np.sqrt(runs))


@pytest.mark.parametrize("factor", [-1.0, 10.0])
def test_scale_and_sign(factor):
    rng = np.random.default_rng(6)
    values, codes = clustered(rng, lognormal_sizes(rng, 10, 4), 0.3)
    before, after = cluster_mean(values, codes), cluster_mean(factor * values, codes)
    assert after.value == pytest.approx(factor * before.value, rel=1e-12)
    assert after.variance == pytest.approx(factor**2 * before.variance, rel=1e-12)
    assert after.df == before.df


def test_order_and_names_of_clusters_do_not_matter():
    rng = np.random.default_rng(7)
    values, codes = clustered(rng, lognormal_sizes(rng, 10, 4), 0.3)
    order = rng.permutation(len(values))
    before, after = cluster_mean(values, codes), cluster_mean(values[order], 900 - 7 * codes[order])
    assert after.value == pytest.approx(before.value, abs=1e-14)
    assert (after.variance, after.df) == pytest.approx((before.variance, before.df), rel=1e-12)


def test_duplicated_items_inside_their_clusters_change_nothing():
    rng = np.random.default_rng(8)
    values, codes = clustered(rng, lognormal_sizes(rng, 10, 4), 0.3)
    before = cluster_mean(values, codes)
    after = cluster_mean(np.tile(values, 2), np.tile(codes, 2))
    assert after.variance == pytest.approx(before.variance, rel=1e-12)
    # df only by the working model's share of own and other items: near, not equal
    assert after.df == pytest.approx(before.df, rel=0.1)


def test_one_cluster_is_refused():
    with pytest.raises(ValueError, match="two clusters"):
        cluster_mean(np.ones(5), np.zeros(5, dtype=int))


def coverage(rng, draw_sizes, correlation, runs):
    """Share of 95% intervals that hold 0: CR2 with its df, and CR1 with t(C - 1)."""
    hits = np.zeros(2)
    for _ in range(runs):
        values, codes = clustered(rng, draw_sizes(), correlation)
        found = cluster_mean(values, codes)
        count = found.clusters
        sums = np.bincount(codes, weights=values - found.value)
        plain = np.sum(sums**2) / found.n**2 * count / (count - 1)
        hits += (
            abs(found.value) <= t_quantile(0.025, found.df) * np.sqrt(found.variance),
            abs(found.value) <= t_quantile(0.025, count - 1) * np.sqrt(plain),
        )
    return hits / runs


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [10, 20, 30])
def test_coverage_for_lognormal_sizes(clusters):
    """Errata section 4: CR1 .88-.92, CR2 .93-.96."""
    rng, runs = np.random.default_rng(clusters), 3000
    cr2, cr1 = coverage(rng, lambda: lognormal_sizes(rng, clusters, 8), 0.3, runs)
    assert at_least(0.93, runs) <= cr2 <= 0.97
    assert at_least(0.88, runs) <= cr1 <= 0.935
    assert cr1 < cr2


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [10, 20, 30])
def test_coverage_where_one_cluster_holds_half(clusters):
    """Errata section 4: CR1 .70-.84; Bell and McCaffrey's df repair it."""
    sizes, runs = np.array([5] * (clusters - 1) + [5 * (clusters - 1)]), 3000
    cr2, cr1 = coverage(np.random.default_rng(clusters), lambda: sizes, 0.3, runs)
    assert cr2 >= at_least(0.94, runs)
    assert 0.66 <= cr1 <= 0.87


@pytest.mark.slow
def test_coverage_of_thirty_equal_clusters_as_in_the_methods():
    """30 clusters x 10 items: naive .736, z with the plain sandwich .944, CR1 with t .956.

    An intra-cluster correlation near .2 gives the naive one: variance factor 1 + 9 ICC = 2.8.
    """
    rng, runs, hits = np.random.default_rng(30), 3000, np.zeros(3)
    for _ in range(runs):
        values, codes = clustered(rng, np.full(30, 10), 0.2)
        mean, sums = values.mean(), np.bincount(codes, weights=values - values.mean())
        plain, z = np.sum(sums**2) / 300**2, norm.isf(0.025)
        found = cluster_mean(values, codes)
        hits += (
            abs(mean) <= z * values.std(ddof=1) / np.sqrt(300),
            abs(mean) <= z * np.sqrt(plain),
            abs(mean) <= t_quantile(0.025, found.df) * np.sqrt(found.variance),
        )
    naive, sandwich, cr2 = hits / runs
    assert naive == pytest.approx(0.736, abs=0.04)
    assert sandwich == pytest.approx(0.944, abs=0.02)
    assert cr2 == pytest.approx(0.956, abs=0.02)
