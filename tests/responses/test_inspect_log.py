"""Inspect logs: what the shared ones hold, each trap, and damage that is refused or counted."""

import contextlib
import copy
import json
import os
import random
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from audit.errors import DataError
from audit.responses.readers.inspect_log import read_inspect
from audit.spec.files import ResolvedFile

ROOT = Path(__file__).resolve().parents[2]
LOGS = Path(os.environ.get("AUDIT_SHARED_DATA") or ROOT.parent / "shared" / "data") / "logs"
INSPECT = LOGS / "inspect"

pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not INSPECT.is_dir(), reason="the shared data is not here"),
]


def path_of(folder, name="*"):
    return next(one for one in sorted((INSPECT / folder).glob(name)) if one.suffix != ".md")


def read(*paths):
    return read_inspect([ResolvedFile(path.name, path) for path in paths])


def one(path):
    (found,) = read(path)
    return found


def counts(found):
    return dict(found.frame["status"].value_counts().iter_rows())


def figures(found):
    return {
        (each.metric, each.aggregation): (each.state, round(each.published, 3))
        for each in found.log.reproductions
    }


def losses(found):
    return {each.code: each.count for each in found.log.losses}


@pytest.fixture(scope="module")
def plain():
    """The smallest log with everything: 12 samples, one of them errored, two scorers."""
    return json.loads(path_of("dict_score_1epoch").read_bytes())


def written(folder, log, name="log.json"):
    path = folder / name
    path.write_text(json.dumps(log))
    return path


def refused(path):
    with pytest.raises(DataError) as caught:
        read(path)
    return str(caught.value)


# ------------------------------------------------------------------------------ the shared logs


@pytest.mark.parametrize(
    ("folder", "statuses", "scores"),
    [
        ("match_3epochs_plain", {"ok": 33, "error": 3}, ("match",)),
        ("match_3epochs_polite", {"ok": 33, "error": 3}, ("match",)),
        ("graded_CPIN_2epochs", {"ok": 22, "error": 2}, ("graded",)),
        ("dict_score_1epoch", {"ok": 11, "error": 1}, ("multi.brevity", "multi.exact")),
        ("reducers_4epochs", {"ok": 44, "error": 4}, ("match",)),
        ("aborted_status_error", {"ok": 7, "error": 2, "not_run": 3}, ("match", "graded")),
    ],
)
def test_statuses_of_the_shared_logs(folder, statuses, scores):
    found = one(path_of(folder))
    assert counts(found) == statuses
    assert found.log.scores == scores


@pytest.mark.parametrize(
    ("name", "items", "size"),
    [("data_arc_qwen.json", 3, 2376), ("data_pubmedqa_gpt4o_mini.json", 2, 500)],
)
def test_real_logs_ran_a_part_of_their_test_and_are_read_under_any_name(name, items, size):
    """Inspect's own directory readers would skip these: their names are no time stamps."""
    found = one(INSPECT / "real_models" / name)
    assert len(found.frame) == items
    assert losses(found) == {"limited": items}
    (run,) = found.log.runs
    assert (run.items_in_test, run.samples_claimed, run.samples_held) == (size, items, items)
    assert set(found.frame["item"]) <= {"1", "2", "3", "12377809", "26163474"}


def test_an_errored_sample_is_a_row_although_the_log_says_success():
    """36 samples, 33 completed; the accuracy is over 11 items, not 12."""
    found = one(path_of("match_3epochs_plain"))
    lost = found.frame.filter(found.frame["status"] == "error")
    assert set(lost["item"]) == {"add-07"}
    assert lost["match"].null_count() == 3
    accuracy = next(each for each in found.log.reproductions if each.aggregation == "accuracy")
    assert (accuracy.items, accuracy.state) == (11, "agrees")


def test_three_reducers_give_three_accuracies_and_no_further_rows():
    found = one(path_of("reducers_4epochs"))
    assert len(found.frame) == 48
    assert figures(found) == {
        ("match", "accuracy after mean"): ("agrees", 0.614),
        ("match", "accuracy after at_least_2"): ("agrees", 0.909),
        ("match", "accuracy after pass_at_2"): ("agrees", 0.879),
        ("match", "stderr after mean"): ("agrees", 0.062),
        ("match", "stderr after at_least_2"): ("agrees", 0.091),
        ("match", "stderr after pass_at_2"): ("agrees", 0.045),
    }


def test_letters_keep_their_text_and_have_their_numbers():
    found = one(path_of("graded_CPIN_2epochs"))
    assert set(found.frame["graded"].drop_nulls()) == {"C", "P", "I", "N"}
    assert [found.log.values[letter] for letter in "CPIN"] == [1, 0.5, 0, 0]
    assert {state for state, _ in figures(found).values()} == {"agrees"}


def test_a_run_that_ended_early_has_rows_for_what_it_never_ran():
    found = one(path_of("aborted_status_error"))
    (run,) = found.log.runs
    assert (run.state, run.samples_claimed, run.samples_held) == ("error", 12, 9)
    assert losses(found) == {"unfinished": 3}
    assert found.log.reproductions == ()


def test_epochs_are_attempts_and_framing_is_a_column():
    found = one(path_of("match_3epochs_polite"))
    assert set(found.frame["attempt"]) == {"0", "1", "2"}
    assert set(found.frame["task_args.framing"]) == {"polite"}
    assert found.log.runs[0].configuration["task_args.framing"] == "polite"


def test_costs_dates_and_contents():
    frame = one(path_of("match_3epochs_plain")).frame
    for column in ("tokens_in", "tokens_out", "latency_s", "date", "item_hash", "text"):
        assert not frame.filter(frame["status"] == "ok")[column].null_count()
    assert frame.select("item", "item_hash").unique().height == 12


def test_an_eval_log_and_its_json_form_are_one_table(tmp_path):
    from inspect_ai.log import read_eval_log, write_eval_log

    path = path_of("graded_CPIN_2epochs")
    write_eval_log(read_eval_log(str(path)), str(tmp_path / "log.json"), format="json")
    packed, plain = one(path), one(tmp_path / "log.json")
    assert sorted(packed.frame.columns) == sorted(plain.frame.columns)
    key = ["item", "attempt"]
    assert packed.frame.sort(key).equals(plain.frame.select(packed.frame.columns).sort(key))
    assert packed.log.runs[0].configuration == plain.log.runs[0].configuration


def test_a_log_in_two_forms_would_count_twice(tmp_path):
    source = path_of("dict_score_1epoch")
    shutil.copy(source, tmp_path / "a.json")
    shutil.copy(source, tmp_path / "b.json")
    with pytest.raises(DataError, match=r"b\.json: this log stands there twice; found \"a\.json\""):
        read(tmp_path / "a.json", tmp_path / "b.json")


def test_without_the_library_an_eval_log_is_refused_plainly(monkeypatch):
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    message = refused(path_of("match_3epochs_plain"))
    assert 'pip install "claimscope[inspect]"' in message
    assert "convert --to json" in message


# -------------------------------------------------------------------------------- made from them


def test_a_retried_run_is_named(tmp_path, plain):
    again = copy.deepcopy(plain)
    again["eval"]["eval_id"] = "other"
    first, second = written(tmp_path, plain, "a.json"), written(tmp_path, again, "b.json")
    assert losses(read(first, second)[1]) == {"retried": 12}


def test_a_log_with_a_header_only_has_figures_and_no_rows(tmp_path, plain):
    log = copy.deepcopy(plain)
    del log["samples"]
    found = one(written(tmp_path, log))
    assert len(found.frame) == 0
    assert losses(found) == {"header_only": 12}
    assert {each.state for each in found.log.reproductions} == {"not_checked"}


def test_samples_that_were_taken_out_are_missed(tmp_path, plain):
    """One failure gone from the file: the figure no longer follows from the rest, 8 of 10.

    With the errored sample as wrong it would be 8 of 11, as published: Inspect does not count so.
    """
    log = copy.deepcopy(plain)
    wrong = [
        s for s in log["samples"] if s["scores"] and s["scores"]["multi"]["value"]["exact"] == "I"
    ]
    log["samples"] = [each for each in log["samples"] if each is not wrong[0]]
    found = one(written(tmp_path, log))
    assert losses(found) == {"fewer_samples": 1}
    assert counts(found)["not_run"] == 1
    assert figures(found)["multi.exact", "accuracy"][0] == "close"


def test_limits_refusals_and_scores_without_a_number(tmp_path, plain):
    log = copy.deepcopy(plain)
    ok = [each for each in log["samples"] if each.get("scores")]
    ok[0]["limit"] = {"type": "time", "limit": 1}
    ok[1]["limit"] = {"type": "token", "limit": 1}
    ok[2]["scores"] = {}
    ok[2]["output"]["choices"][0]["stop_reason"] = "content_filter"
    ok[3]["scores"]["multi"]["value"]["exact"] = float("nan")
    ok[4]["scores"] = None
    found = one(written(tmp_path, log))
    assert counts(found) == {
        "ok": 7, "error": 1, "timeout": 1, "limit": 1, "refused": 1, "not_run": 1,
    }  # fmt: skip
    lone = found.frame.filter(found.frame["item"] == ok[3]["id"])
    assert lone[found.log.statuses["multi.exact"]].to_list() == ["error"]
    assert lone["multi.exact"].to_list() == [None]
    # a limit that was hit keeps the score that was given
    assert found.frame.filter(found.frame["status"] == "timeout")["multi.exact"].null_count() == 0


def test_marks_of_invalid_runs_and_retries_are_counted(tmp_path, plain):
    log = copy.deepcopy(plain)
    log["invalidated"] = True
    log["samples"][0]["error_retries"] = [{"message": "again"}]
    assert losses(one(written(tmp_path, log))) == {"invalidated": 12, "retried": 1}


def test_secrets_and_hosts_stay_out_of_the_configuration(tmp_path, plain):
    log = copy.deepcopy(plain)
    log["eval"]["model_args"] = {"api_key": "s3cret", "revision": "main"}
    log["eval"]["model_base_url"] = "http://10.0.0.1"
    log["plan"]["config"] = {"temperature": 0.5, "max_connections": 7}
    found = one(written(tmp_path, log))
    configuration = found.log.runs[0].configuration
    assert configuration["model_args.revision"] == "main"
    assert configuration["generate.temperature"] == "0.5"
    assert "s3cret" not in str(configuration) + str(found.frame.to_dict(as_series=False))
    assert "max_connections" not in str(configuration)
    assert "10.0.0.1" not in str(configuration)


# --------------------------------------------------------------------------------------- damage


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is cut off"),
        (b"{", "the file is cut off"),
        (b"[]", "this is no whole JSON object"),
        (b"{}", "this is no log of Inspect"),
        (b'{"eval": {"model": "m"}} x', "something stands behind"),
        (b'{"eval": {"model": "m"}, "eval": {}}', "a key stands twice"),
        (b'{"eval": \xff}', "not UTF-8"),
        (b'{"eval": "\0"}', "NUL"),
        (b'{"eval": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deep"),
        (b'{"eval": {"model": "m"}, "samples": [7]}', "sample 1: a sample is no object"),
        (b'{"eval": {"model": "m"}, "samples": [{"id": null}]}', "sample 1: the sample has no id"),
        (b'{"eval": {"model": "m"}, "samples": [{"id": 1, "epoch": "x"}]}', "sample 1: the epoch"),
        (b'{"eval": {"model": "m"}, "samples": [{"id": 1}', "the file is cut off"),
        (b'{"eval": {"model": "m"}, "samples": [{"id": 1', "samples 1"),
    ],
)  # fmt: skip
def test_damaged_json_is_refused_with_its_place(tmp_path, content, message):
    path = tmp_path / "log.json"
    path.write_bytes(content)
    found = refused(path)
    assert "log.json" in found
    assert message in found


def test_long_fields_and_numbers_across_chunks(tmp_path):
    sample = {
        "id": "a" * 10,
        "epoch": 1,
        "input": "x" * 3_000_000,
        "scores": {"m": {"value": 0.25}},
    }
    path = written(tmp_path, {"eval": {"model": "m", "task": "t"}, "samples": [sample] * 3})
    found = one(path)
    assert found.frame["m"].to_list() == ["0.25"] * 3
    assert losses(found)["texts_left_out"] == 3


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path):
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", b"0" * (300 << 20))
    assert "unpack to too much" in refused(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive"])
def test_what_is_no_archive(tmp_path, content):
    path = tmp_path / "log.eval"
    path.write_bytes(content)
    assert "no whole .eval log" in refused(path)


def test_other_endings_are_refused(tmp_path):
    path = tmp_path / "log.txt"
    path.write_text("{}")
    assert "allowed: .json, .json.gz, .eval" in refused(path)


def mutated(content, generator):
    """Bytes flipped, cut out, doubled or cut off."""
    raw = bytearray(content)
    for _ in range(generator.randint(1, 4)):
        if not raw:
            break
        at, size = generator.randrange(len(raw)), generator.randint(1, 40)
        kind = generator.randrange(4)
        if kind == 0:
            raw[at] = generator.randrange(256)
        elif kind == 1:
            del raw[at : at + size]
        elif kind == 2:
            raw[at:at] = raw[at : at + size]
        else:
            del raw[max(at, 1) :]
    return bytes(raw)


def swapped(value, generator):
    """The same structure with some values of another kind."""
    if generator.random() < 0.01:
        return generator.choice(
            [None, True, -1, 2.5, "x", [], {}, [1], {"a": 1}, float("nan"), 1e999]
        )
    if isinstance(value, dict):
        return {key: swapped(each, generator) for key, each in value.items()}
    return [swapped(each, generator) for each in value] if isinstance(value, list) else value


def survives(path):
    """Read it, or refuse it; anything else is a fault."""
    with contextlib.suppress(DataError):
        read(path)


def test_mutated_json_is_read_or_refused(tmp_path, plain):
    generator = random.Random(20261205)
    for folder in ("events", "attachments"):
        plain.pop(folder, None)
    for sample in plain["samples"]:
        sample.pop("events", None)
    content = json.dumps(plain).encode()
    path = tmp_path / "log.json"
    for _ in range(300):
        path.write_bytes(mutated(content, generator))
        survives(path)
    for _ in range(300):
        written(tmp_path, swapped(plain, generator))
        survives(path)


def test_mutated_archives_are_read_or_refused(tmp_path):
    generator = random.Random(20261206)
    content = path_of("graded_CPIN_2epochs").read_bytes()
    path = tmp_path / "log.eval"
    for _ in range(20):
        path.write_bytes(mutated(content, generator))
        survives(path)
