"""Files that a study names: found in its folder or a named root, refused anywhere else."""

import os
import random

import pytest

from audit.errors import DataError
from audit.spec.files import declared_problem, resolve_files


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "study"
    for name in ("b.csv", "a.csv", "deep/c.csv", "deep/er/d.csv", ".hidden.csv", "e.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.csv").write_text("secret")
    return folder


def found(home, *declared, **roots):
    return [one.declared for one in resolve_files(declared, home, roots)]


def refusal(home, *declared, **roots):
    with pytest.raises(DataError) as caught:
        resolve_files(declared, home, roots)
    return str(caught.value)


@pytest.mark.parametrize(
    ("declared", "names"),
    [
        (("b.csv", "a.csv"), ["b.csv", "a.csv"]),
        (("*.csv",), ["a.csv", "b.csv"]),
        (("[ab].csv",), ["a.csv", "b.csv"]),
        (("?.csv", "a.csv"), ["a.csv", "b.csv"]),
        (("deep/*.csv",), ["deep/c.csv"]),
        (("**/*.csv",), ["a.csv", "b.csv", "deep/c.csv", "deep/er/d.csv"]),
        (("deep/**",), ["deep/c.csv", "deep/er/d.csv"]),
        (("./deep/c.csv",), ["deep/c.csv"]),
        ((".hidden.csv",), [".hidden.csv"]),
        (("ROOT:secret.csv",), ["ROOT:secret.csv"]),
        (("ROOT:*.csv", "a.csv"), ["ROOT:secret.csv", "a.csv"]),
    ],
)
def test_found(home, tmp_path, declared, names):
    assert found(home, *declared, ROOT=tmp_path / "outside") == names


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ("nothing.csv", "nothing.csv: the file cannot be found"),
        ("*.parquet", "*.parquet: no file matches"),
        ("../outside/secret.csv", "paths that leave the folder (..) are refused"),
        ("deep/../../outside/secret.csv", "paths that leave the folder (..) are refused"),
        ("/etc/passwd", "absolute paths are refused"),
        ("~/x", "absolute paths are refused"),
        ("OTHER:x.csv", "the root OTHER is not known; found ROOT"),
        ("ROOT:../x.csv", "paths that leave the folder (..) are refused"),
        ("ROOT:/x.csv", "absolute paths are refused"),
        ("ROOT:", "the path is empty"),
        ("a\\b.csv", "a path is written with /"),
        ("a\nb.csv", "not printable"),
        ("deep", "this is a folder"),
        (".", "this is a folder"),
        ("x" * 5000, "the file cannot be found"),
    ],
)
def test_refused(home, tmp_path, declared, message):
    said = refusal(home, declared, ROOT=tmp_path / "outside")
    assert message in said
    assert len(said) < 400


def test_links_that_leave_are_refused(home, tmp_path):
    (home / "link.csv").symlink_to(tmp_path / "outside" / "secret.csv")
    (home / "linked").symlink_to(tmp_path / "outside")
    (home / "loop").symlink_to(home)
    assert "a link leaves the folder" in refusal(home, "link.csv")
    assert "a link leaves the folder" in refusal(home, "linked/secret.csv")
    assert "a link leaves the folder" in refusal(home, "l*.csv")
    assert found(home, "**/c.csv") == ["deep/c.csv"]


def test_links_that_stay_are_fine(home):
    (home / "alias.csv").symlink_to("deep/c.csv")
    assert found(home, "alias.csv") == ["alias.csv"]
    assert found(home, "alias.csv", "deep/c.csv") == ["alias.csv"]


def test_special_files_are_refused(home):
    os.mkfifo(home / "pipe.csv")
    assert "this is no regular file" in refusal(home, "pipe.csv")


def test_every_refusal_at_once(home):
    with pytest.raises(DataError) as caught:
        resolve_files(("x.csv", "/y", "a.csv", "z*"), home, {})
    assert len(caught.value.issues) == 3


def test_order_does_not_depend_on_the_disk(tmp_path):
    names = [f"{n}.csv" for n in range(50)]
    for folder, order in (("one", names), ("two", random.Random(1).sample(names, 50))):
        (tmp_path / folder).mkdir()
        for name in order:
            (tmp_path / folder / name).write_text("")
    assert found(tmp_path / "one", "*") == found(tmp_path / "two", "*") == sorted(names)


def test_exponential_globs_end(tmp_path):
    deep = tmp_path
    for _ in range(12):
        deep = deep / "a"
        deep.mkdir()
    assert "no file matches" in refusal(tmp_path, "/".join(["**"] * 60 + ["x"]))


@pytest.mark.parametrize("declared", ["a.csv", "ROOT:a.csv", "a b/ü.csv", "a:b.csv", "...csv"])
def test_plain_names_have_no_problem(declared):
    assert declared_problem(declared) is None
