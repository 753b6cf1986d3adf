import pytest

from audit.argument.amounts import amount, listed, several


@pytest.mark.parametrize(
    ("value", "unit", "up", "expected"),
    [
        (-0.0622, "share", True, "6.3 points"),  # a loss is never printed smaller than it is
        (0.0622, "share", False, "6.2 points"),  # nor the room left larger
        (0.03, "share", True, "3.0 points"),
        (0.03, "share", False, "3.0 points"),
        (3.0, "percent", True, "3.0 points"),
        (2.0041, "staff hours", True, "2.005 staff hours"),
        (1.0, "place", True, "1 place"),
        (0.5, None, True, "0.500"),
    ],
)
def test_amounts(value, unit, up, expected):
    assert amount(value, unit, up=up) == expected


def test_counts_and_lists():
    assert (several(1, "item"), several(1200, "item")) == ("1 item", "1,200 items")
    assert listed(("a",)) == "a"
    assert listed(("a", "b", "c")) == "a, b and c"
    assert listed(tuple("abcdefgh")) == "a, b, c, d, e, f and 2 more"
