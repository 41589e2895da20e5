"""Ids from content: the same content the same id, anything else another."""

from hypothesis import given
from hypothesis import strategies as st

from shared.kernel.ids import content_id

PARTS = st.lists(st.text(max_size=10) | st.integers(), max_size=5)


@given(PARTS)
def test_the_same_parts_make_the_same_short_id(parts: list[str | int]) -> None:
    assert content_id(*parts) == content_id(*parts)
    assert len(content_id(*parts)) == 24


@given(st.lists(st.text(max_size=10), max_size=5), st.lists(st.text(max_size=10), max_size=5))
def test_other_parts_make_another_id(one: list[str], other: list[str]) -> None:
    assert (content_id(*one) == content_id(*other)) == (one == other)


def test_where_one_part_ends_and_the_next_begins_counts() -> None:
    ids = {content_id("ab", "c"), content_id("a", "bc"), content_id("abc"), content_id("abc", "")}

    assert len(ids) == 4


def test_text_and_its_bytes_are_the_same_content() -> None:
    assert content_id("é", 12) == content_id("é".encode(), b"12")


def test_ids_never_change_because_the_log_remembers_them() -> None:
    assert content_id("ray.41.raycluster.prod.demo.act", 7, b"{}") == "7b1f0aa23ee5b5914c863581"
