import re

import pytest

from audit.report.summary import escaped, summary_text
from audit.report.view import make_view
from tests.report import hostile
from tests.report.builders import evidence


def test_the_summary_says_what_page_one_says(pages, bundle):
    text = pages.summary.decode()
    assert "**The evidence is not enough for this decision\\.**".replace("\\.", ".") in text
    for claim in bundle.assessment.claims:
        assert f"### {claim.id}: " in text


@pytest.mark.parametrize("text", hostile.TEXTS.values(), ids=list(hostile.TEXTS))
def test_markdown_finds_nothing_to_act_on(text):
    shown = escaped(text[:500])
    assert not re.search(r"(?<!\\)[\[\]`*<>|]", shown)


def test_simulated_is_said():
    assert "Simulated data" in summary_text(make_view(evidence(simulated=True)))
