"""Logs of lm-evaluation-harness: one row per document, whatever its filters, and what is published.

The logs are those of the shared data; older formats are made of them.
"""

import copy
import gzip
import json
import math
import random
import time

import pytest

from audit.errors import DataError
from audit.responses.readers import json_lines, lm_eval_rows, lm_eval_tables
from audit.responses.readers.lm_eval import read_lm_eval
from audit.spec.files import ResolvedFile

pytestmark = pytest.mark.data

STAMP = "2026-12-01T03-50-12.648970"
MC, POLITE, SUMS = "tiny_capitals_mc", "tiny_capitals_mc_polite", "tiny_sums_gen"
STRICT, FLEXIBLE = "exact_match,strict-match", "exact_match,flexible-extract"
RESULTS = f"results_{STAMP}.json"
FOLDER = "tiny__sum-strong"


def samples_name(task, stamp=STAMP):
    return f"samples_{task}_{stamp}.jsonl"


@pytest.fixture(scope="session")
def logs(shared_data):
    """{file name: rows, or the results} of one run."""
    folder = shared_data / "logs" / "lm_eval" / FOLDER
    rows = {
        samples_name(task): [
            json.loads(line) for line in (folder / samples_name(task)).read_text().splitlines()
        ]
        for task in (MC, POLITE, SUMS)
    }
    return rows | {RESULTS: json.loads((folder / RESULTS).read_text())}


@pytest.fixture
def log(logs):
    """The same, to be changed by a test."""
    return copy.deepcopy(logs)


def encoded(content):
    if isinstance(content, list):
        return "".join(json.dumps(row) + "\n" for row in content).encode()
    if isinstance(content, dict):
        return json.dumps(content, indent=2).encode()
    return content


def written(folder, files, name=FOLDER):
    """Write rows as JSON lines and objects as JSON, in a folder of lm_eval's name."""
    (folder / name).mkdir(exist_ok=True)
    made = []
    for file, content in files.items():
        path = folder / name / file
        path.write_bytes(encoded(content))
        made.append(ResolvedFile(f"{name}/{file}", path))
    return made


def tables(folder, files, name=FOLDER):
    return read_lm_eval(written(folder, files, name))


def only(folder, files):
    (found,) = tables(folder, files)
    return found


def of_sums(log, rows=None):
    """The generation task and its results file."""
    name = samples_name(SUMS)
    return {name: log[name] if rows is None else rows, RESULTS: log[RESULTS]}


def refused(folder, files):
    with pytest.raises(DataError) as caught:
        tables(folder, files)
    return "\n".join(str(issue) for issue in caught.value.issues)


def losses(found):
    return {one.code: one for one in found.log.losses}


def reproduced(found, task, aggregation="mean"):
    return {
        one.metric: one
        for one in found.log.reproductions
        if one.task == task and one.aggregation == aggregation
    }


def old(rows, keep=None):
    """Rows as before lm_eval 0.4.7: neither filter nor metrics nor hashes, arguments as lists."""
    new = ("filter", "metrics", "doc_hash", "prompt_hash", "target_hash")
    return [
        {key: value for key, value in row.items() if key not in new}
        | {"arguments": [list(one.values()) for one in row["arguments"].values()]}
        for row in rows
        if keep is None or row["filter"] == keep
    ]


# ------------------------------------------------------------------------------------- as they come


def test_documents_of_the_shared_logs(tmp_path, logs):
    found = tables(tmp_path, logs)
    assert [len(one.frame) for one in found] == [12, 12, 10]
    assert [one.log.scores for one in found] == [
        ("acc,none", "acc_norm,none"),
        ("acc,none", "acc_norm,none"),
        (STRICT, FLEXIBLE),
    ]
    assert all(one.beside == (f"{FOLDER}/{RESULTS}",) for one in found)
    assert {one.state for each in found for one in each.log.reproductions} == {"agrees"}


def test_both_models_of_the_shared_logs_give_six_tables(shared_data):
    folder = shared_data / "logs" / "lm_eval"
    files = [ResolvedFile(str(one), one) for one in sorted(folder.glob("tiny*/*"))]
    found = read_lm_eval(files)
    assert [one.log.runs[0].system for one in found] == ["tiny/sum-strong"] * 3 + [
        "tiny/sum-weak"
    ] * 3
    assert sum(len(one.log.reproductions) for one in found) == 24
    assert {one.state for each in found for one in each.log.reproductions} == {"agrees"}


def test_twenty_rows_of_ten_documents_are_ten_rows(tmp_path, log):
    """EleutherAI/lm-evaluation-harness 1687."""
    assert len(log[samples_name(SUMS)]) == 20
    found = only(tmp_path, of_sums(log))
    assert found.frame["item"].to_list() == [f"{SUMS}/{place}" for place in range(10)]


def test_filters_are_columns_strict_half_flexible_four_fifths_for_the_same_answers(tmp_path, log):
    found = only(tmp_path, of_sums(log))
    assert found.frame[STRICT].cast(float).mean() == 0.5
    assert found.frame[FLEXIBLE].cast(float).mean() == 0.8


def test_unparsed_answers_are_counted_by_filter(tmp_path, log):
    """EleutherAI/lm-evaluation-harness PR 3709: unreadable is not wrong, and the score stays."""
    found = only(tmp_path, of_sums(log))
    assert found.log.statuses == {STRICT: f"status:{STRICT}"}
    unparsed = found.frame.filter(found.frame[f"status:{STRICT}"] == "unparsed")
    marked = [row for row in log[samples_name(SUMS)] if row["filtered_resps"] == ["[invalid]"]]
    assert len(unparsed) == len(marked) == 3
    assert unparsed[STRICT].to_list() == ["0.0"] * 3
    assert found.frame["status"].unique().to_list() == ["ok"]


@pytest.mark.parametrize(
    ("filtered", "is_unparsed"),
    [
        (["[invalid]"], True),
        ([["[invalid]", "[invalid]"]], True),
        ([["[invalid]"], "65"], False),
        ([], False),
        (None, False),
        ("[invalid]", True),
        ([["-3.69", "False"]], False),
    ],
)
def test_an_answer_is_unparsed_if_all_readings_of_it_are(tmp_path, log, filtered, is_unparsed):
    rows = log[samples_name(MC)]
    rows[3]["filtered_resps"] = filtered
    found = tables(tmp_path, {samples_name(MC): rows, RESULTS: log[RESULTS]})[0]
    assert found.log.statuses == ({"acc,none": "status:acc,none"} if is_unparsed else {}) | (
        {"acc_norm,none": "status:acc_norm,none"} if is_unparsed else {}
    )
    if is_unparsed:
        assert found.frame["status:acc,none"].to_list() == [None] * 3 + ["unparsed"] + [None] * 8


def test_loglikelihoods_as_texts_are_no_scores(tmp_path, log):
    found = tables(tmp_path, {samples_name(MC): log[samples_name(MC)], RESULTS: log[RESULTS]})[0]
    assert found.frame["acc,none"].unique().sort().to_list() == ["0.0", "1.0"]
    assert "resps" not in found.frame.columns
    assert found.unreadable == {"doc.choices": "lists or structures"}


def test_ids_of_the_user_and_hashes_stand_beside_the_order_in_the_split(tmp_path, log):
    found = tables(tmp_path, log)[0].frame.row(0, named=True)
    row = log[samples_name(MC)][0]
    assert found["doc.qid"] == "cap-00"
    assert found["doc.region"] == "B"
    assert (found["doc_id"], found["item"]) == ("0", f"{MC}/0")
    assert found["item_hash"] == found["doc_hash"] == row["doc_hash"]
    assert found["prompt_hash"] == row["prompt_hash"]
    assert found["date"] == "2026-12-01T03:50:10Z"


def test_the_same_doc_id_of_two_tasks_is_two_items_and_hashes_say_whether_they_are_one(
    tmp_path, log
):
    """Variants are tasks of their own; permuted choices reuse doc_ids with other content."""
    log[samples_name(POLITE)][0]["doc_hash"] = "other"
    one, other, _ = tables(tmp_path, log)
    assert not set(one.frame["item"]) & set(other.frame["item"])
    same = one.frame["item_hash"] == other.frame["item_hash"]
    assert same.to_list() == [False] + [True] * 11


def test_prompts_are_kept_once_by_their_digest(tmp_path, log):
    found = only(tmp_path, of_sums(log))
    assert found.log.texts[found.frame["text"][0]] == "37 + 28 ="
    assert len(found.log.texts) == 10


def test_prompts_that_are_too_long_are_counted(tmp_path, log):
    for row in log[samples_name(SUMS)][:3]:
        row["arguments"]["gen_args_0"]["arg_0"] = "x" * (lm_eval_rows.LONGEST_PROMPT + 1)
    found = only(tmp_path, of_sums(log))
    assert losses(found)["texts_left_out"].count == 3
    assert found.frame["text"].null_count() == 3
    assert len(found.log.texts) == 7


def test_long_fields_of_documents_are_left_out_and_named(tmp_path, log):
    log[samples_name(SUMS)][4]["doc"]["question"] = "x" * 201
    found = only(tmp_path, of_sums(log))
    assert "doc.question" not in found.frame.columns
    assert found.unreadable == {"doc.question": "texts longer than 200 characters"}


# ------------------------------------------------------------------------------------------ the run


def test_run_says_what_decides_answers_and_nothing_of_the_machine(tmp_path, log):
    log[RESULTS]["pretty_env_info"] = "SECRET-MACHINE"
    log[RESULTS]["config"]["model_args"] |= {"token": "SECRET", "device": "cuda:3", "x": "y" * 300}
    log[RESULTS]["git_hash"] = "abcdef0123456789"
    found = only(tmp_path, of_sums(log))
    (run,) = found.log.runs
    assert run.task_version == "2.0 (714b000b)"
    assert run.harness == "lm_eval 0.4.13 (git abcdef012345)"
    assert (run.items_in_test, run.samples_claimed, run.samples_held) == (10, 10, 10)
    settings = run.configuration
    assert settings["model_args.pretrained"] == "tiny/sum-strong"
    assert settings["model"] == "tinysum"
    assert settings["num_fewshot"] == "0"
    assert settings["generation_kwargs.do_sample"] == "false"
    assert settings["fewshot_seed"] == "7"
    assert settings["repeats"] == "2"
    assert settings["filter_list"].startswith("sha256:")
    assert settings["model_args.x"].startswith("sha256:")
    assert not [key for key in settings if "device" in key or "batch" in key]
    assert "SECRET" not in run.model_dump_json() + found.frame.write_csv()


def test_arguments_given_as_text_are_those_given_as_a_mapping(tmp_path, log):
    as_mapping = only(tmp_path, of_sums(log)).log.runs[0]
    log[RESULTS]["config"]["model_args"] = "skill=0.8,seed=1,pretrained=tiny/sum-strong"
    assert only(tmp_path, of_sums(log)).log.runs[0] == as_mapping


@pytest.mark.parametrize("stated", [{}, "", None, {"skill": 0.8}])
def test_a_dummy_model_without_a_name_is_called_by_its_kind(tmp_path, log, stated):
    log[RESULTS]["model_name"] = "kqzxwvbn"
    log[RESULTS]["config"] |= {"model": "dummy", "model_args": stated}
    assert only(tmp_path, of_sums(log)).frame["system"].unique().to_list() == ["dummy"]


def test_without_a_results_file_the_folder_names_the_model(tmp_path, log):
    found = only(tmp_path, {samples_name(SUMS): log[samples_name(SUMS)]})
    assert found.frame["system"].unique().to_list() == ["tiny/sum-strong"]
    assert found.frame["date"][0] == "2026-12-01T03:50:12"
    assert losses(found)["no_results_file"].count == 10
    assert found.log.reproductions == ()
    assert found.beside == ()
    (run,) = found.log.runs
    assert (run.harness, run.configuration, run.samples_held) == ("lm_eval", {}, 10)


def test_groups_that_list_a_task_are_named(tmp_path, log):
    log[RESULTS]["group_subtasks"] = {"tiny": [SUMS, MC], "sums": [SUMS], MC: []}
    assert only(tmp_path, of_sums(log)).frame["group"][0] == "tiny, sums"


def test_repeats_are_generated_and_not_scored(tmp_path, log):
    """EleutherAI/lm-evaluation-harness 3080."""
    loss = losses(only(tmp_path, of_sums(log)))["repeats_unscored"]
    assert loss.count == 10
    assert "answered 2 times and only the first answer is scored" in loss.text


def test_filters_that_combine_answers_are_named(tmp_path, log):
    steps = log[RESULTS]["configs"][SUMS]["filter_list"][1]["filter"]
    steps.insert(1, {"function": "majority_vote"})
    loss = losses(only(tmp_path, of_sums(log)))["repeats_unscored"]
    assert "flexible-extract may use all answers" in loss.text


def test_repeats_show_in_the_rows_where_there_is_no_results_file(tmp_path, log):
    rows = {samples_name(task): log[samples_name(task)] for task in (MC, SUMS)}
    mc, sums = tables(tmp_path, rows)
    assert "answered 2 times" in losses(sums)["repeats_unscored"].text
    assert "repeats_unscored" not in losses(mc)


# ------------------------------------------------------------------------------- what is not there


def test_a_limit_is_told(tmp_path, log):
    log[RESULTS]["n-samples"][SUMS] = {"original": 1319, "effective": 10}
    log[RESULTS]["config"]["limit"] = 10.0
    found = only(tmp_path, of_sums(log))
    loss = losses(found)["limited"]
    assert loss.count == 1309
    assert loss.text == "10 of 1,319 documents of the test were run (--limit 10)"
    assert found.log.runs[0].items_in_test == 1319
    assert len(found.frame) == 10


def test_documents_that_were_run_and_are_not_there_are_rows_without_scores(tmp_path, log):
    rows = [row for row in log[samples_name(SUMS)] if row["doc_id"] not in (3, 7)]
    found = only(tmp_path, of_sums(log, rows))
    loss = losses(found)["fewer_samples"]
    assert loss.count == 2
    assert loss.text == (
        "2 of 10 documents that were run are not in the file; doc_id 3 and 7: they stand as not_run"
    )
    assert found.frame["doc_id"].to_list()[-2:] == ["3", "7"]
    added = found.frame.filter(found.frame["status"] == "not_run")
    assert added["item"].to_list() == [f"{SUMS}/3", f"{SUMS}/7"]
    assert added[STRICT].null_count() == 2
    assert added["system"].to_list() == ["tiny/sum-strong"] * 2
    run = found.log.runs[0]
    assert (run.samples_claimed, run.samples_held) == (10, 8)
    assert {one.state for one in found.log.reproductions} == {"not_checked"}
    assert "2 of 10 documents are not in" in found.log.reproductions[0].note


@pytest.mark.parametrize("config", [{"limit": 10}, {"samples": {SUMS: [1]}}])
def test_documents_are_not_made_up_where_a_part_was_asked_for(tmp_path, log, config):
    log[RESULTS]["config"] |= config
    rows = [row for row in log[samples_name(SUMS)] if row["doc_id"] != 3]
    found = only(tmp_path, of_sums(log, rows))
    assert len(found.frame) == 9
    assert "which of them cannot be told" in losses(found)["fewer_samples"].text


def test_a_count_beyond_reason_makes_no_rows(tmp_path, log):
    log[RESULTS]["n-samples"][SUMS] = {"original": 10**12, "effective": 10**12}
    found = only(tmp_path, of_sums(log))
    assert len(found.frame) == 10
    assert losses(found)["fewer_samples"].count == 10**12 - 10


def test_tasks_without_a_samples_file_are_named(tmp_path, log):
    text = next(one.text for one in only(tmp_path, of_sums(log)).log.losses if one.code == "other")
    assert text == (
        f"2 further tasks of its results file have no samples file here: {MC} and {POLITE}"
    )


def test_a_results_file_alone_gives_its_figures_and_no_rows(tmp_path, log):
    log[RESULTS]["group_subtasks"] = {"tiny": [MC, SUMS]}
    log[RESULTS]["results"]["tiny"] = {"acc,none": 0.4}
    found = only(tmp_path, {RESULTS: log[RESULTS]})
    assert len(found.frame) == 0
    assert found.log.scores == ("acc,none", "acc_norm,none", STRICT, FLEXIBLE)
    assert set(found.log.scores) < set(found.frame.columns)
    assert losses(found)["header_only"].count == 3
    assert [one.task for one in found.log.runs] == [MC, POLITE, SUMS]
    assert {one.state for one in found.log.reproductions} == {"not_checked"}
    assert len(found.log.reproductions) == 13
    assert {one.samples_held for one in found.log.runs} == {0}


# ------------------------------------------------------------------------------- published figures


def test_scores_are_recomputed_from_saved_samples(tmp_path, log):
    """EleutherAI/lm-evaluation-harness 2949 and 1627."""
    found = only(tmp_path, of_sums(log))
    assert {key: one.recomputed for key, one in reproduced(found, SUMS).items()} == {
        STRICT: 0.5,
        FLEXIBLE: 0.8,
    }
    errors = reproduced(found, SUMS, "standard error")
    # sqrt(0.5 * 0.5 / 9) and sqrt(0.8 * 0.2 / 9)
    assert errors[STRICT].recomputed == pytest.approx(math.sqrt(0.25 / 9))
    assert errors[FLEXIBLE].recomputed == pytest.approx(math.sqrt(0.16 / 9))
    assert found.log.reproductions[0].file == f"{FOLDER}/{RESULTS}"


@pytest.mark.parametrize(
    ("published", "state"),
    [(0.5, "agrees"), (0.55, "close"), (0.6, "contradicts"), (50.0, "impossible")],
)
def test_a_published_share_that_rows_do_not_give(tmp_path, log, published, state):
    log[RESULTS]["results"][SUMS][STRICT] = published
    assert reproduced(only(tmp_path, of_sums(log)), SUMS)[STRICT].state == state


@pytest.mark.parametrize(
    ("factor", "state"), [(1, "agrees"), (math.sqrt(0.9), "close"), (1.5, "contradicts")]
)
def test_a_published_standard_error_that_rows_do_not_give(tmp_path, log, factor, state):
    """Within one document's part where n stands for n - 1; else it is another quantity."""
    log[RESULTS]["results"][SUMS]["exact_match_stderr,strict-match"] = factor / 6
    found = reproduced(only(tmp_path, of_sums(log)), SUMS, "standard error")
    assert found[STRICT].state == state


def test_figures_that_are_no_numbers_are_no_figures(tmp_path, log):
    log[RESULTS]["results"][SUMS] |= {
        "exact_match_stderr,strict-match": "N/A",
        STRICT: math.nan,
        "is_ok": True,
    }
    found = only(tmp_path, of_sums(log))
    assert [one.metric for one in found.log.reproductions] == [FLEXIBLE, FLEXIBLE]
    assert any("1 published figures are no numbers" in one.text for one in found.log.losses)


@pytest.mark.parametrize("aggregation", ["f1", "perplexity", "def agg(items):\n    return 1" * 9])
def test_what_is_no_mean_is_not_checked(tmp_path, log, aggregation):
    log[RESULTS]["configs"][SUMS]["metric_list"][0]["aggregation"] = aggregation
    for one in only(tmp_path, of_sums(log)).log.reproductions:
        assert one.state == "not_checked"
        assert one.note.startswith("it is no mean: ")


def test_an_aggregation_that_is_not_stated_is_tried_as_a_mean(tmp_path, log):
    rows = log[samples_name(SUMS)]
    for row in rows:
        row["own"] = row.pop("exact_match")
        row["metrics"] = ["own"]
    results = log[RESULTS]["results"]
    results[SUMS] = {"own,strict-match": 0.5, "own,flexible-extract": 0.1}
    found = only(tmp_path, of_sums(log)).log.reproductions
    assert [one.state for one in found] == ["agrees", "not_checked"]
    assert "does not say how it was summed up; the documents give 0.8" in found[1].note


def test_documents_without_a_score_are_read_both_ways(tmp_path, log):
    rows = log[samples_name(SUMS)]
    wrong = [row for row in rows if row["filter"] == "strict-match" and not row["exact_match"]]
    for row in wrong[:2]:
        row["exact_match"] = None
    found = reproduced(only(tmp_path, of_sums(log)), SUMS)[STRICT]
    assert (found.state, found.note) == ("agrees", "documents without a score count as 0")


def test_metrics_that_are_no_numbers_per_document_are_left_out(tmp_path, log):
    """Perplexities are pairs and bleu is a list of texts until they are summed up."""
    rows = log[samples_name(SUMS)]
    for row in rows:
        row |= {"word_perplexity": [-12.5, 7], "bleu": ["a", "b"], "said": "words"}
        row["metrics"] = ["exact_match", "word_perplexity", "bleu", "said"]
    log[RESULTS]["results"][SUMS] |= {"word_perplexity,strict-match": 12.1, "bleu,strict-match": 3}
    found = only(tmp_path, of_sums(log))
    assert found.log.scores == (STRICT, FLEXIBLE)
    assert found.unreadable["word_perplexity,strict-match"] == "lists or structures"
    assert found.unreadable["said,flexible-extract"] == "texts"
    assert not [name for name in found.frame.columns if name.startswith(("bleu", "said", "word"))]
    texts = [one.text for one in found.log.losses if one.code == "other"]
    assert sum("is left out: documents hold" in one for one in texts) == 6
    states = {one.metric: one.state for one in found.log.reproductions}
    assert states["word_perplexity,strict-match"] == states["bleu,strict-match"] == "not_checked"
    assert states[STRICT] == "agrees"


def with_group(log, published, error=None):
    results = log[RESULTS]
    results["group_subtasks"] = {"all": ["inner", MC], "inner": [POLITE], MC: []}
    results["results"]["all"] = {"alias": "all", "acc,none": published, "sample_len": 18}
    results["results"]["all"]["acc_stderr,none"] = "N/A" if error is None else error
    # documents 0 to 5 of the polite task: 12 and 6 documents
    rows = log[samples_name(POLITE)][:6]
    results["n-samples"][POLITE] = {"original": 6, "effective": 6}
    log[samples_name(POLITE)] = rows
    shares = [sum(row["acc"] for row in log[samples_name(task)]) for task in (MC, POLITE)]
    return {name: log[name] for name in (samples_name(MC), samples_name(POLITE), RESULTS)}, shares


def group_of(found, aggregation="mean"):
    return reproduced(found[0], "all", aggregation).get("acc,none")


def test_group_scores_are_read_by_document_and_by_task(tmp_path, log):
    """EleutherAI/lm-evaluation-harness 1352: 2 of 12 and `polite` of 6 documents."""
    files, (plain, polite) = with_group(log, 0.0)
    by_document, by_task = (plain + polite) / 18, (plain / 12 + polite / 6) / 2
    assert by_document != by_task
    group = log[RESULTS]["results"]["all"]
    for published, note in (
        (by_document, "weighted by documents"),
        (by_task, "every task weighs the same"),
    ):
        group["acc,none"] = published
        found = group_of(tables(tmp_path, files))
        assert (found.state, found.note, found.items) == ("agrees", note, 18)
    group["acc,none"] = 0.9
    assert group_of(tables(tmp_path, files)).state == "contradicts"


def test_group_errors_of_two_versions_are_told_apart(tmp_path, log):
    """EleutherAI/lm-evaluation-harness 1617: 0.4.1 mixed errors and variances of tasks."""
    files, (plain, polite) = with_group(log, 0.5)
    shares, sizes = (plain / 12, polite / 6), (12, 6)
    errors = [math.sqrt(p * (1 - p) / (n - 1)) for p, n in zip(shares, sizes, strict=True)]
    group = log[RESULTS]["results"]["all"]
    # 0.4.2 and newer: pooled within tasks
    pooled = sum((n - 1) * e**2 * n for n, e in zip(sizes, errors, strict=True)) / (18 - 2)
    group["acc_stderr,none"] = math.sqrt(pooled / 18)
    found = group_of(tables(tmp_path, files), "standard error")
    assert (found.state, found.note) == ("agrees", "within tasks, weighted by documents")
    # 0.4.1: weighted variances of the means plus the spread between tasks
    mean = (plain + polite) / 18
    group["acc_stderr,none"] = math.sqrt(
        (11 * errors[0] ** 2 + 5 * errors[1] ** 2) / 17
        + 12 * 6 / (18 * 17) * (mean - shares[1]) ** 2
    )
    assert group_of(tables(tmp_path, files), "standard error").state == "contradicts"


def test_a_group_with_tasks_that_are_not_here_is_not_checked(tmp_path, log):
    files, _ = with_group(log, 0.5)
    del files[samples_name(POLITE)]
    found = group_of(tables(tmp_path, files), "score")
    assert found.state == "not_checked"
    assert found.note == "1 of its 2 tasks are not whole, and once, among the files"


def test_groups_that_contain_each_other_end(tmp_path, log):
    files, _ = with_group(log, 0.5)
    log[RESULTS]["group_subtasks"]["inner"] = ["all", "inner", POLITE]
    assert group_of(tables(tmp_path, files)).items == 18


# ------------------------------------------------------------------------------------ older formats


def test_rows_of_old_logs_do_not_say_their_filter_and_are_refused_where_they_differ(tmp_path, log):
    """EleutherAI/lm-evaluation-harness 2025, fixed by PR 2517."""
    message = refused(tmp_path, of_sums(log, old(log[samples_name(SUMS)])))
    assert "rows of one document differ and the log does not say which filter" in message
    assert "row 11" in message
    assert "rows 1 and 11 are document 0" in message
    assert "lm_eval 0.4.7 or newer, or keep the rows of one filter" in message


def test_rows_of_old_logs_that_agree_are_one_and_counted(tmp_path, log):
    rows = old(log[samples_name(SUMS)], "strict-match")
    found = only(tmp_path, of_sums(log, rows + rows[:3]))
    assert len(found.frame) == 10
    assert found.log.scores == ("exact_match",)
    loss = next(one for one in found.log.losses if "they are one row" in one.text)
    assert loss.count == 3


def test_one_filter_of_an_old_log_reproduces_its_own_figure_and_contradicts_no_other(tmp_path, log):
    found = only(tmp_path, of_sums(log, old(log[samples_name(SUMS)], "strict-match")))
    states = {one.metric: one.state for one in found.log.reproductions if one.aggregation == "mean"}
    assert states == {STRICT: "agrees"}
    other = reproduced(found, SUMS, "score")[FLEXIBLE]
    assert other.state == "not_checked"
    assert "do not say which filter they belong to; the documents give 0.5" in other.note


def test_old_rows_have_a_hash_made_of_document_and_target(tmp_path, log):
    rows = old(log[samples_name(SUMS)], "strict-match")
    rows[1]["doc"], rows[1]["target"] = rows[0]["doc"], rows[0]["target"]
    rows[2]["target"] = "another"
    found = only(tmp_path, of_sums(log, rows)).frame
    assert "doc_hash" not in found.columns
    assert found["item_hash"].str.len_chars().unique().to_list() == [16]
    assert found["item_hash"][0] == found["item_hash"][1]
    assert found["item_hash"].n_unique() == 9
    assert found["text"].null_count() == 0


def test_metrics_of_old_rows_without_a_results_file_are_their_numbers(tmp_path, log):
    rows = old(log[samples_name(MC)])
    for row in rows:
        row |= {"acc": bool(row["acc"]), "note": "text", "more": {"a": 1}}
    found = only(tmp_path, {samples_name(MC): rows})
    assert found.log.scores == ("acc", "acc_norm")
    assert found.frame["acc"][0] == "true"
    assert found.log.values["true"] == 1.0


def test_published_names_before_0_4_have_no_comma(tmp_path, log):
    """evaleval/every_eval_ever PR 285: `acc_stderr` is no score."""
    log[RESULTS]["results"][MC] = {
        key.removesuffix(",none"): value for key, value in log[RESULTS]["results"][MC].items()
    }
    files = {samples_name(MC): old(log[samples_name(MC)]), RESULTS: log[RESULTS]}
    found = tables(tmp_path, files)[0]
    assert found.log.scores == ("acc", "acc_norm")
    assert set(reproduced(found, MC)) == {"acc", "acc_norm"}
    assert set(reproduced(found, MC, "standard error")) == {"acc", "acc_norm"}
    assert {one.state for one in found.log.reproductions} == {"agrees"}


def test_sample_len_stands_for_counts_before_they_were_stated(tmp_path, log):
    del log[RESULTS]["n-samples"]
    run = only(tmp_path, of_sums(log)).log.runs[0]
    assert (run.items_in_test, run.samples_claimed) == (None, 10)


def test_tasks_indented_in_old_results_are_found(tmp_path, log):
    log[RESULTS]["results"] = {f" - {key}": one for key, one in log[RESULTS]["results"].items()}
    assert len(reproduced(only(tmp_path, of_sums(log)), SUMS)) == 2


# ---------------------------------------------------------------------- which file belongs to which


def test_renamed_files_are_known_by_what_they_hold(tmp_path, log):
    files = {"a.jsonl": log[samples_name(SUMS)], "b.json": log[RESULTS]}
    found = only(tmp_path, files)
    # the digest of the documents is the one that the results file states for the task
    assert found.log.runs[0].task == SUMS
    assert found.beside == (f"{FOLDER}/b.json",)


def test_a_file_renamed_to_end_with_its_task_is_found(tmp_path, log):
    rows = old(log[samples_name(POLITE)])
    found = only(tmp_path, {f"gpt2_{POLITE}.jsonl": rows, "results.json": log[RESULTS]})
    assert found.log.runs[0].task == POLITE
    assert reproduced(found, POLITE)["acc"].state == "agrees"


def test_a_task_that_nothing_names_is_called_by_its_file(tmp_path, log):
    found = only(tmp_path, {"mine.jsonl": log[samples_name(SUMS)]})
    assert found.frame["item"][0] == "mine/0"
    assert any("the name of the file stands for it" in one.text for one in found.log.losses)


def test_two_runs_in_one_folder_keep_their_own_results(tmp_path, log):
    other = copy.deepcopy(log[RESULTS])
    other["lm_eval_version"] = "0.4.14"
    later = "2026-12-02T03-50-12.648970"
    files = of_sums(log) | {
        f"results_{later}.json": other,
        samples_name(SUMS, later): log[samples_name(SUMS)],
    }
    found = {one.file: one for one in tables(tmp_path, files)}
    assert len(found) == 2
    first, second = (found[f"{FOLDER}/{samples_name(SUMS, one)}"] for one in (STAMP, later))
    assert first.log.runs[0].harness == "lm_eval 0.4.13"
    assert second.log.runs[0].harness == "lm_eval 0.4.14"


def test_the_only_results_file_with_the_task_is_taken_and_its_other_time_is_told(tmp_path, log):
    files = {samples_name(SUMS): log[samples_name(SUMS)], "results_2026-12-03T01-01-01.json": log[
        RESULTS
    ]}  # fmt: skip
    found = only(tmp_path, files)
    assert len(reproduced(found, SUMS)) == 2
    assert any("another time stamp" in one.text for one in found.log.losses)
    files["results_2026-12-04T01-01-01.json"] = log[RESULTS]
    samples = tables(tmp_path, files)[0]
    assert "no_results_file" in losses(samples)


def test_results_of_another_folder_are_not_taken(tmp_path, log):
    one = written(tmp_path, {samples_name(SUMS): log[samples_name(SUMS)]})
    other = written(tmp_path, {RESULTS: log[RESULTS]}, "other__model")
    samples, header = read_lm_eval([*one, *other])
    assert "no_results_file" in losses(samples)
    assert "header_only" in losses(header)


def test_tables_stand_in_the_order_of_the_files(tmp_path, log):
    files = dict(reversed(log.items()))
    assert [one.log.runs[0].task for one in tables(tmp_path, files)] == [SUMS, POLITE, MC]


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("rows.csv", b"system,item\n", "no whole JSON object"),
        ("log.json", {"eval": {}, "results": {}}, "a mapping with eval, results"),
        ("log.eval", b"PK\x03\x04\x00\x00", "NUL bytes"),
        ("list.json", b"[1, 2]", "no JSON object"),
        ("empty.json", b"", "no whole JSON object"),
    ],
)
def test_files_that_are_neither_are_refused(tmp_path, name, content, found):
    message = refused(tmp_path, {name: content})
    assert f"{FOLDER}/{name}: this is no log of lm_eval" in message
    assert found in message
    assert "samples_<task>_<time>.jsonl and results_<time>.json" in message
    assert "--log_samples" in message


def test_every_damaged_file_is_named_at_once(tmp_path, log):
    files = {samples_name(MC): b"{", samples_name(SUMS): b"", RESULTS: b"[]"}
    assert refused(tmp_path, files).count("\n") == 2


# ------------------------------------------------------------------------------------ damaged input


def line_of(log, place=0):
    return json.dumps(log[samples_name(SUMS)][place]).encode()


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (lambda one: b"", ["holds no rows"]),
        (lambda one: b"\n \r\n", ["holds no rows"]),
        (lambda one: one + b"\n" + one[:300], ["row 2", "no whole JSON object", "cut off"]),
        (lambda one: one + b"\n\n[1]\n", ["row 2", "no JSON object", "a list of 1"]),
        (lambda one: b"[" + one + b"]", ["row 1", "one JSON list, not one object per line"]),
        (lambda one: one + b"\n" + b"\0" * 9, ["row 2", "NUL bytes"]),
        (lambda one: one.replace(b"37", b"\xe9"), ["row 1", "not UTF-8", "byte 0xe9"]),
        (lambda one: one.decode().encode("utf-16"), ["row 1", "NUL bytes"]),
        (lambda one: one[:-1] + b', "x": ' + b"[" * 10**5 + b"]" * 10**5 + b"}", ["too deep"]),
        (lambda one: one[:-1] + b', "x": ' + b"9" * 5000 + b"}", ["row 1", "too many digits"]),
        (lambda one: one[:-1] + b', "filter": "b"}', ["row 1", "stands twice", '"filter"']),
        (lambda one: one + b"\n" + one, ["row 2", "rows 1 and 2 are document 0 under", "strict"]),
        (lambda one: one.replace(b'"doc_id": 0', b'"doc_id": "0"'), ["doc_id is no whole number"]),
        (lambda one: one.replace(b'"doc_id": 0', b'"doc_id": true'), ["doc_id is no whole number"]),
        (lambda one: one.replace(b'"doc_id"', b'"id"'), ["row 1", "names no document"]),
        (lambda one: one.replace(b'"strict-match"', b"7"), ["row 1", "filter is no text"]),
        (lambda one: one.replace(b'["exact_match"]', b'"acc"'), ["metrics is no list of names"]),
        (lambda one: one.replace(b'"exact_match"', b'"' + b"a" * 300 + b'"'), ["name that is too"]),
    ],
)  # fmt: skip
def test_damaged_rows_are_refused_with_their_row(tmp_path, log, change, parts):
    message = refused(tmp_path, of_sums(log) | {samples_name(SUMS): change(line_of(log))})
    assert message.startswith(f"{FOLDER}/{samples_name(SUMS)}: ")
    assert all(part in message for part in parts), message


def test_ways_of_writing_the_same_rows(tmp_path, log):
    plain = encoded(log[samples_name(SUMS)])
    first = only(tmp_path, of_sums(log, plain))
    for content in (
        b"\xef\xbb\xbf" + plain,
        plain.replace(b"\n", b"\r\n"),
        plain.replace(b"\n", b"\n\n"),
        plain.rstrip(b"\n"),
    ):
        assert only(tmp_path, of_sums(log, content)).frame.equals(first.frame)
    packed = {f"{samples_name(SUMS)}.gz": gzip.compress(plain)}
    packed[f"{RESULTS}.gz"] = gzip.compress(encoded(log[RESULTS]))
    assert only(tmp_path, packed).frame.equals(first.frame)


def test_damaged_gzip_files_are_refused(tmp_path, log):
    packed = gzip.compress(encoded(log[samples_name(SUMS)]))
    for content in (packed[:-20], packed[:30], b"no gzip", packed[:50] + b"x" * 40 + packed[90:]):
        message = refused(tmp_path, {f"{samples_name(SUMS)}.gz": content})
        assert "the gzip file is damaged or cut off" in message


def test_gzip_bombs_are_refused_soon(tmp_path, monkeypatch):
    monkeypatch.setattr(json_lines, "MOST_BYTES", 10**6)
    monkeypatch.setattr(json_lines, "MOST_LINE", 10**5)
    monkeypatch.setattr(json_lines, "MOST_DOCUMENT", 10**5)
    monkeypatch.setattr(json_lines, "MOST_ROWS", 5000)
    for name, content, part in (
        ("samples_a.jsonl.gz", b" " * 10**6, "line 1 is too long"),
        ("samples_a.jsonl.gz", (b" " * 90_000 + b"\n") * 50, "the file is too large"),
        ("samples_a.jsonl.gz", b"\n" * 10_000, "the file is too large"),
        ("results.json.gz", b" " * 10**6, "more than 100,000 bytes"),
    ):
        assert part in refused(tmp_path, {name: gzip.compress(content)})


def test_columns_that_single_rows_bring_are_bounded(tmp_path, log, monkeypatch):
    monkeypatch.setattr(lm_eval_rows, "MOST_CELLS", 1000)
    monkeypatch.setattr(lm_eval_tables, "MOST_CELLS", 1000)
    rows = log[samples_name(SUMS)]
    rows[0]["doc"] |= {f"k{place}": 1 for place in range(200)}
    assert "too many fields" in refused(tmp_path, of_sums(log))


def test_numbers_as_texts_and_words_stay_as_they_are(tmp_path, log):
    rows = [row for row in log[samples_name(SUMS)] if row["filter"] == "strict-match"]
    for row, value in zip(rows, ["1.0", "True", "oops", 1, True, 0.1, "", None, "1e0", 0.0],
                          strict=True):  # fmt: skip
        row["exact_match"] = value
    found = only(tmp_path, of_sums(log, rows))
    assert found.frame[STRICT].to_list() == [
        "1.0", "True", "oops", "1", "true", "0.1", None, None, "1e0", "0.0",
    ]  # fmt: skip
    assert found.log.values["True"] == 1.0
    assert found.frame["status"].to_list() == ["ok"] * 6 + ["not_run"] * 2 + ["ok"] * 2


def test_nan_is_no_score_but_an_error_of_the_scorer(tmp_path, log):
    rows = [row for row in log[samples_name(SUMS)] if row["filter"] == "strict-match"]
    rows[1]["exact_match"], rows[2]["exact_match"] = math.nan, -math.inf
    found = only(tmp_path, of_sums(log, rows))
    assert found.frame[STRICT][1] is None
    assert found.frame[f"status:{STRICT}"].to_list()[1:3] == ["error", "error"]
    assert found.frame["status"].to_list()[1:3] == ["error", "error"]
    assert any(one.text.startswith("2 scores are no numbers") for one in found.log.losses)


def test_rows_about_other_documents_under_one_doc_id_are_refused(tmp_path, log):
    log[samples_name(SUMS)][12]["doc_hash"] = "other"
    message = refused(tmp_path, of_sums(log))
    assert "row 13" in message
    assert "rows of one doc_id are about different documents" in message


def test_files_of_two_versions_are_refused(tmp_path, log):
    rows = log[samples_name(SUMS)]
    message = refused(tmp_path, of_sums(log, rows + old(rows[:1])))
    assert "row 21" in message
    assert "some rows name their filter and others do not" in message


def test_a_metric_may_not_take_the_name_of_a_column(tmp_path, log):
    rows = [row | {"item": 1.0} for row in old(log[samples_name(MC)])]
    message = refused(tmp_path, {samples_name(MC): rows})
    assert 'a metric has the name of another column; found "item"' in message


@pytest.mark.parametrize("value", [None, 7, "x", [], [1], True, {"a": {"b": 1}}, -1, 1e400])
@pytest.mark.parametrize(
    "key",
    [
        "configs", "versions", "n-shot", "n-samples", "config", "date", "lm_eval_version",
        "task_hashes", "group_subtasks", "groups", "model_name", "chat_template", "git_hash",
    ],
)  # fmt: skip
def test_optional_facts_of_a_wrong_type_are_absent(tmp_path, log, key, value):
    log[RESULTS][key] = value
    assert len(only(tmp_path, of_sums(log)).frame) == 10


@pytest.mark.parametrize("value", [None, 7, [], {SUMS: 1}, {SUMS: None}])
def test_results_of_a_wrong_type_are_refused(tmp_path, log, value):
    log[RESULTS]["results"] = value
    message = refused(tmp_path, of_sums(log))
    assert RESULTS in message
    assert "results" in message


def test_half_characters_become_question_marks(tmp_path, log):
    log[samples_name(SUMS)][0]["doc"]["qid"] = "a\ud800"
    log[samples_name(SUMS)][1]["doc"]["qid"] = "\U0001f600"
    log[RESULTS]["model_name"] = "b\udfff"
    found = only(tmp_path, of_sums(log))
    assert found.frame["doc.qid"].to_list()[:2] == ["a?", "\U0001f600"]
    assert found.log.runs[0].system == "b?"


# ------------------------------------------------------------------------------------ seeded damage

ODD = (None, True, -1, 1e400, 2**70, "", "x", "1.0", "y" * 300, [], {}, [["[invalid]"]], "\ud800",
       {"a": {"b": 1}}, ["acc", "acc"], {"acc,none": 1})  # fmt: skip


def places(value, before=()):
    """Paths to every value inside, lists by their first three."""
    keys = value if isinstance(value, dict) else range(min(len(value), 3))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


def changed(value, draw):
    """A value with something inside removed or replaced."""
    value = copy.deepcopy(value)
    for _ in range(draw.choice((1, 1, 2, 5))):
        inside, key = draw.choice([*places(value)] or [({0: 0}, 0)])
        if draw.random() < 0.3:
            del inside[key]
        else:
            inside[key] = copy.deepcopy(draw.choice(ODD))
    return value


def cut(content, draw):
    """Bytes with some of them replaced, removed, doubled, or all behind a place cut off."""
    at = draw.randrange(len(content))
    end = at + draw.choice((1, 5, 900))
    return draw.choice(
        (
            content[:at],
            content[:at] + bytes([draw.randrange(256)]) + content[at + 1 :],
            content[:at] + content[end:],
            content[:end] + content[at:],
            content[:at]
            + draw.choice((b"\0", b"\xff", b"NaN", b'"', b"[[[", b"\n"))
            + content[at:],
        )
    )


def test_damage_is_read_or_refused_and_nothing_else(tmp_path, logs):
    started = time.monotonic()
    outcomes = {"read": 0, "refused": 0}
    for seed in range(250):
        draw = random.Random(seed)
        files = {name: encoded(one) for name, one in logs.items() if draw.random() < 0.8}
        for name in draw.sample(sorted(files), min(len(files), 1)):
            one = logs[name]
            if draw.random() < 0.4:
                files[name] = cut(files[name], draw)
            elif isinstance(one, dict):
                files[name] = encoded(changed(one, draw))
            else:
                files[name] = encoded([changed(row, draw) for row in one[: draw.choice((1, 20))]])
        try:
            found = tables(tmp_path, files)
        except DataError:
            outcomes["refused"] += 1
            continue
        outcomes["read"] += 1
        for one in found:
            assert set(one.log.scores) | set(one.log.statuses.values()) <= set(one.frame.columns)
            one.frame.write_csv()
    assert min(outcomes.values()) > 20, outcomes
    assert time.monotonic() - started < 20
