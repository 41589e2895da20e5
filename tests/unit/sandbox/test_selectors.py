"""Label and field selectors, read from text."""

import pytest

from sandbox.errors import ApiError
from sandbox.objects import Object
from sandbox.selectors import field_selector, label_selector


def labelled(**labels: str) -> Object:
    return {"metadata": {"labels": labels}}


@pytest.mark.parametrize(
    ("text", "selected"),
    [
        ("", True),
        ("app=ray", True),
        ("app==ray,tier=head", True),
        ("app!=ray", False),
        ("missing!=ray", True),
        ("tier in (head, worker)", True),
        ("tier notin (head)", False),
        ("missing notin (head)", True),
        ("app", True),
        ("!app", False),
        ("!missing", True),
        ("count>2", True),
        ("count<2", False),
        ("app=ray,tier in (worker)", False),
    ],
)
def test_selects_by_labels(text: str, selected: bool) -> None:
    obj = labelled(app="ray", tier="head", count="3")

    assert label_selector(text)(obj) is selected


@pytest.mark.parametrize("text", ["a in (b", "=x", "a=b c", "a>x"])
def test_refuses_label_selectors_it_cannot_read(text: str) -> None:
    with pytest.raises(ApiError) as refused:
        label_selector(text)

    assert refused.value.code == 400


def test_selects_by_the_fields_a_kind_offers() -> None:
    fields = {"spec.nodeName": "spec.nodeName", "source": "source.component"}
    obj: Object = {"spec": {"nodeName": "n1"}, "source": {"component": "kubelet"}}

    chosen = [
        field_selector(text, fields)(obj)
        for text in ("spec.nodeName=n1", "spec.nodeName!=n1", "source==kubelet", "")
    ]

    assert chosen == [True, False, True, True]


def test_treats_a_missing_field_as_empty() -> None:
    assert field_selector("spec.nodeName=", {"spec.nodeName": "spec.nodeName"})({})


def test_refuses_fields_a_kind_does_not_offer() -> None:
    with pytest.raises(ApiError, match=r"field label not supported: spec\.secret"):
        field_selector("spec.secret=1", {})
