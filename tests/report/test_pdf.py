import hashlib
import os
import subprocess
import sys

import pytest

from audit.report.pdf import RequestRefused, page_count, pdf_bytes
from tests.report.pages import fonts_of, open_pdf, structure

SCRIPT = """
import hashlib, sys
from audit.report.render import Attachments, render
from tests.report.builders import evidence
pages = render(evidence(), Attachments(b"schema: 1\\n", b'{"evidence": 1}\\n', b'{"record": 1}\\n'))
for content in (pages.pdf, pages.html, pages.summary, *pages.figures.values()):
    print(hashlib.sha256(content).hexdigest())
"""


@pytest.fixture(scope="module")
def pdf(pages):
    return open_pdf(pages.pdf)


def test_the_file_has_language_title_and_tags(pdf, bundle):
    assert str(pdf.Root.Lang) == "en"
    assert str(pdf.docinfo["/Title"]) == bundle.study["title"]
    assert "/StructTreeRoot" in pdf.Root
    assert pdf.Root.MarkInfo.Marked


def test_the_file_says_that_it_is_archival(pdf):
    metadata = pdf.open_metadata()
    assert metadata["pdfaid:part"] == "3"
    assert metadata["pdfaid:conformance"] == "A"


def test_the_outline_names_the_parts(pdf):
    with pdf.open_outline() as outline:
        titles = [item.title for item in outline.root]
    assert titles[1:] == ["What would change the verdicts", "Annex"]


def test_every_figure_has_alternative_text(pdf):
    figures = [one for one in structure(pdf) if str(one.S) == "/Figure"]
    assert len(figures) >= 10
    assert all(str(one.get("/Alt", "")) for one in figures)


def test_headings_and_tables_are_tagged(pdf):
    kinds = {str(one.S) for one in structure(pdf)}
    assert {"/H1", "/H2", "/H3", "/P", "/Table", "/TH", "/TD"} <= kinds


def test_the_three_files_are_attached_once_each(pdf):
    assert sorted(pdf.attachments) == ["evidence.json", "record.json", "study.yaml"]
    assert pdf.attachments["study.yaml"].get_file().read_bytes() == b"schema: 1\n"
    assert pdf.attachments["record.json"].get_file().read_bytes() == b'{"record": 1}\n'


def test_only_our_font_is_used_and_embedded(pdf):
    assert {name.rpartition("-")[0] or name for name in fonts_of(pdf)} <= {
        "Claimscope-Sans",
        "Claimscope",
        "Claimscope-Sans-Semi",
    }


def test_pages_are_a4(pdf):
    for page in pdf.pages:
        assert [round(float(one)) for one in page.mediabox] == [0, 0, 595, 842]


def test_no_clock_is_read(pdf):
    assert "/CreationDate" not in pdf.docinfo
    attached = pdf.attachments["study.yaml"].get_file()
    assert attached.creation_date.year == 2000


def test_the_callers_clock_setting_is_left_alone(attached, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "123")
    pdf_bytes("<html><body>x</body></html>", attached)
    assert os.environ["SOURCE_DATE_EPOCH"] == "123"


@pytest.mark.parametrize(
    "page",
    [
        '<link rel="attachment" href="file:///etc/passwd">',
        '<img src="file:///etc/passwd">',
        '<img src="http://localhost/x.png">',
        '<link rel="stylesheet" href="https://localhost/x.css">',
        "<style>@import url(file:///etc/passwd)</style>",
        '<p style="background: url(file:///etc/passwd)">x</p>',
        "<style>@font-face{font-family:x;src:url(file:///etc/passwd)}p{font-family:x}</style><p>x",
        '<object data="FILE:///etc/passwd"></object>',
    ],
)
def test_a_page_that_asks_for_something_is_refused(page, attached):
    with pytest.raises(RequestRefused):
        pdf_bytes(f"<html><body>{page}</body></html>", attached)


def test_refusal_cannot_be_swallowed():
    assert not issubclass(RequestRefused, Exception)


def test_pages_are_counted():
    assert page_count("<p>a<p style='break-before: page'>b") == 2


@pytest.mark.parametrize("seed", ["0", "1"])
def test_same_bytes_in_another_process_folder_and_hash_seed(pages, seed, tmp_path):
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "SOURCE_DATE_EPOCH": "1" if seed == "1" else "2",
            "TZ": "Asia/Tokyo" if seed == "1" else "UTC",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    here = [
        hashlib.sha256(content).hexdigest()
        for content in (pages.pdf, pages.html, pages.summary, *pages.figures.values())
    ]
    assert found.stdout.split() == here
