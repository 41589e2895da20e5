"""Quantities: exact parsing, canonical printing, exact sums."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.kernel.quantities import ZERO, Notation, Quantity, parse_quantity

NOTATIONS: tuple[Notation, ...] = ("binary", "decimal", "exponent")
AMOUNTS = st.builds(
    Quantity, nanos=st.integers(-(10**30), 10**30), notation=st.sampled_from(NOTATIONS)
)


def parsed(text: str) -> Quantity:
    quantity = parse_quantity(text)
    assert quantity is not None, text
    return quantity


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("0", "0"),
        ("1", "1"),
        ("1000m", "1"),
        ("0.5", "500m"),
        (".5", "500m"),
        ("5.", "5"),
        ("+2", "2"),
        ("-1500m", "-1500m"),
        ("1024Mi", "1Gi"),
        ("1536Mi", "1536Mi"),
        ("0.5Gi", "512Mi"),
        ("512", "512"),
        ("1023Ki", "1023Ki"),
        ("0.5Ki", "512"),
        ("0.1Ki", "102400m"),
        ("1000k", "1M"),
        ("1E", "1E"),
        ("1e3", "1e3"),
        ("12e-1", "1200e-3"),
        ("5e0", "5"),
        ("100n", "100n"),
        ("0.1n", "1n"),
        ("-0.1n", "-1n"),
    ],
)
def test_prints_what_kubernetes_prints(written: str, canonical: str) -> None:
    assert str(parsed(written)) == canonical


@pytest.mark.parametrize(
    "written",
    ["", ".", "-", "Gi", "1 Gi", "1gi", "1KI", "one", "1e", "1e999999999", "0x10", "1.2.3", "1mm"],
)
def test_refuses_what_is_no_quantity(written: str) -> None:
    assert parse_quantity(written) is None


@pytest.mark.parametrize("written", [None, True, 1.5, ["1"], {}])
def test_refuses_what_is_neither_text_nor_whole_number(written: object) -> None:
    assert parse_quantity(written) is None


def test_reads_whole_numbers_as_they_stand() -> None:
    assert parse_quantity(3) == Quantity(nanos=3 * 10**9)


@given(AMOUNTS)
def test_printing_loses_nothing(amount: Quantity) -> None:
    assert parsed(str(amount)).nanos == amount.nanos


@given(AMOUNTS)
def test_canonical_text_is_its_own_canonical_text(amount: Quantity) -> None:
    """Read back first: a binary amount that no binary suffix fits is written as a plain number."""
    text = str(parsed(str(amount)))

    assert str(parsed(text)) == text


@given(AMOUNTS, AMOUNTS, AMOUNTS)
def test_sums_do_not_depend_on_order(one: Quantity, two: Quantity, three: Quantity) -> None:
    assert ((one + two) + three).nanos == (three + (two + one)).nanos


@given(AMOUNTS, st.integers(0, 40))
def test_multiplying_is_adding_again_and_again(amount: Quantity, times: int) -> None:
    assert (amount * times).nanos == sum((amount for _ in range(times)), ZERO).nanos


@given(AMOUNTS, AMOUNTS)
def test_compares_amounts_and_not_texts(one: Quantity, two: Quantity) -> None:
    assert (one < two) == (one.nanos < two.nanos)


@given(st.integers(-(10**20), 10**20))
def test_rounds_away_from_zero(nanos: int) -> None:
    whole = Quantity(nanos=nanos).rounded_up

    assert abs(whole) * 10**9 >= abs(nanos) > (abs(whole) - 1) * 10**9 or nanos == whole == 0


def test_a_sum_takes_the_notation_of_its_first_amount() -> None:
    assert str(ZERO + parsed("512Mi") + parsed("1073741824")) == "1536Mi"
