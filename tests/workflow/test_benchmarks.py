"""What the benchmark measures is what it says: the same study, the same graph, every step."""

import shutil

from audit.analyses.comparison import evaluate
from audit.modules import STEPS
from tests.benchmarks.forks import FORKS
from tests.benchmarks.pipeline import emptied, fork_runner, house_with, steps
from tests.benchmarks.wide_study import write_wide_study
from tests.workflow.house import jobs


def test_simulated_study_is_the_same_each_time(tmp_path):
    one, two = (write_wide_study(tmp_path / name).parent for name in ("one", "two"))
    assert sorted(path.name for path in one.iterdir()) == ["responses.csv", "study.yaml"]
    for path in one.iterdir():
        assert path.read_bytes() == (two / path.name).read_bytes()


def test_simulated_study_has_70_systems_and_1000_items_and_no_mistakes(finished, tmp_path):
    done = finished.audit("check", str(write_wide_study(tmp_path)))
    assert done.returncode == 0, done.stderr
    assert "70000 rows, 1000 items read" in done.stdout + done.stderr


def test_every_step_is_timed_as_the_workflow_calls_it(finished):
    assert {verb for verb, _ in steps(finished)} == set(STEPS)


def test_empty_steps_run_the_same_graph(finished, tmp_path):
    empty = emptied(finished, tmp_path / "empty")
    shutil.rmtree(empty.results)
    done = empty.run()
    assert done.returncode == 0, done.stdout
    assert {rule for _, rule in jobs(done.stdout)} == set(STEPS)
    made, real = (
        {path for path in house.contents("one", "two") if "/figures/" not in path}
        for house in (empty, finished)
    )
    assert made == real


def test_forks_answer_every_request_of_a_ranked_study(tmp_path, monkeypatch):
    study = write_wide_study(tmp_path / "studies", systems=6, items=90)
    house = house_with(tmp_path / "house", study)
    done = house.run("--until", "comparison")
    assert done.returncode == 0, done.stdout
    answered = []

    def recorded(responses, choices):
        answered.append((choices, evaluate(responses, choices)))

    monkeypatch.setattr("tests.benchmarks.forks.evaluate", recorded)
    fork_runner(house.results / "wide", "simulated")()
    assert len(answered) == FORKS * len({choices.request.id for choices, _ in answered})
    assert len({tuple(one.share for one in choices.weights) for choices, _ in answered}) == FORKS
    fields = {choices.request.among for choices, _ in answered if choices.request.among}
    assert len(fields) == 5, "each of the five others is left out"
    whole = [found.missing_items for choices, found in answered if choices.request.id == "pair.1"]
    assert max(whole[::2]) > 0, "the study's rules leave errors open"
    assert max(whole[1::2]) == 0, "counted as wrong, they are no longer open"
