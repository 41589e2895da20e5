"""Which webhooks are asked about a change."""

from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.structs import replace

from sandbox.access.users import ADMIN
from sandbox.errors import ApiError
from sandbox.hooks.matching import RESOURCE, hooks_for, selects
from sandbox.hooks.questions import Question
from sandbox.identity import numbered_uids
from sandbox.kinds import Kind, Version
from sandbox.state import State

THING = Kind(
    kind="Thing",
    plural="things",
    group="x.io",
    custom=True,
    versions=(Version(name="v1", status=True), Version(name="v1beta1", storage=False)),
)
RULE = {
    "apiGroups": ["x.io"],
    "apiVersions": ["v1"],
    "operations": ["CREATE"],
    "resources": ["things"],
}
QUESTION = Question(
    uid="1",
    operation="CREATE",
    kind=THING,
    version="v1",
    subresource="",
    namespace="stage",
    name="t",
    user=ADMIN,
    dry_run=False,
    new={"metadata": {"name": "t", "labels": {"a": "b"}}, "spec": {"size": 3}},
    old=None,
)


def asked(question: Question = QUESTION, rule: Any = None, **hook: Any) -> list[str]:
    """Return the versions in which a webhook is asked: none, or one."""
    state = State(lambda: datetime(2030, 1, 1, tzinfo=UTC), numbered_uids("t"))
    space = {"metadata": {"name": "stage", "labels": {"tier": "test"}}}
    state.insert(state.registry.find("namespaces"), space)
    told = {"name": "judge", "rules": [{**RULE, **(rule or {})}], **hook}
    configuration = {"metadata": {"name": "c"}, "webhooks": [told]}
    state.insert(state.registry.find(RESOURCE), configuration)
    return [each.version for each in hooks_for(state, question)]


@pytest.mark.parametrize(
    ("rule", "fits"),
    [
        ({}, True),
        ({"operations": ["*"]}, True),
        ({"operations": ["UPDATE", "DELETE"]}, False),
        ({"apiGroups": ["*"]}, True),
        ({"apiGroups": [""]}, False),
        ({"resources": ["*"]}, True),
        ({"resources": ["*/*"]}, True),
        ({"resources": ["things/status"]}, False),
        ({"scope": "Namespaced"}, True),
        ({"scope": "Cluster"}, False),
    ],
)
def test_a_rule_must_fit_in_every_part(rule: Any, *, fits: bool) -> None:
    assert asked(rule=rule) == (["v1"] if fits else [])


@pytest.mark.parametrize(
    ("resource", "fits"),
    [("things", False), ("things/status", True), ("things/*", True), ("*/*", True), ("*", False)],
)
def test_a_subresource_is_named_apart(resource: str, *, fits: bool) -> None:
    question = replace(QUESTION, subresource="status")

    assert bool(asked(question, {"resources": [resource]})) is fits


def test_another_version_is_asked_about_in_the_version_of_the_rule() -> None:
    beta = replace(QUESTION, version="v1beta1")

    assert asked(beta) == ["v1"]
    assert asked(beta, matchPolicy="Exact") == []
    assert asked(beta, {"apiVersions": ["*"]}) == ["v1beta1"]


def test_namespaces_and_objects_are_chosen_by_their_labels() -> None:
    assert asked(namespaceSelector={"matchLabels": {"tier": "test"}}) == ["v1"]
    assert asked(namespaceSelector={"matchLabels": {"tier": "live"}}) == []
    assert asked(objectSelector={"matchLabels": {"a": "b"}}) == ["v1"]
    assert asked(objectSelector={"matchLabels": {"a": "c"}}) == []


@pytest.mark.parametrize(
    ("operator", "values", "taken"),
    [
        ("In", ["b"], True),
        ("In", ["c"], False),
        ("NotIn", ["b"], False),
        ("NotIn", ["c"], True),
        ("Exists", [], True),
        ("DoesNotExist", [], False),
    ],
)
def test_expressions_say_more_than_equality(
    operator: str, values: list[str], *, taken: bool
) -> None:
    selector = {"matchExpressions": [{"key": "a", "operator": operator, "values": values}]}

    assert selects(selector, {"a": "b"}) is taken


def test_conditions_see_the_object_and_the_request() -> None:
    def holds(text: str) -> bool:
        return bool(asked(matchConditions=[{"name": "c", "expression": text}]))

    assert holds("object.spec.size == 3 && request.operation == 'CREATE' && oldObject == null")
    assert not holds("object.spec.size > 3")


def test_a_condition_that_cannot_be_told_refuses_unless_it_may_be_ignored() -> None:
    odd = [{"name": "c", "expression": "object.spec.missing == 1"}]

    assert asked(matchConditions=odd, failurePolicy="Ignore") == []
    with pytest.raises(ApiError, match="no such key"):
        asked(matchConditions=odd)


def test_nobody_is_asked_about_webhooks() -> None:
    own = replace(THING, group="admissionregistration.k8s.io")

    assert asked(replace(QUESTION, kind=own), {"apiGroups": ["*"]}) == []
