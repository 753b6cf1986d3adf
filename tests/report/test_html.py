import re

import pytest
from jinja2 import UndefinedError

from audit.report.html import environment, html_page
from audit.report.render import render
from audit.report.summary import summary_text
from audit.report.view import make_view
from tests.report import hostile
from tests.report.builders import CLAIMS, STUDY, evidence, verdicts
from tests.report.pages import fonts_of, open_pdf, tags_of, text_of


def test_the_page_is_one_file_that_requests_nothing(pages):
    page = pages.html.decode()
    for tag, attributes in tags_of(page):
        assert tag not in ("script", "link", "iframe", "object", "embed", "img", "base")
        for name in ("src", "href", "data", "action"):
            value = attributes.get(name) or "#"
            assert value.startswith("#"), (tag, value)
    assert set(re.findall(r"url\((.{5})", page)) <= {"data:", "#fore", "#rank", "#scor"}
    assert "@import" not in page
    assert "default-src 'none'" in page


def test_the_page_says_its_language_and_has_one_head(pages):
    tags = tags_of(pages.html.decode())
    assert ("html", {"lang": "en"}) in tags
    assert [tag for tag, _ in tags].count("h1") == 3


def test_ids_are_unique(pages):
    ids = [one["id"] for _, one in tags_of(pages.html.decode()) if "id" in one]
    assert len(ids) == len(set(ids))


def test_every_drawing_has_a_title(pages):
    page = pages.html.decode()
    drawings = re.findall(r"<svg[^>]*>(.{7})", page, re.DOTALL)
    assert len(drawings) >= 10
    assert set(drawings) == {"<title>"}


def test_no_chart_styles_the_page_around_it(pages):
    assert pages.html.decode().count("<style") == 1


def test_templates_escape_and_refuse_unknown_names():
    made = environment()
    assert made.from_string("{{ x }}").render(x="<b>") == "&lt;b&gt;"
    with pytest.raises(UndefinedError):
        made.from_string("{{ unknown }}").render()


def hostile_bundle(text):
    """The bundle with a text in every free field that reaches a page."""
    study = {
        **STUDY,
        "title": text[:2000],
        "decision": {**STUDY["decision"], "question": text[:2000], "owner": text[:2000]},
        "systems": {
            name: {**fields, "name": text, "version": text[:2000]}
            for name, fields in STUDY["systems"].items()
        },
        "sources": {"october": {**STUDY["sources"]["october"], "why": text[:2000]}},
    }
    claims = {
        name: {**fields, "statement": text[:2000], "warrant": text[:2000]}
        for name, fields in CLAIMS.items()
    }
    found = evidence(study=study, claims=claims)
    account = found.accounting[0]
    files = tuple(one.model_copy(update={"file": text}) for one in account.files)
    systems = tuple(
        one.model_copy(update={"names": (text,), "unscored": {text: 3}}) for one in account.systems
    )
    results = tuple(
        result.model_copy(
            update={
                "limits": (text,),
                "tables": tuple(
                    table.model_copy(
                        update={
                            "title": text,
                            "rows": tuple(
                                tuple(
                                    text if column == "task" else cell
                                    for column, cell in zip(table.columns, row, strict=True)
                                )
                                for row in table.rows
                            ),
                        }
                    )
                    for table in result.tables
                ),
            }
        )
        for result in found.results
    )
    changed = account.model_copy(update={"files": files, "systems": systems})
    return found.model_copy(
        update={"accounting": (changed,), "results": results, "assessment": found.assessment}
    )


def _checked(page):
    tags = tags_of(page)
    assert not {tag for tag, _ in tags} & {"script", "img", "object", "b", "link"}
    assert all(one["href"].startswith("#") for _, one in tags if one.get("href"))
    assert "root:x:0:0" not in page


@pytest.mark.parametrize("text", hostile.TEXTS.values(), ids=list(hostile.TEXTS))
def test_hostile_text_is_shown_as_text(text):
    view = make_view(hostile_bundle(text))
    _checked(html_page(view, ""))
    assert not re.search(r"(?<!\\)\]\(", summary_text(view))


GROUPS = {
    "markup": ("html", "file link", "attachment", "template", "style", "markdown"),
    "signs": ("right to left", "math", "control", "marks", "chinese", "surrogate"),
    "long": ("long",),
}


@pytest.mark.parametrize("group", GROUPS)
def test_hostile_text_is_printed_in_our_font_and_reads_nothing(group, attached):
    text = " ".join(hostile.TEXTS[name] for name in GROUPS[group])
    pages = render(hostile_bundle(text), attached)
    _checked(pages.html.decode())
    pdf = open_pdf(pages.pdf)
    assert set(pdf.attachments) == {"study.yaml", "evidence.json", "record.json"}
    assert all(name.startswith("Claimscope-Sans") for name in fonts_of(pdf))


def test_template_expressions_stay_as_written():
    text = text_of(html_page(make_view(hostile_bundle(hostile.TEMPLATE)), ""))
    assert "{{ 7 * 7 }}{% include '/etc/passwd' %}" in text


def test_verdict_words_are_those_of_the_bundle(pages):
    page = pages.html.decode()
    for one in verdicts():
        assert page.count(f'data-claim="{one.id}" data-verdict="{one.verdict}"') == 1
