"""One finished build, made once and copied by every test that changes something."""

import pytest

from tests.workflow.house import new_house


def pytest_collection_modifyitems(items):
    """Everything here on one worker: the finished build is made once."""
    for item in items:
        if "tests/workflow" in item.path.as_posix():
            item.add_marker(pytest.mark.workflow)
            item.add_marker(pytest.mark.xdist_group("workflow"))


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A house with two studies, both made."""
    house = new_house(tmp_path_factory.mktemp("finished") / "house", "one", "two")
    done = house.run()
    assert done.returncode == 0, done.stdout
    return house


@pytest.fixture
def house(finished, tmp_path):
    """A copy of the finished house."""
    return finished.copy_to(tmp_path / "house")
