import pytest

from audit.report.render import Attachments, render
from tests.report.builders import evidence

ATTACHED = Attachments(b"schema: 1\n", b'{"evidence": 1}\n', b'{"record": 1}\n')


@pytest.fixture(scope="package")
def attached():
    return ATTACHED


@pytest.fixture(scope="package")
def bundle():
    return evidence()


@pytest.fixture(scope="package")
def pages(bundle):
    return render(bundle, ATTACHED)
