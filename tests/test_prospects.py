"""What `audit check` foretells before scores are seen."""

import math

import pytest
from scipy.stats import norm

from audit.checking import _hopes
from audit.prospects import GuardNeed, Prospect, prospects
from audit.reading import read_study
from tests.real.test_missing_failures import comparison, rows_of, study_of
from tests.real.whole import as_csv, write_study

COLUMNS = ("system", "item", "score")


def foretold(folder, claims, items=400, metric=None, **more):
    study = study_of("hopes", claims, metric=metric)
    study.update(more)
    rows = as_csv(rows_of([(1, 0)] * items), COLUMNS)
    reading = read_study(write_study(folder, study, {"rows.csv": rows}), {})
    return {
        one.claim: one
        for one in prospects(reading.loaded.study, reading.argument, reading.accounting)
    }


def expecting(effect, *criteria):
    return {
        **comparison("candidate", "today"),
        "criteria": list(criteria),
        "expected_effect": effect,
    }


def test_chance_of_one_bar_by_hand(tmp_path):
    """SE = .45 / sqrt(400) = .0225; (.08 - .03) / .0225 = 2.2222; Phi(2.2222 - 1.95996) = .6034."""
    found = foretold(tmp_path, {"there": expecting(0.08, {"better_by": 0.03})})["there"]
    assert found.chance == pytest.approx(0.6034, abs=0.01)  # 20,000 draws: SE .0035
    assert found.left_out == ()


def test_a_tolerance_uses_its_own_error(tmp_path):
    found = foretold(tmp_path, {"there": expecting(0.0, {"worse_by_at_most": 0.03})})["there"]
    by_hand = norm.cdf(0.03 / 0.0225 - norm.ppf(0.95))
    assert found.chance == pytest.approx(by_hand, abs=0.012)


def test_a_guard_on_the_same_items_costs_nothing_where_the_bar_is_met(tmp_path):
    plain = foretold(tmp_path / "a", {"there": expecting(0.08, {"better_by": 0.03})})["there"]
    both = {"better_by": 0.03}, {"task": "question", "stop_if_worse_by": 0.05}
    guarded = foretold(tmp_path / "b", {"there": expecting(0.08, *both)})["there"]
    assert guarded.chance == pytest.approx(plain.chance, abs=0.012)


def test_items_that_would_exclude_a_loss(tmp_path):
    """((1.6449 + .8416) * .45 / .05)^2 = 500.8."""
    claim = expecting(0.08, {"better_by": 0.03}, {"task": "question", "stop_if_worse_by": 0.05})
    (guard,) = foretold(tmp_path, {"there": claim})["there"].guards
    by_hand = ((norm.ppf(0.95) + norm.ppf(0.8)) * 0.45 / 0.05) ** 2
    assert guard.needed == math.ceil(by_hand) == 501
    assert (guard.task, guard.present) == ("question", 400)


def test_what_is_not_expected_is_left_out_and_named(tmp_path):
    claim = {
        "kind": "performance", "of": "candidate", "statement": "It answers.", "warrant": "same",
        "criteria": [{"at_least": 0.5}, {"task": "question", "at_least": 0.4}],
        "expected_effect": 0.6,
    }  # fmt: skip
    found = foretold(tmp_path, {"there": claim})["there"]
    assert found.left_out == ("there.2",)
    by_hand = norm.cdf(0.1 / math.sqrt(0.6 * 0.4 / 400) - norm.ppf(0.975))
    assert found.chance == pytest.approx(by_hand, abs=0.01)


def test_without_an_expected_effect_nothing_is_computed(tmp_path):
    found = foretold(tmp_path, {"there": comparison("candidate", "today", better_by=0)})["there"]
    assert (found.chance, found.why_none) == (None, "no expected_effect")


def test_what_is_said_of_it():
    guard = GuardNeed("there.2", "hard", 18, 126, "block")
    said = list(_hopes(Prospect("there", 0.4, "", ("there.3",), (guard,))))
    assert said == [
        "there: chance of support 40% at the expected effect, if nothing else narrows it; "
        "without there.3 (warning: less than one in two)",
        "there.2: 126 items in hard to exclude the loss (it stops only shown harm); there are 18",
    ]
