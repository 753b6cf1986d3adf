"""What every room's tests share: the shared data, and the demand that it be there."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED_DATA = Path(os.environ.get("AUDIT_SHARED_DATA") or ROOT.parent / "shared" / "data")
ABSENT = "the shared data is not here (AUDIT_SHARED_DATA)"


def pytest_configure(config):
    """Stop at once where the shared data is demanded and absent: a skip would look like success."""
    if os.environ.get("AUDIT_DEMAND_DATA") == "1" and not SHARED_DATA.is_dir():
        raise pytest.UsageError(f"the shared data is demanded and not at {SHARED_DATA}")


def pytest_collection_modifyitems(items):
    """Skip what is marked `data` where the shared data is absent."""
    if SHARED_DATA.is_dir():
        return
    for item in items:
        if item.get_closest_marker("data"):
            item.add_marker(pytest.mark.skip(reason=ABSENT))


def pytest_terminal_summary(terminalreporter):
    """Count the tests that the absence of the shared data left out."""
    skipped = [
        report
        for report in terminalreporter.stats.get("skipped", ())
        if "AUDIT_SHARED_DATA" in str(report.longrepr)
    ]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} tests need the shared data and were skipped")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the shared data, for tests marked `data`."""
    return SHARED_DATA
