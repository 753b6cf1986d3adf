"""Published figures beside published items: what is contradicted is found, and nothing else.

What a README of the shared data says was published is typed here; where it says that figures and
items agree, the figures are recomputed by other code and rounded as they were published.
"""

import gzip

import numpy as np
import polars as pl
import pytest

from audit.analyses.reproduced import readings
from tests.analyses.builders import BINARY
from tests.real.whole import as_csv, run_whole, write_study

pytestmark = pytest.mark.data


def study(systems, source, *, metrics=None, claims=None, **fields):
    """A study of one source, without workload; every claim is that a system reaches a tenth."""
    named = {f"s{at}": {"version": "not stated", "match": name} for at, name in enumerate(systems)}
    every = {
        f"C{at}": {
            "kind": "performance", "of": one, "statement": "It reaches a tenth.",
            "criteria": [{"at_least": 0.1}], "warrant": "its items",
        }
        for at, one in enumerate(named)
    }  # fmt: skip
    return {
        "schema": 1, "study": "published", "title": "Do the figures follow from the items?",
        "decision": {
            "purpose": "research", "question": "Do they?", "owner": "us",
            "smallest_difference": 0.05,
        },
        "other_systems": "reference", "systems": named, "metrics": metrics or {},
        "sources": {"s": {"why": "published", "chosen": "published", **source}},
        "claims": every if claims is None else claims, **fields,
    }  # fmt: skip


def whole(folder, roots, declared, **files):
    names = {f"{name}.csv": text for name, text in files.items()}
    return run_whole(write_study(folder, declared, names), roots)


def published(found):
    """{(system, task): row of the table of published figures}."""
    intake = next(one for one in found.results if one.analysis == "intake")
    table = next(one for one in intake.tables if one.id == "published")
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return {(one["system"], one["task"]): one for one in rows}


def states(found):
    return {key: one["state"] for key, one in published(found).items()}


def contradiction(found, claim):
    verdict = found.claim(claim)
    return next(one for one in verdict.threats if one.code == "aggregate_contradicts")


def frame(shared_data, name):
    return pl.read_csv(
        gzip.decompress((shared_data / name / "long.csv.gz").read_bytes()), infer_schema_length=None
    )


def means(rows, *by):
    """{key: mean of the scores, none as 0}, by plain numpy."""
    parts = rows.with_columns(pl.col("score").fill_null(0)).partition_by(by, as_dict=True)
    return {key: float(np.mean(part["score"].to_numpy())) for key, part in parts.items()}


# ---------------------------------------------------------------------- what the READMEs contradict


@pytest.fixture(scope="module")
def swebench(roots, tmp_path_factory):
    source = {
        "files": "SHARED:swebench_verified_bash_only/long.csv.gz",
        "columns": {"system": "model", "cluster": "group"},
        "published": {
            "file": "SHARED:swebench_verified_bash_only/leaderboard_aggregates.csv.gz",
            "columns": {"score": "resolved_percent"},
            "rows": {"leaderboard": "bash-only"},
            "unit": "percent",
        },
    }
    named = ["Claude 3.7 Sonnet (20250219)", "Claude 4.5 Opus medium (20251101)"]
    return whole(tmp_path_factory.mktemp("swebench"), roots, study(named, source))


def test_swebench_names_the_one_entry_that_its_items_contradict(swebench):
    """52.8 against 10.2 percent; the other 24 differ by less than one item of 500."""
    found = states(swebench)
    assert {key for key, state in found.items() if state == "contradicts"} == {("s0", "")}
    assert sorted(set(found.values())) == ["agrees", "close", "contradicts"]
    assert len(found) == 25
    one = published(swebench)["s0", ""]
    assert (one["published"], one["recomputed"]) == (pytest.approx(0.528), pytest.approx(0.102))


def test_swebench_the_contradicted_system_has_no_verdict_and_the_other_does(swebench):
    bad = swebench.claim("C0")
    assert bad.verdict == "insufficient_evidence"
    assert "aggregate_contradicts" in bad.reasons
    assert "published 0.528, from the items 0.102" in contradiction(swebench, "C0").text
    assert contradiction(swebench, "C1").state == "closed"
    assert "aggregate_contradicts" not in swebench.claim("C1").reasons


def test_swebench_entries_without_items_are_counted_not_judged(swebench):
    """31 entries of the board, 25 of them with items."""
    assert swebench.accounting("s").unmatched_published == 6


def test_halluqa_one_of_two_figures_is_contradicted(roots, tmp_path):
    """xverse-13b is published at 27.33; its items give 26.00 with the invalid as wrong."""
    source = {
        "files": "SHARED:halluqa/long.csv.gz",
        "published": {"file": "board.csv", "unit": "percent"},
    }
    board = as_csv([("xverse-13b", "27.33")], ["system", "score"])
    found = whole(tmp_path, roots, study(["xverse-13b"], source), board=board)
    assert states(found) == {("s0", ""): "contradicts"}
    assert published(found)["s0", ""]["recomputed"] == pytest.approx(0.26)


def test_halluqa_the_others_agree_with_the_invalid_as_wrong(roots, tmp_path, shared_data):
    rows = frame(shared_data, "halluqa").with_columns(pl.col("score").fill_null(0))
    board = [
        (name, f"{100 * mean:.2f}")
        for (name,), mean in means(rows, "system").items()
        if name != "xverse-13b"
    ]
    source = {
        "files": "SHARED:halluqa/long.csv.gz",
        "published": {"file": "board.csv", "unit": "percent"},
    }
    declared = study(["abab5.5-chat"], source)
    found = whole(tmp_path, roots, declared, board=as_csv(board, ["system", "score"]))
    assert len(states(found)) == 23
    assert set(states(found).values()) == {"agrees"}
    # a judge that gave no verdict counts as wrong in the published figure
    assert "as wrong" in published(found)["s0", ""]["reading"]


def test_ifeval_published_by_instruction_not_by_prompt(roots, tmp_path, shared_data):
    """o1 is published at 85.9, its items give 86.7; by prompt every figure would be lower."""
    rows = frame(shared_data, "ifeval_en").filter(pl.col("metric") == "prompt_strict")
    rows = rows.with_columns(
        (pl.col("followed") / pl.col("n_instructions")).alias("score"),
        pl.col("n_instructions").alias("samples"),
    )
    table = rows.select("system", "item", "score", "samples")
    name, other = "o1-preview-2024-09-12", "o1-mini-2024-09-12"
    own = table.filter(pl.col("system") == other)
    by_instruction = (own["score"] * own["samples"]).sum() / own["samples"].sum()
    board = as_csv([(name, "85.9"), (other, f"{100 * by_instruction:.1f}")], ["system", "score"])
    source = {"files": "rows.csv", "published": {"file": "board.csv", "unit": "percent"}}
    declared = study([name, other], source, metrics={"correct": {"kind": "proportion"}})
    found = whole(tmp_path, roots, declared, rows=table.write_csv(), board=board)
    assert states(found) == {("s0", ""): "contradicts", ("s1", ""): "agrees"}
    own = found.ingested["s"].table.responses.filter(pl.col("system") == "s0")
    every = dict(readings(own, 541, BINARY))
    weighted = every["mean over samples, answers with a score only"]
    assert weighted == pytest.approx(0.867, abs=5e-4)
    assert "mean over samples" in published(found)["s1", ""]["reading"]


def test_arc_one_item_too_many(roots, tmp_path):
    """open_ai_o1_mini states 55 of 400, its items sum to 54; claude-3-haiku covers 397."""
    source = {
        "files": "SHARED:arc_agi_1_public_eval/long.csv.gz",
        "published": "board.csv",
        "scores": {"solved": "score"},
    }
    board = as_csv([("open_ai_o1_mini_20241217", "0.1375"), ("claude-3-haiku-x", "0.5")],
                   ["system", "score"])  # fmt: skip
    declared = study(
        ["open_ai_o1_mini_20241217"], source, metrics={"solved": {"kind": "proportion"}}
    )
    found = whole(tmp_path, roots, declared, board=board)
    assert states(found) == {("s0", ""): "contradicts"}
    assert published(found)["s0", ""]["recomputed"] == pytest.approx(0.135)
    assert found.accounting("s").unmatched_published == 1
    covered = {one.system: one.items for one in found.accounting("s").systems}
    assert min(covered.values()) == 397


@pytest.fixture(scope="module")
def reasoning(roots, tmp_path_factory):
    source = {
        "files": "SHARED:reasoning_gym_zero_shot/long.csv.gz",
        "columns": {"task": "cluster", "cluster": "task"},
        "scores": {"solved": "score"},
        "published": {
            "file": "SHARED:reasoning_gym_zero_shot/published.csv.gz",
            "columns": {"score": "published_mean", "task": "cluster", "items": "examples"},
        },
    }
    declared = study(
        ["x-ai_grok-3-mini-beta", "anthropic_claude-3.5-sonnet", "google_gemma-3-27b-it"],
        source,
        metrics={"solved": {"kind": "proportion"}},
        variants={
            "easy": {"kind": "plausible", "why": "as published"},
            "hard": {"kind": "plausible", "why": "as published"},
        },
        claims={
            "pair": {
                "kind": "comparison", "of": "s1", "over": "s2", "statement": "It solves more.",
                "variants": ["easy"], "criteria": [{"better_by": 0.0}], "warrant": "its items",
            }
        },
    )  # fmt: skip
    return whole(tmp_path_factory.mktemp("reasoning"), roots, declared)


def test_reasoning_gym_a_mean_outside_of_the_range_is_impossible(reasoning):
    """59.42 on a scale of 0 to 1; the other 2,006 are over 50 examples, of which 20 are here."""
    intake = next(one for one in reasoning.results if one.analysis == "intake")
    assert intake.diagnostics["published"] == {"impossible": 1, "not_checked": 2006}
    table = next(one for one in intake.tables if one.id == "published")
    first = dict(zip(table.columns, table.rows[0], strict=True))
    assert (first["system"], first["task"], first["published"]) == ("s0", "bf", 59.42)


def test_reasoning_gym_one_id_with_other_text_is_found(reasoning):
    """Concentrated in eleven generators; the remedy is to identify items by their content."""
    threat = next(one for one in reasoning.claim("pair").threats if one.code == "item_changed")
    assert threat.state == "open"
    assert reasoning.claim("pair").verdict == "insufficient_evidence"
    assert "item_changed" in reasoning.claim("pair").reasons


# ------------------------------------------------------------------------ what agrees is left alone


@pytest.mark.parametrize(("name", "decimals"), [("zeroeval_math_l5", 2), ("zeroeval_crux", 2)])
def test_exact_boards_report_nothing(roots, tmp_path, shared_data, name, decimals):
    """All systems, partial runs among them; published over what each of them answered."""
    rows = frame(shared_data, name)
    board = [(one, f"{100 * mean:.{decimals}f}") for (one,), mean in means(rows, "system").items()]
    source = {
        "files": f"SHARED:{name}/long.csv.gz",
        "published": {"file": "board.csv", "unit": "percent"},
    }
    declared = study([board[0][0]], source)
    found = whole(tmp_path, roots, declared, board=as_csv(board, ["system", "score"]))
    assert len(states(found)) == len(board)
    assert set(states(found).values()) == {"agrees"}
    assert contradiction(found, "C0").state == "closed"


def test_chembench_fractions_follow_exactly(roots, tmp_path, shared_data):
    rows = frame(shared_data, "chembench_reports")
    own = rows.filter((pl.col("attempt") == 0) & (pl.col("metric") == "all_correct"))
    board = [
        (system, variant, repr(mean))
        for (system, variant), mean in means(own, "system", "variant").items()
    ]
    variants = sorted({one for _, one, _ in board})
    source = {
        "files": "SHARED:chembench_reports/long.csv.gz",
        "rows": {"metric": "all_correct", "attempt": 0},
        "values": {"variant": {"default": "base"}},
        "published": "board.csv",
    }
    declared = study(
        [board[0][0]], source,
        variants={
            one: {"kind": "plausible", "why": "as published"}
            for one in variants
            if one != "default"
        },
        claims={},
    )  # fmt: skip
    names = [(system, "base" if v == "default" else v, value) for system, v, value in board]
    text = as_csv(names, ["system", "variant", "score"])
    found = whole(tmp_path, roots, declared, board=text)
    assert len(published(found)) == len({one[0] for one in board})
    intake = next(one for one in found.results if one.analysis == "intake")
    assert intake.diagnostics["published"] == {"agrees": len(board)}


def test_mathvista_blanks_count_as_wrong(roots, tmp_path):
    """chatgpt 0.235 with its two blanks as wrong; the guessing baselines 0.263 and 0.179."""
    board = as_csv([("frequent_guess", "26.3"), ("random_guess", "17.9")], ["system", "score"])
    source = {
        "files": "SHARED:mathvista_testmini/long.csv.gz",
        "rows": {"variant": "default", "metric": "correct"},
        "values": {"variant": {"default": "base"}},
        "published": {"file": "board.csv", "unit": "percent"},
    }
    declared = study(["frequent_guess", "random_guess"], source, claims={})
    found = whole(tmp_path, roots, declared, board=board)
    assert states(found) == {("s0", ""): "agrees", ("s1", ""): "agrees"}
