"""YAML as Kubernetes reads it, with the line of every part."""

import pytest

from heliograph.views.manifests import Document, documents

TWO = """\
# a comment
kind: A
spec:
  groups:
  - name: small
    size: 3
  - name: large
---
---
kind: B
"""


def read(text: str) -> Document:
    (document,) = documents(text)
    return document


def test_reads_every_document_that_is_not_empty() -> None:
    first, second = documents(TWO)

    assert first.content == {
        "kind": "A",
        "spec": {"groups": [{"name": "small", "size": 3}, {"name": "large"}]},
    }
    assert second.content == {"kind": "B"}


def test_an_empty_text_holds_nothing() -> None:
    assert list(documents("")) == list(documents("# nothing\n---\n")) == []


def test_json_is_yaml() -> None:
    assert read('{"kind": "A", "spec": {"on": true}}').content == {
        "kind": "A",
        "spec": {"on": True},
    }


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("kind", 2),
        ("spec", 3),
        ("spec.groups", 4),
        ("spec.groups[0]", 5),
        ("spec.groups[0].size", 6),
        ("spec.groups[1].name", 7),
        ("spec.groups[1].missing", 7),
        ("spec.groups[9].name", 4),
        ("nowhere.at.all", 2),
        ("", 2),
    ],
)
def test_knows_the_line_of_a_path_or_of_what_is_around_it(path: str, line: int) -> None:
    assert next(documents(TWO)).line_of(path) == line


def test_lines_count_from_the_top_of_the_file() -> None:
    *_, second = documents(TWO)

    assert second.line_of("kind") == 10


def test_a_label_with_dots_has_its_line() -> None:
    text = "metadata:\n  labels:\n    ray.io/x: a\n    ray.io/y: b\n"

    assert read(text).line_of("metadata.labels.ray.io/y") == 4


def test_dates_stay_text_and_keys_are_text() -> None:
    text = "on: 2030-01-01\n1: 2030-01-01T12:00:00Z\nno: yes\nbits: !!binary aGk=\n"

    assert read(text).content == {
        "on": "2030-01-01",
        "1": "2030-01-01T12:00:00Z",
        "no": True,
        "bits": "aGk=",
    }


def test_a_key_that_stands_twice_is_refused_with_its_line() -> None:
    with pytest.raises(ValueError, match=r"^line 3: 'a' stands there twice$"):
        list(documents("a: 1\nb: 2\na: 3\n"))


def test_what_is_merged_can_be_overruled_and_the_first_of_several_wins() -> None:
    text = """\
one: &one {a: 1, b: 1}
two: &two {b: 2, c: 2}
here:
  <<: [*one, *two]
  a: 3
again:
  <<: *one
"""

    document = read(text)

    assert document.content["here"] == {"a": 3, "b": 1, "c": 2}
    assert document.content["again"] == {"a": 1, "b": 1}
    assert (document.line_of("here.a"), document.line_of("here.c")) == (5, 2)


def test_what_merges_can_be_merged_again() -> None:
    text = "a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b}\nd: {<<: *b, x: 5}\n"
    content = read(text).content

    assert (content["c"], content["d"]) == ({"x": 1, "y": 2}, {"x": 5, "y": 2})


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- a\n- b\n", "line 1: a manifest must be a mapping"),
        ("just words", "line 1: a manifest must be a mapping"),
        ("? [a, b]\n: c\n", "line 1: a key must be plain text"),
        ("a:\n  <<: words\n", "line 2: only mappings can be merged"),
        ("a: &a\n  b: *a\n", "line 1: this is too large or too deep for a manifest"),
        ("a: &a\n  <<: *a\n", "line 1: only mappings can be merged"),
    ],
)
def test_what_is_no_manifest_is_refused_with_its_line(text: str, told: str) -> None:
    with pytest.raises(ValueError, match="line") as refused:
        list(documents(text))

    assert str(refused.value) == told


@pytest.mark.parametrize(
    "text", ["a: [1, 2\nb: 3\n", "a:\n\tb: 1\n", "a: *nowhere\n", "a: !own 1\n"]
)
def test_what_is_no_yaml_is_refused_in_one_line_that_names_the_line(text: str) -> None:
    with pytest.raises(ValueError, match=r"line \d") as refused:
        list(documents(text))

    assert "\n" not in str(refused.value)


def test_aliases_that_grow_without_end_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]

    with pytest.raises(ValueError, match="too large"):
        list(documents("\n".join(lines)))
