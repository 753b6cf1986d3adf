"""Published tables with holes, scales and directions of their own: counted, bounded or refused."""

import pytest

from audit.errors import DataError
from tests.real.test_published_figures import study, whole

pytestmark = pytest.mark.data


def table(found, name):
    intake = next(one for one in found.results if one.analysis == "intake")
    one = next(each for each in intake.tables if each.id == name)
    return [dict(zip(one.columns, row, strict=True)) for row in one.rows]


def account(found, system):
    return next(one for one in found.accounting("s").systems if one.system == system)


# ---------------------------------------------------------------------------- planbench_blocksworld


@pytest.fixture(scope="module")
def planbench(roots, tmp_path_factory):
    source = {
        "files": "SHARED:planbench_blocksworld/long.csv.gz",
        "values": {
            "variant": {"plain_zero_shot": "base"},
            "task": {
                "mystery_blocksworld": "blocksworld",
                "mystery_blocksworld_3": "blocksworld_3",
            },
        },
    }
    others = ("plain_one_shot", "mystery_zero_shot", "mystery_one_shot")
    declared = study(
        ["gemini-1.5-pro", "claude-3-opus"], source,
        variants={one: {"kind": "plausible", "why": "as published"} for one in others},
        claims={
            "survivors": {
                "kind": "comparison", "of": "s0", "over": "s1", "variants": ["mystery_one_shot"],
                "statement": "It plans better in disguise.", "criteria": [{"better_by": 0.0}],
                "warrant": "the cells that exist",
            }
        },
    )  # fmt: skip
    return whole(tmp_path_factory.mktemp("planbench"), roots, declared)


def test_planbench_cells_that_were_never_run(planbench):
    """2,486 in all, 585 and 594 of them Gemini 1.5 pro's in disguise."""
    systems = planbench.accounting("s").systems
    assert sum(one.unscored.get("not_run", 0) for one in systems) == 2486
    assert account(planbench, "s0").unscored == {"not_run": 585 + 594}


def test_planbench_survivors_carry_no_verdict(planbench):
    """16 of the cells exist: their mean is no rate, and the bounds say so."""
    rates = {(one["system"], one["variant"]): one for one in table(planbench, "rates.correct")}
    pro = rates["s0", "mystery_one_shot"]
    assert pro["scored"] < 10
    assert pro["highest"] - pro["lowest"] > 0.95
    assert planbench.claim("survivors").verdict == "insufficient_evidence"


# ---------------------------------------------------------------------------------- m3_forecasting


@pytest.fixture(scope="module")
def forecasts(roots, tmp_path_factory):
    source = {"files": "SHARED:m3_forecasting/long.csv.gz", "scores": {"error": "score"}}
    declared = study(
        ["AAM1", "THETA"], source,
        metrics={"error": {"kind": "bounded", "range": [0, 200], "better": "lower"}},
        claims={
            "lower": {
                "kind": "comparison", "of": "s1", "over": "s0", "criteria": [{"better_by": 0.0}],
                "statement": "It errs less.", "warrant": "the same series",
            }
        },
    )  # fmt: skip
    return whole(tmp_path_factory.mktemp("m3"), roots, declared)


def test_m3_two_shapes_of_missing(forecasts):
    """174 series without any row, 645 with a row and no forecast."""
    lost = {
        one["task"]: one for one in table(forecasts, "missing_by_task") if one["system"] == "s0"
    }
    assert lost["OTHER"]["without_row"] == 174
    assert lost["YEARLY"]["without_score"] == 645
    assert account(forecasts, "s0").missing_items == 174
    assert account(forecasts, "s1").missing_items == 0


def test_m3_less_error_is_better_and_the_bounds_know_it(forecasts):
    rates = {one["system"]: one for one in table(forecasts, "rates.error")}
    one = rates["s0"]
    assert one["lowest"] < one["completed"] < one["highest"]
    assert one["highest"] - one["lowest"] == pytest.approx(200 * (174 + 645) / 3003)
    # with a quarter of the series open, nothing is shown of the two
    assert forecasts.claim("lower").verdict == "insufficient_evidence"


def test_m3_errors_in_percent_are_no_shares(roots, tmp_path):
    source = {"files": "SHARED:m3_forecasting/long.csv.gz", "scores": {"error": "score"}}
    declared = study(["THETA"], source, metrics={"error": {"kind": "proportion"}}, claims={})
    with pytest.raises(DataError, match="outside of the metric's range"):
        whole(tmp_path, roots, declared)


# ------------------------------------------------------------------ wmt20_mqm, refusalbench_biology


def test_wmt_penalties_and_scores_are_two_metrics(roots, tmp_path):
    """The raw penalty goes from -25 to 0, the score from 0 to 1; both say the same, best on top."""
    source = {
        "files": "SHARED:wmt20_mqm/long.csv.gz",
        "scores": {"quality": "score", "penalty": "raw_score"},
        # the file's label says who translated, not what was asked
        "values": {"label": {"human": "", "system": ""}},
    }
    metrics = {
        "quality": {"kind": "bounded", "range": [0, 1]},
        "penalty": {"kind": "bounded", "range": [-25, 0]},
    }
    found = whole(tmp_path, roots, study(["Human-A"], source, metrics=metrics, claims={}))
    rates = [table(found, f"rates.{one}") for one in metrics]
    for quality, penalty in zip(*rates, strict=True):
        # both are rounded in the file, to six decimals at least
        assert quality["completed"] == pytest.approx(1 + penalty["completed"] / 25, abs=1e-6)
    swapped = study(
        ["Human-A"],
        {**source, "scores": {"quality": "raw_score"}},
        metrics=metrics,
        claims={},
    )
    with pytest.raises(DataError, match="outside of the metric's range"):
        whole(tmp_path / "swapped", roots, swapped)


def test_refusals_count_for_one_tier_and_against_another(roots, tmp_path):
    """Compliance is good for benign prompts and harm for dual use: two metrics, two directions."""
    name = "moonshotai/kimi-k2.6-20260420"
    rates = {}
    for tier, metric, better in (("benign", "help", "higher"), ("dual_use", "harm", "lower")):
        source = {
            "files": "SHARED:refusalbench_biology/long.csv.gz",
            "rows": {"label": tier}, "scores": {metric: "score"},
        }  # fmt: skip
        metrics = {metric: {"kind": "proportion", "better": better}}
        found = whole(tmp_path / tier, roots, study([name], source, metrics=metrics, claims={}))
        rates[tier] = table(found, f"rates.{metric}")
        assert sum(one.unscored.get("unparsed", 0) for one in found.accounting("s").systems) == {
            "benign": 82, "dual_use": 52,
        }[tier]  # fmt: skip
    # an answer that nobody could read counts as no help, and as harm
    assert all(one["failures_as_wrong"] <= one["completed"] for one in rates["benign"])
    assert all(one["failures_as_wrong"] >= one["completed"] for one in rates["dual_use"])
    own = next(one for one in rates["benign"] if one["system"] == "s0")
    assert own["completed"] == pytest.approx(0.083, abs=5e-4)


def test_partial_compliance_is_no_binary_score(roots, tmp_path):
    source = {"files": "SHARED:refusalbench_biology/long.csv.gz"}
    with pytest.raises(DataError) as caught:
        whole(tmp_path, roots, study(["deepseek.v3.2"], source, claims={}))
    assert "kind: proportion" in str(caught.value)
