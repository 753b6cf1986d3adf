"""Where the shared data lies; tests that need it are skipped, and counted, where it is absent."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED_DATA = Path(os.environ.get("AUDIT_SHARED_DATA") or ROOT.parent / "shared" / "data")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the shared data."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the shared data is not here (AUDIT_SHARED_DATA)")
    return SHARED_DATA


@pytest.fixture(scope="session")
def roots(shared_data: Path) -> dict[str, Path]:
    """Data roots as on the command line: `--data SHARED=FOLDER`."""
    return {"SHARED": shared_data}
