"""Names and labels that Kubernetes accepts, and those it does not."""

import pytest

from shared.validation import syntax


@pytest.mark.parametrize(
    ("text", "by_1035", "by_1123"),
    [
        ("demo-1", True, True),
        ("1demo", False, True),
        ("Demo", False, False),
        ("demo-", False, False),
        ("a.b", False, False),
        ("", False, False),
        ("a" * 63, True, True),
        ("a" * 64, False, False),
        ("demo\n", False, False),
    ],
)
def test_labels_of_host_names(text: str, by_1035: bool, by_1123: bool) -> None:
    accepted = (not syntax.dns_1035_label(text), not syntax.dns_1123_label(text))

    assert accepted == (by_1035, by_1123)


@pytest.mark.parametrize(
    ("key", "accepted"),
    [
        ("zone", True),
        ("Zone_1.a", True),
        ("example.com/zone", True),
        ("Example.com/zone", False),
        ("/zone", False),
        ("a/b/c", False),
        ("-zone", False),
        ("a" * 64, False),
        ("", False),
    ],
)
def test_keys_of_labels(key: str, accepted: bool) -> None:
    assert (syntax.qualified_name(key) == []) is accepted


@pytest.mark.parametrize(
    ("value", "accepted"), [("", True), ("a_b.c", True), ("a b", False), ("x" * 64, False)]
)
def test_values_of_labels(value: str, accepted: bool) -> None:
    assert (syntax.label_value(value) == []) is accepted
