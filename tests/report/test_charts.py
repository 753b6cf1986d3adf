import re

import pytest

from audit.report.charts.forest import forest
from audit.report.charts.ranks import rank_sets
from audit.report.charts.scores import scores_by_task
from audit.report.charts.style import Interval
from audit.report.marks import Strip, strip_svg, verdict_mark
from audit.report.reasons import VERDICT_WORDS
from tests.report import hostile

ROWS = [Interval("routine", 9, 5, 13, "+9"), Interval("dispute", 2, -6, 10, "+2")]


def draw(kind, text="a", title="A title"):
    rows = [Interval(text, row.value, row.lower, row.upper, text) for row in ROWS]
    if kind == "forest":
        return forest(rows, name="f", title=title, axis=text, bars=[3])
    if kind == "ranks":
        return rank_sets(rows, name="r", title=title, highlighted=[text], bar=1)
    return scores_by_task({text: rows, "b": rows}, name="s", title=title, axis=text)


KINDS = ("forest", "ranks", "scores")


@pytest.mark.parametrize("kind", KINDS)
def test_same_rows_same_text(kind):
    assert draw(kind) == draw(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_text_stays_text_in_our_font_at_final_size(kind):
    svg = draw(kind)
    assert svg.startswith("<svg")
    assert 'width="504.566929pt"' in svg
    assert set(re.findall(r'font-family="([^"]*)"', svg)) == {"'Claimscope Sans'"}
    assert "<metadata" not in svg
    assert "style=" not in svg


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", hostile.TEXTS.values(), ids=list(hostile.TEXTS))
def test_any_text_can_be_a_label(kind, text):
    svg = draw(kind, text, title=text[:300].replace("\ud800", ""))
    assert "<script" not in svg
    assert "<img" not in svg
    assert len(svg) < 60_000


def test_mathematics_is_not_set():
    assert "$\\frac{1}{0}$" in draw("forest", r"$\frac{1}{0}$")


def test_a_strip_names_its_bar_and_shades_the_wanted_side():
    svg = strip_svg(
        Strip(0.08, 0.05, 0.11, (0.03,), "above", (0.07, 0.09), True, ("<b>+3</b>",), "T & t")
    )
    assert "<title>T &amp; t</title>" in svg
    assert "&lt;b&gt;+3&lt;/b&gt;" in svg
    assert svg.count("<rect") == 1


@pytest.mark.parametrize("verdict", VERDICT_WORDS)
def test_marks_differ_in_form_and_carry_their_word(verdict):
    svg = verdict_mark(verdict, VERDICT_WORDS[verdict])
    assert f"<title>Mark: {VERDICT_WORDS[verdict]}</title>" in svg
    others = [verdict_mark(one, "x") for one in VERDICT_WORDS if one != verdict]
    assert verdict_mark(verdict, "x") not in others
