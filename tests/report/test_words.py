import unicodedata

import pytest

from audit.report.fonts import drawable, replace_undrawable
from audit.report.words import clip, listed, listed_clipped, visible
from tests.report import hostile


@pytest.mark.parametrize("text", hostile.TEXTS.values(), ids=list(hostile.TEXTS))
def test_nothing_hidden_survives(text):
    shown = visible(text[:3000])
    assert not [one for one in shown if unicodedata.category(one) in ("Cc", "Cf", "Cs", "Co")]


def test_direction_overrides_are_spelled_out():
    assert visible("a\u202eb") == "a\\u202eb"


def test_combining_marks_beyond_two_are_spelled_out():
    assert "\\u0337" in visible(hostile.MARKS)


@pytest.mark.parametrize("limit", [10, 40, 200])
def test_clip_keeps_to_its_limit(limit):
    for text in hostile.TEXTS.values():
        assert len(clip(text, limit)) <= limit


def test_clip_leaves_short_text_alone_and_marks_cuts():
    assert clip("short text", 40) == "short text"
    assert clip("several words that go on", 12) == "several…"


def test_what_the_font_lacks_is_named():
    shown = replace_undrawable("a 中文 b")
    assert shown == "a [U+4E2D U+6587] b"
    assert {ord(one) for one in shown} <= drawable()


def test_long_runs_are_counted():
    assert "and 78 more" in replace_undrawable(hostile.CHINESE)


def test_lists():
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed_clipped(["a", "b", "c", "d"], 3) == "a, b and 2 more"
