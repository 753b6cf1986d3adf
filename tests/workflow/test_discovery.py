"""Which studies a run finds, and in which folders it says what is wrong with the others."""

import json

import pytest

from audit.workflow import Broken, discover, prepare
from tests.workflow.house import STUDY, answers


def write_study(folder, name, text=None):
    folder.mkdir(parents=True)
    (folder / "study.yaml").write_text(text or STUDY.format(name=name))
    (folder / "answers.csv").write_text(answers())
    return str(folder / "study.yaml")


def why(build, study):
    return "\n".join(json.loads((build.out / study.name / "broken.json").read_bytes())["lines"])


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_folders_with_a_study_are_found_in_order_and_others_are_named(here, capsys):
    for name in ("two", "one", ".hidden", "_draft"):
        write_study(here / "specs" / name, name)
    (here / "specs" / "notes").mkdir()
    assert [path.parent.name for path in discover(here / "specs")] == ["one", "two"]
    assert "notes: no study.yaml: left out" in capsys.readouterr().err


def test_no_specs_folder_is_no_study(here):
    assert discover(here / "specs") == []


@pytest.mark.parametrize("first", ["broken", "ready"])
def test_a_ready_study_keeps_its_folder_beside_a_broken_one_of_the_same_name(here, first):
    broken = write_study(here / "x" / "one", "one", "schema: 2\n")
    ready = write_study(here / "y" / "one", "one")
    paths = [broken, ready] if first == "broken" else [ready, broken]
    build = prepare({"studies": paths, "out": "results"})
    assert [study.name for study in build.ready] == ["one"]
    assert build.broken == (Broken("one_"),)
    assert not (here / "results" / "one" / "broken.json").exists()
    assert broken.replace(f"{here}/", "") in why(build, build.broken[0])


def test_two_broken_studies_of_the_same_name_both_say_why(here):
    paths = [write_study(here / name / "one", "one", "schema: 2\n") for name in ("x", "y")]
    build = prepare({"studies": paths, "out": "results"})
    assert build.targets() == ["results/one/accepted", "results/one_/accepted"]
    for path, study in zip(paths, build.broken, strict=True):
        assert path in why(build, study)


def test_a_second_study_of_the_same_name_is_refused_and_the_first_one_made(here):
    paths = [write_study(here / name / "one", "one") for name in ("x", "y")]
    build = prepare({"studies": paths, "out": "results"})
    assert [study.name for study in build.ready] == ["one"]
    assert "another study of this run has the same name" in why(build, build.broken[0])


def test_a_folder_named_upwards_has_its_own_name(here, monkeypatch):
    write_study(here / "one", "one", "schema: 2\n")
    (here / "one" / "deep").mkdir()
    monkeypatch.chdir(here / "one" / "deep")
    build = prepare({"studies": [".."], "out": "results"})
    assert build.broken == (Broken("one"),)


def test_a_repaired_study_is_no_longer_refused(here):
    path = write_study(here / "one", "one", "schema: 2\n")
    prepare({"studies": [path], "out": "results"})
    (here / "one" / "study.yaml").write_text(STUDY.format(name="one"))
    build = prepare({"studies": [path], "out": "results"})
    assert not build.broken
    assert not (here / "results" / "one" / "broken.json").exists()
