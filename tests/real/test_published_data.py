"""Published responses, each with a study in this folder: what the path must make of them."""

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from audit.analyses.contract import NotEstimable
from audit.errors import DataError, Reason
from tests.real.whole import run_whole

FOLDER = Path(__file__).resolve().parent

pytestmark = pytest.mark.data


def study(name):
    return FOLDER / name / "study.yaml"


def bounds_of(estimate, error):
    return next(one for one in estimate.bounds if one.error == pytest.approx(error))


# ------------------------------------------------------------------ swebench_verified_bash_only


@pytest.fixture(scope="module")
def swebench(roots):
    return run_whole(study("swebench_verified_bash_only"), roots)


def test_swebench_every_row_is_kept(swebench):
    accounting = swebench.accounting("verified")
    assert accounting.items == 500
    assert accounting.files[0].rows_read == accounting.files[0].rows_kept == 12_500
    assert len(accounting.systems) == 25
    assert sum(one.declared for one in accounting.systems) == 6
    assert all(one.scored == 500 and one.missing_items == 0 for one in accounting.systems)


def test_swebench_first_place_is_not_shown_by_one_item(swebench):
    """74.4 against 74.2 percent: the set of places holds the first and the second."""
    rank = swebench.estimate("first.1")
    assert rank.value == 1
    assert rank.bounds[0].lower == 1
    assert rank.bounds[0].upper >= 2
    assert swebench.claim("first").verdict == "insufficient_evidence"


def test_swebench_places_apart_are_shown(swebench):
    assert swebench.estimate("first-four.1").bounds[0].upper <= 4
    assert swebench.claim("first-four").criteria[0].status == "met"
    assert swebench.estimate("last.1").bounds[0].lower == 6
    assert swebench.claim("last").verdict == "not_supported"


def test_swebench_claims_written_after_the_scores_are_capped(swebench):
    verdict = swebench.claim("first-four")
    assert verdict.timing == "after"
    assert verdict.verdict == "narrowed"


def test_swebench_score_and_its_repositories(swebench):
    plain, clustered = (
        swebench.estimate(name) for name in ("two-thirds.1", "two-thirds-by-repository.1")
    )
    assert plain.value == pytest.approx(372 / 500)
    assert clustered.value == pytest.approx(372 / 500)
    assert (plain.clusters, clustered.clusters) == (500, 12)
    assert swebench.claim("two-thirds").criteria[0].status == "met"
    # scipy.stats.binomtest(372, 500).proportion_ci(method="exact")
    assert bounds_of(plain, 0.025).lower == pytest.approx(0.70337299, abs=1e-6)
    width = [
        bounds_of(one, 0.025).upper - bounds_of(one, 0.025).lower for one in (plain, clustered)
    ]
    assert width[1] > width[0]


# ------------------------------------------------------------------ livecodebench_execution_cot


@pytest.fixture(scope="module")
def livecodebench(roots):
    return run_whole(study("livecodebench_execution_cot"), roots)


def published_livecodebench(shared_data):
    return pl.read_csv(shared_data / "livecodebench_execution_cot" / "long.csv.gz")


def test_livecodebench_items_of_one_problem_count_together(livecodebench, shared_data):
    accounting = livecodebench.accounting("execution")
    assert (accounting.items, accounting.clusters, accounting.clustered) == (479, 92, True)
    found = livecodebench.estimate("direct.1")
    assert (found.items, found.clusters) == (479, 92)
    rows = published_livecodebench(shared_data).filter(pl.col("variant") == "direct")
    wide = rows.pivot(on="model", index=["item", "cluster"], values="score")
    difference = (wide["GPT-4O-2024-05-13"] - wide["Claude-3-Opus"]).to_numpy()
    assert found.value == pytest.approx(difference.mean())
    assert found.standard_error > difference.std(ddof=1) / np.sqrt(479)


def test_livecodebench_variants_are_never_mixed(livecodebench, shared_data):
    rows = published_livecodebench(shared_data)
    for claim, variant in (("direct", "direct"), ("steps", "cot")):
        one = rows.filter(pl.col("variant") == variant)
        means = dict(one.group_by("model").agg(pl.col("score").mean()).iter_rows())
        expected = means["GPT-4O-2024-05-13"] - means["Claude-3-Opus"]
        assert livecodebench.estimate(f"{claim}.1").value == pytest.approx(expected)


def test_livecodebench_not_run_leaves_the_evidence_insufficient(livecodebench):
    accounts = {one.system: one for one in livecodebench.accounting("execution").systems}
    assert accounts["phind"].unscored == {"not_run": 479}
    assert livecodebench.claim("not-run").verdict == "insufficient_evidence"
    found = livecodebench.estimate("not-run.1")
    if not isinstance(found, NotEstimable):
        assert found.missing_items == 479
        assert found.identified[0] < 0 < found.identified[1]


def minus_one_copy(tmp_path, shared_data, metric):
    """The publisher's own way: -1 where nothing was run, in place of the blanks."""
    rows = published_livecodebench(shared_data).with_columns(
        pl.col("score").cast(pl.String).fill_null("-1")
    )
    assert (rows["score"] == "-1").sum() == 2_874
    folder = tmp_path / "shared" / "livecodebench_execution_cot"
    folder.mkdir(parents=True)
    (folder / "long.csv.gz").write_bytes(gzip.compress(rows.write_csv().encode(), mtime=0))
    text = study("livecodebench_execution_cot").read_text(encoding="utf-8")
    home = tmp_path / "livecodebench_execution_cot"
    home.mkdir()
    changed = text.replace("correct: {kind: proportion}", f"correct: {metric}")
    assert changed != text or metric == "{kind: proportion}"
    (home / "study.yaml").write_text(changed, encoding="utf-8")
    return home / "study.yaml", {"SHARED": tmp_path / "shared"}


def test_livecodebench_minus_one_mapped_to_not_run_is_the_same(
    tmp_path, shared_data, livecodebench
):
    metric = '{kind: proportion, values: {"-1": not_run}}'
    mapped = run_whole(*minus_one_copy(tmp_path, shared_data, metric))
    ours, theirs = (one.ingested["execution"].table for one in (livecodebench, mapped))
    assert theirs.responses.equals(ours.responses)
    assert theirs.items.equals(ours.items)
    assert mapped.assessment == livecodebench.assessment
    for one, other in zip(livecodebench.results, mapped.results, strict=True):
        assert one.estimates == other.estimates
        assert one.not_estimable == other.not_estimable
        assert one.threats == other.threats


def test_livecodebench_minus_one_unmapped_is_refused(tmp_path, shared_data):
    with pytest.raises(DataError) as caught:
        run_whole(*minus_one_copy(tmp_path, shared_data, "{kind: proportion}"))
    text = str(caught.value)
    assert "-1" in text
    assert "row " in text
    assert len(caught.value.issues) < 100


# ---------------------------------------------------------------------- terminal_bench_1_5_trials


@pytest.fixture(scope="module")
def terminal(roots):
    return run_whole(study("terminal_bench_1_5_trials"), roots)


def task_means(shared_data):
    rows = pl.read_csv(shared_data / "terminal_bench_1_5_trials" / "long.csv.gz")
    return rows, rows.group_by("model", "item").agg(pl.col("score").mean())


@pytest.mark.parametrize(
    ("claim", "model"),
    [("quarter", "claude-opus-4-1-20250805"), ("quarter-gpt-5", "gpt-5")],
)
def test_terminal_bench_attempts_never_weight_tasks(terminal, shared_data, claim, model):
    rows, means = task_means(shared_data)
    by_task = means.filter(pl.col("model") == model)["score"].mean()
    by_trial = rows.filter(pl.col("model") == model)["score"].mean()
    found = terminal.estimate(f"{claim}.1")
    assert found.value == pytest.approx(by_task, abs=1e-12)
    assert abs(found.value - by_trial) > 0.005
    assert found.items == 74


def test_terminal_bench_attempts_are_counted(terminal):
    accounts = {one.system: one for one in terminal.accounting("trials").systems}
    assert terminal.accounting("trials").files[0].rows_kept == 6_199
    assert accounts["opus-4.1"].attempts == (5, 9)
    assert accounts["gpt-5"].attempts == (1, 7)
    assert all(one.items == 74 for one in accounts.values())


def test_terminal_bench_unequal_attempts_bound_the_difference(terminal, shared_data):
    _, means = task_means(shared_data)
    by_model = dict(means.group_by("model").agg(pl.col("score").mean()).iter_rows())
    found = terminal.estimate("against-mini.1")
    assert found.value == pytest.approx(by_model["gpt-5"] - by_model["gpt-5-mini"], abs=1e-12)
    low, high = found.identified
    assert low < found.value < high
    assert terminal.claim("against-small").criteria[0].status == "met"


# ------------------------------------------------------------------------------- cruxeval_configs


@pytest.fixture(scope="module")
def cruxeval(roots):
    return run_whole(study("cruxeval_configs"), roots)


def test_cruxeval_the_134_published_means_follow_from_the_items(cruxeval, shared_data):
    published = pl.read_csv(shared_data / "cruxeval_configs" / "published_aggregates.csv.gz")
    responses = cruxeval.ingested["published"].table.responses
    names = {
        (row["match.model"], row["match.config_id"]): row["system"]
        for row in pl.read_csv(FOLDER / "cruxeval_configs" / "systems.csv").iter_rows(named=True)
    }
    names |= {
        ("codellama-34b", "temp0.2"): "codellama-34b.cool",
        ("codellama-34b", "temp0.8"): "codellama-34b.warm",
        ("gpt-4-0613", "temp0.2"): "gpt-4.cool",
    }
    means = {
        key: np.mean(group["score"].to_numpy())
        for key, group in responses.group_by("system", "task", "variant")
    }
    assert len(means) == len(published) == 134
    variants = {"direct": "base", "cot": "cot"}
    for row in published.iter_rows(named=True):
        key = (names[row["model"], row["config_id"]], row["group"], variants[row["variant"]])
        assert means[key] == pytest.approx(row["published_pass_at_1"], abs=1e-12)


def test_cruxeval_systems_are_model_and_configuration(cruxeval):
    accounting = cruxeval.accounting("published")
    assert len(accounting.systems) == 55
    assert all(one.declared for one in accounting.systems)
    assert accounting.files[0].rows_kept == 107_200


def test_cruxeval_samples_are_not_attempts(cruxeval, shared_data):
    """Ten samples a cell are in the score already: nothing is missing, nothing is bounded."""
    published = pl.read_csv(shared_data / "cruxeval_configs" / "published_aggregates.csv.gz")
    rows = published.filter((pl.col("model") == "codellama-34b") & (pl.col("variant") == "direct"))
    mean = dict(rows.group_by("config_id").agg(pl.col("published_pass_at_1").mean()).iter_rows())
    found = cruxeval.estimate("cooler.1")
    assert found.value == pytest.approx(mean["temp0.2"] - mean["temp0.8"], abs=1e-9)
    assert found.identified == pytest.approx((found.value, found.value))
    assert found.missing_items == 0
    assert cruxeval.claim("cooler").criteria[0].status == "met"


def test_no_study_of_published_data_reaches_supported(swebench, livecodebench, terminal, cruxeval):
    """Their claims were written after the scores were public, and say so."""
    for whole in (swebench, livecodebench, terminal, cruxeval):
        for one in whole.assessment.claims:
            assert one.verdict != "supported"
            assert Reason.CRITERIA_AFTER in one.reasons or one.verdict != "narrowed"
