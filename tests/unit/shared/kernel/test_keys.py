"""Keys as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.kernel.keys import ResourceKey, parse_key

KINDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=20)
PARTS = st.text(st.characters(exclude_characters="/"), min_size=1, max_size=20)


@given(KINDS, PARTS, PARTS)
def test_a_printed_key_reads_as_itself(kind: str, namespace: str, name: str) -> None:
    key = ResourceKey(kind=kind, namespace=namespace, name=name)

    assert parse_key(str(key)) == key


def test_the_kind_may_be_written_in_any_case_but_names_may_not() -> None:
    assert parse_key("RayCluster/Prod/Demo") == ResourceKey("raycluster", "Prod", "Demo")


@pytest.mark.parametrize("text", ["", "demo", "prod/demo", "a/b/c/d", "/prod/demo", "a//c", "a/b/"])
def test_anything_else_is_refused_with_the_form_that_is_wanted(text: str) -> None:
    with pytest.raises(ValueError, match=f"^'{text}' is not of the form KIND/NAMESPACE/NAME$"):
        parse_key(text)


def test_keys_are_ordered_by_kind_then_namespace_then_name() -> None:
    first, second, third = (
        ResourceKey("raycluster", "b", "z"),
        ResourceKey("rayjob", "a", "b"),
        ResourceKey("rayjob", "b", "a"),
    )

    assert sorted([third, second, first]) == [first, second, third]
