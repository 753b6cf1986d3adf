import pytest

from audit.report.rounding import (
    cell_text,
    decimals_for,
    interval_texts,
    number_text,
    scale_of,
    share_text,
    upper_text,
)


def test_bounds_are_rounded_outwards():
    # half width 0.031 -> one decimal in points; 5.14 down, 11.32 up, 8.25 to even
    texts = interval_texts(0.0825, 0.0514, 0.1132, scale=scale_of("share"), signed=True)
    assert texts == ("+8.2", "+5.1", "+11.4")


def test_a_bound_is_never_printed_on_a_bar_that_it_misses():
    # 3.02 would be 3.0 at one decimal: it is above the bar of 3 and must look so
    _, lower, _ = interval_texts(0.08, 0.0302, 0.13, scale=scale_of("share"), bars=(0.03,))
    assert lower == "3.02"


def test_a_bound_on_the_bar_is_printed_on_it():
    _, lower, _ = interval_texts(0.08, 0.03, 0.13, scale=scale_of("share"), bars=(0.03,))
    assert lower == "3.0"


@pytest.mark.parametrize("lower", [0.0300001, 0.0299999, 0.03000000001])
def test_decimals_stop_at_six(lower):
    texts = interval_texts(0.08, lower, 0.13, scale=scale_of("share"), bars=(0.03,))
    assert all(len(text.rpartition(".")[2]) <= 6 for text in texts)


def test_binary_noise_is_not_rounded_up():
    # 0.1 + 0.2 = 0.30000000000000004
    assert interval_texts(0.1 + 0.2, 0.1, 0.1 + 0.2, scale=scale_of("share"))[2] == "30"


def test_negative_numbers_carry_a_minus_and_zero_no_sign():
    texts = interval_texts(0.0, -0.02, 0.02, scale=scale_of("share"), signed=True)
    assert texts == ("0.0", "−2.0", "+2.0")


def test_places_are_whole():
    assert interval_texts(3, 2, 4, scale=scale_of("place")) == ("3", "2", "4")


@pytest.mark.parametrize(
    ("unit", "value", "difference"),
    [("share", "%", " points"), ("percent", "%", " points"), ("hours", " hours", " hours")],
)
def test_units_follow_their_numbers(unit, value, difference):
    assert scale_of(unit).after(False) == value
    assert scale_of(unit).after(True) == difference


def test_percent_is_not_multiplied_again():
    assert number_text(12.5, scale=scale_of("percent")) == "12.5"
    assert number_text(0.125, scale=scale_of("share")) == "12.5"


def test_a_bar_keeps_all_its_digits():
    assert number_text(0.0305, scale=scale_of("share"), signed=True) == "+3.05"


def test_largest_loss_is_rounded_up_and_never_to_zero():
    assert upper_text(0.0641, scale=scale_of("share")) == "6.5"
    assert upper_text(0.00001, scale=scale_of("share")) == "0.001"


def test_a_small_share_is_not_printed_as_zero():
    assert share_text(0.0002) == "<0.1%"


@pytest.mark.parametrize(
    ("cell", "text"),
    [(None, "–"), (True, "yes"), (12345, "12,345"), (0.123456, "0.1235"), (-0.5, "−0.5")],
)
def test_cells(cell, text):
    assert cell_text(cell) == text


def test_wide_intervals_get_no_decimals():
    assert decimals_for(0, 60) == 0
    assert decimals_for(0, 6) == 1
