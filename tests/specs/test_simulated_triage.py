"""simulated-triage: known truth, and what the study makes of it."""

import importlib.util
import sys
from pathlib import Path

import pytest

from audit.errors import Reason
from tests.real.whole import run_whole

FOLDER = Path(__file__).resolve().parents[2] / "specs" / "simulated-triage"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("simulated_triage_make", FOLDER / "make.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def whole():
    return run_whole(FOLDER / "study.yaml")


def test_data_is_what_the_seed_gives(script):
    for name, content in script.make().items():
        assert (FOLDER / name).read_bytes() == content


def test_paired_variance_matches_a_large_draw(script):
    """Truth of the design: the model of `october` with many items."""
    import numpy as np

    generator = np.random.default_rng(7)
    number = 200_000
    common = generator.standard_normal(number)
    outcome = []
    for success in (0.84, 0.66):
        own = generator.standard_normal(number)
        mixed = np.sqrt(script.SHARED) * common + np.sqrt(1 - script.SHARED) * own
        outcome.append(mixed < script.NORMAL.inv_cdf(success))
    difference = outcome[0].astype(float) - outcome[1]
    assert script.paired_variance(0.84, 0.66) == pytest.approx(difference.var(), rel=0.02)


def test_each_verdict_is_shown_once(whole):
    assert {one.id: one.verdict for one in whole.assessment.claims} == {
        "alpha-better": "supported",
        "beta-better": "narrowed",
        "gamma-better": "insufficient_evidence",
        "rules-better": "not_supported",
    }


def test_the_supported_claim_is_supported_for_the_work(whole):
    verdict = whole.claim("alpha-better")
    assert (verdict.reach, verdict.timing) == ("work", "stated")
    assert [one.unit for one in verdict.criteria][:2] != [verdict.criteria[0].unit] * 2


def test_the_narrowed_claim_keeps_the_task_that_holds(whole):
    assert whole.claim("beta-better").narrowed_to.tasks == ("routine",)


def test_lost_rows_leave_the_evidence_insufficient(whole):
    verdict = whole.claim("gamma-better")
    assert Reason.MISSING_BOUNDS_CROSS in verdict.reasons
    low, high = verdict.criteria[0].identified
    assert low <= 0 < high  # the bar is 0, and to be met it must be exceeded


def test_the_answer_rests_on_the_decisive_claim(whole):
    assert whole.assessment.answer == "enough"
    assert whole.assessment.deciding_claim in (None, "alpha-better")


@pytest.mark.parametrize(
    ("claim", "criterion", "truth"),
    [("alpha-better", 0, 0.18), ("alpha-better", 1, -2.7), ("beta-better", 0, 0.05)],
)
def test_the_interval_holds_the_truth(whole, claim, criterion, truth):
    found = whole.claim(claim).criteria[criterion]
    assert found.lower < truth < found.upper


def test_the_page_will_say_simulated(whole):
    assert all(one.simulated for one in whole.loaded.study.sources.values())
