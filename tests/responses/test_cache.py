"""What a log gave is kept by its content, and nothing else decides what is taken from there."""

import json
import os

import pytest

from audit.responses import cache
from audit.responses.readers.inspect_log import read_inspect
from audit.spec.files import ResolvedFile


@pytest.fixture
def kept(tmp_path, monkeypatch):
    where = tmp_path / "cache"
    monkeypatch.setenv(cache.VARIABLE, str(where))
    monkeypatch.setattr(cache, "_SMALL", 1)
    return where


def written(folder, score="C"):
    path = folder / "log.json"
    sample = {"id": 1, "epoch": 1, "input": "2+2", "scores": {"m": {"value": score}}}
    log = {"eval": {"model": "m", "task": "t"}, "status": "success", "samples": [sample]}
    path.write_text(json.dumps(log))
    return ResolvedFile("log.json", path)


class Counted:
    calls = 0

    def __call__(self, files):
        self.calls += 1
        return read_inspect(files)


def same(one, two):
    return (
        one.frame.equals(two.frame)
        and (one.file, one.beside, dict(one.unreadable)) == (two.file, two.beside, two.unreadable)
        and one.log == two.log
    )


def test_the_second_reading_is_taken_and_is_the_same(tmp_path, kept):
    file, reader = written(tmp_path), Counted()
    first, second = (cache.cached("inspect", reader, [file])[0] for _ in range(2))
    assert reader.calls == 1
    assert same(first, second)


def test_other_content_is_read(tmp_path, kept):
    reader = Counted()
    cache.cached("inspect", reader, [written(tmp_path)])
    (other,) = cache.cached("inspect", reader, [written(tmp_path, "I")])
    assert reader.calls == 2
    assert other.frame["m"].to_list() == ["I"]


@pytest.mark.parametrize("damage", ["facts.json", "0.parquet"])
def test_a_damaged_entry_is_made_again(tmp_path, kept, damage):
    file, reader = written(tmp_path), Counted()
    cache.cached("inspect", reader, [file])
    (entry,) = kept.iterdir()
    (entry / damage).write_bytes(b"{}")
    (again,) = cache.cached("inspect", reader, [file])
    assert reader.calls == 2
    assert again.frame["m"].to_list() == ["C"]


def test_entries_used_longest_ago_go_first(tmp_path, kept, monkeypatch):
    reader = Counted()
    cache.cached("inspect", reader, [written(tmp_path)])
    (old,) = kept.iterdir()
    os.utime(old, (1, 1))
    monkeypatch.setattr(cache, "MOST_BYTES", sum(one.stat().st_size for one in old.iterdir()) + 10)
    cache.cached("inspect", reader, [written(tmp_path, "I")])
    assert not old.exists()
    assert len(list(kept.iterdir())) == 1


def test_nothing_is_kept_when_it_is_off_or_cannot_be_written(tmp_path, kept, monkeypatch):
    monkeypatch.setenv(cache.VARIABLE, "off")
    assert len(cache.cached("inspect", read_inspect, [written(tmp_path)])) == 1
    assert not kept.exists()
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file" / "below"))
    assert len(cache.cached("inspect", read_inspect, [written(tmp_path)])) == 1
