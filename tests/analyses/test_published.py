"""Published responses through the tables of the analyses, without intake."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from audit.analyses import comparison, workload
from audit.responses.table import ITEM_SCHEMA, RESPONSE_SCHEMA, ResponseTable
from tests.analyses.builders import BINARY, analysis_slice, answer, request, rows_of, weight

ROOT = Path(__file__).resolve().parents[2]
SHARED_DATA = Path(os.environ.get("AUDIT_SHARED_DATA") or ROOT.parent / "shared" / "data")
PROPORTION = BINARY.model_copy(update={"kind": "proportion"})

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="no shared data (AUDIT_SHARED_DATA)"),
]


def response_table(rows: pl.DataFrame) -> ResponseTable:
    """Fill the schema from the columns that the file has."""
    fixed = {"source": "s", "metric": "correct", "status": "ok", "file": "f", "row": 1}
    rows = rows.with_columns(
        [pl.lit(value).alias(name) for name, value in fixed.items() if name not in rows.columns]
    )
    rows = rows.with_columns(
        [pl.lit(None).alias(name) for name in RESPONSE_SCHEMA if name not in rows.columns]
    )
    rows = rows.with_columns(pl.col("variant").fill_null("base"), pl.col("attempt").fill_null(0))
    responses = rows.select([pl.col(name).cast(kind) for name, kind in RESPONSE_SCHEMA.items()])
    items = responses.select("source", "item", "task", "cluster").unique()
    items = items.with_columns(
        [pl.lit(None).alias(name) for name in ITEM_SCHEMA if name not in items.columns]
    ).select([pl.col(name).cast(kind) for name, kind in ITEM_SCHEMA.items()])
    return ResponseTable.of(responses, items)


@pytest.fixture(scope="module")
def terminal():
    rows = pl.read_csv(SHARED_DATA / "terminal_bench_1_5_trials" / "long.csv.gz")
    return rows, response_table(
        rows.select(pl.col("model").alias("system"), "item", "score", "attempt")
    )


@pytest.mark.parametrize("model", ["claude-opus-4-1-20250805", "gpt-5", "OpenAI/gpt-oss-20B"])
def test_terminal_bench_counts_each_task_once(terminal, model):
    rows, table = terminal
    asked = analysis_slice([request(model)], systems=(model,))
    found = answer(workload.analyse(asked, table))
    own = rows.filter(pl.col("model") == model)
    by_task = own.group_by("item").agg(pl.col("score").mean())["score"].mean()
    assert found.value == pytest.approx(by_task, abs=1e-12)
    assert found.items == 74
    assert found.clusters == 74


def test_terminal_bench_unequal_attempts_bound_and_mirror(terminal):
    rows, table = terminal
    one, other = "gpt-5", "gpt-5-mini"
    there, back = (
        answer(comparison.analyse(analysis_slice([request(*pair)], systems=()), table))
        for pair in ((one, other), (other, one))
    )
    means = dict(
        rows.group_by("model", "item")
        .agg(pl.col("score").mean())
        .group_by("model")
        .agg(pl.col("score").mean())
        .iter_rows()
    )
    assert there.value == pytest.approx(means[one] - means[other], abs=1e-12)
    assert there.identified[0] < there.value < there.identified[1]
    # by hand: each item's absent attempts of the one with fewer, all wrong or all right
    counts = rows.group_by("model", "item").agg(
        pl.col("score").sum().alias("right"), pl.len().alias("n")
    )
    wide = counts.filter(pl.col("model") == one).join(
        counts.filter(pl.col("model") == other), on="item", suffix="_over"
    )
    n, m = wide["n"].to_numpy(), wide["n_over"].to_numpy()
    most = np.maximum(n, m)
    low = wide["right"] / most - (wide["right_over"] + most - m) / most
    high = (wide["right"] + most - n) / most - wide["right_over"] / most
    assert there.identified == pytest.approx((low.mean(), high.mean()), abs=1e-12)
    assert back.value == pytest.approx(-there.value, abs=1e-12)
    for bound, image in zip(there.bounds, back.bounds, strict=True):
        assert (image.lower, image.upper) == pytest.approx((-bound.upper, -bound.lower), abs=1e-12)


def test_cruxeval_published_means_stand_in_the_table():
    folder = SHARED_DATA / "cruxeval_configs"
    rows = pl.read_csv(folder / "long.csv.gz")
    published = pl.read_csv(folder / "published_aggregates.csv.gz")
    systems = pl.concat_str("model", pl.lit("|"), "config_id").alias("system")
    table = response_table(
        rows.select(
            systems,
            "item",
            "score",
            "variant",
            pl.col("group").alias("task"),
            pl.col("n_samples").alias("samples"),
        )
    )
    weights = [weight("input", 0.5), weight("output", 0.5)]
    seen = 0
    for variant in ("direct", "cot"):
        expected = published.filter(pl.col("variant") == variant).with_columns(systems)
        names = tuple(sorted(set(expected["system"])))
        asked = request(
            names[0], measure="expected_success", tasks=("input", "output"), variants=(variant,)
        )
        wanted = analysis_slice(
            [asked], weights=weights, metrics=(PROPORTION,), systems=names, kind="interest"
        )
        result = workload.analyse(wanted, table)
        held = {
            (one["system"], one["task"]): one["value"]
            for one in rows_of(result, f"scores_by_task.correct.{variant}")
        }
        for one in expected.iter_rows(named=True):
            value = held[one["system"], one["group"]]
            assert value == pytest.approx(one["published_pass_at_1"], abs=1e-12)
            seen += 1
    assert seen == 134
