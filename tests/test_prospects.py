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


def foretold(folder, claims, *, metric=None, pair=(1, 0)):
    """Prospects on 400 items, all scored like `pair`."""
    study = study_of("hopes", claims, metric=metric)
    rows = as_csv(rows_of([pair] * 400), COLUMNS)
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


def test_the_effect_is_in_the_unit_of_the_metric(tmp_path):
    """Percent: SE = 45 / sqrt(400) = 2.25; (8 - 3) / 2.25 - 1.95996 = .2623; Phi = .6034."""
    percent = {"kind": "bounded", "range": [0, 100]}
    claim = expecting(8, {"better_by": 3}, {"task": "question", "stop_if_worse_by": 5})
    found = foretold(tmp_path, {"there": claim}, metric=percent, pair=(100, 0))["there"]
    assert found.chance == pytest.approx(0.6034, abs=0.012)
    assert found.guards[0].needed == 501  # as for .05 of a share


def test_it_is_of_the_first_primary_criterion_wherever_a_guard_stands(tmp_path):
    claim = expecting(0.08, {"task": "question", "stop_if_worse_by": 0.05}, {"better_by": 0.03})
    found = foretold(tmp_path, {"there": claim})["there"]
    assert found.left_out == ()
    assert found.chance == pytest.approx(0.6034, abs=0.012)


def test_a_scale_need_not_begin_at_zero(tmp_path):
    """3 on 1 to 5 is half way: SD = 4 * .5 = 2, SE = .1; Phi((3 - 2.7)/.1 - 1.95996) = .8508."""
    claim = {
        "kind": "performance", "of": "candidate", "statement": "It answers.", "warrant": "same",
        "criteria": [{"at_least": 2.7}], "expected_effect": 3,
    }  # fmt: skip
    points = {"kind": "bounded", "range": [1, 5]}
    found = foretold(tmp_path, {"there": claim}, metric=points, pair=(5, 1))["there"]
    assert found.chance == pytest.approx(norm.cdf(3 - norm.ppf(0.975)), abs=0.01)


def tasks_of(tmp_path, claim, items, **tasks):
    """A study of several tasks: {task: its fields}, {task: items}."""
    study = study_of("hopes", {"there": claim})
    study["workload"] |= {"consequence_unit": "hours", "consequence_basis": "judged"}
    study["workload"]["tasks"] = {name: {"needs": "x", **one} for name, one in tasks.items()}
    del study["sources"]["october"]["task"]
    rows = [
        (system, f"{task}{number}", task, 1)
        for task, count in items.items()
        for number in range(count)
        for system in ("candidate", "today")
    ]
    text = as_csv(rows, ("system", "item", "task", "score"))
    reading = read_study(write_study(tmp_path, study, {"rows.csv": text}), {})
    return next(prospects(reading.loaded.study, reading.argument, reading.accounting))


TWO = {"a": {"share": 0.8, "consequence": 1}, "b": {"share": 0.2, "consequence": 6}}


def test_weights_of_tasks_enter_by_hand(tmp_path):
    """SE = .45 sqrt(.8^2/100 + .2^2/100) = .0371; Phi((.1 - .02)/.0371 - 1.95996) = .5777."""
    claim = expecting(0.1, {"better_by": 0.02})
    found = tasks_of(tmp_path, claim, {"a": 100, "b": 100}, **TWO)
    by_hand = norm.cdf(0.08 / (0.45 * math.sqrt(0.0064 + 0.0004)) - norm.ppf(0.975))
    assert by_hand == pytest.approx(0.5777, abs=0.0001)
    assert found.chance == pytest.approx(by_hand, abs=0.012)


def test_a_saved_loss_is_of_its_scope_only(tmp_path):
    """SE = .45 sqrt(.8^2/100 + 1.2^2/100) = .0649 hours; scores and a task alone are left out."""
    loss = {"measure": "expected_loss", "better_by": 0}
    claim = expecting(0.15, loss, {**loss, "task": "b"}, {"task": "b", "stop_if_worse_by": 0.1})
    found = tasks_of(tmp_path, claim, {"a": 100, "b": 100}, **TWO)
    by_hand = norm.cdf(0.15 / (0.45 * math.sqrt(0.0064 + 0.0144)) - norm.ppf(0.975))
    assert found.chance == pytest.approx(by_hand, abs=0.012)
    assert found.left_out == ("there.2", "there.3")


def test_a_task_without_work_needs_no_items(tmp_path):
    claim = expecting(0.1, {"better_by": 0})
    idle = {"a": {"count": 5, "consequence": 1}, "b": {"count": 0, "consequence": 1}}
    assert tasks_of(tmp_path / "idle", claim, {"a": 100}, **idle).chance is not None
    found = tasks_of(tmp_path / "work", claim, {"a": 100}, **TWO)
    assert (found.chance, found.why_none) == (None, "a task of the claim has no items")


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
