"""Parts of pods in settings: what is taken, and where a slip is."""

import pytest

from shared.runtime.parts import MisshapenError, read_parts, read_texts


def test_takes_what_has_names() -> None:
    assert read_parts([{"name": "a"}, {"name": "b", "value": "1"}]) == (
        {"name": "a"},
        {"name": "b", "value": "1"},
    )


def test_takes_texts() -> None:
    assert read_texts({"a": "b"}) == {"a": "b"}


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("a", "must be a list of objects"),
        ({"name": "a"}, "must be a list of objects"),
        (["a"], "[0]: must be an object"),
        ([{"name": 1}], "[0].name: is required, as a text"),
        ([{"name": "a"}, {"name": ""}], "[1].name: is required, as a text"),
        ([{"name": "a", "value": 1}], "[0].value: must be a text: put it in quotes"),
        ([{"name": "a"}, {"name": "a"}], "[1].name: a stands there twice"),
    ],
)
def test_says_where_a_part_is_wrong(value: object, sentence: str) -> None:
    with pytest.raises(MisshapenError) as refused:
        read_parts(value)

    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (["a"], "must be an object of texts"),
        ({"a": True}, "['a']: must be a text: put it in quotes"),
        ({1: "a"}, "[1]: must have a text as its key: put it in quotes"),
    ],
)
def test_says_which_text_is_none(value: object, sentence: str) -> None:
    with pytest.raises(MisshapenError) as refused:
        read_texts(value)

    assert str(refused.value) == sentence
