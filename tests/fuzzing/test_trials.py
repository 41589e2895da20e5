"""What is tried follows from the seed, and touches every field in turn."""

import pytest
from msgspec import UNSET

from shared.resources.crd import spec_schema
from tests.fuzzing.bases import BASES, KINDS
from tests.fuzzing.changes import Change, as_patch, changed, value_at
from tests.fuzzing.fields import fields_of, schema_at
from tests.fuzzing.trials import trials
from tests.fuzzing.values import example, values_for


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_tries_the_same_and_another_seed_something_else(kind: str) -> None:
    once = list(trials(kind, 7, 50))

    assert once == list(trials(kind, 7, 50))
    assert once[:20] == list(trials(kind, 7, 20))
    assert [one.changes for one in once] != [one.changes for one in trials(kind, 8, 50)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_has_its_turn(kind: str) -> None:
    fields = {field.name for field in fields_of(kind, 3)}

    tried = {change.field for one in trials(kind, 3, 2 * len(fields)) for change in one.changes}

    assert tried == fields


def test_a_prefix_chooses_fields() -> None:
    chosen = {field.name for field in fields_of("RayCluster", 0, "autoscalerOptions")}

    assert "spec.autoscalerOptions.idleTimeoutSeconds" in chosen
    assert all(name.startswith("spec.autoscalerOptions") for name in chosen)


@pytest.mark.parametrize("kind", KINDS)
def test_every_value_of_every_field_can_be_put_into_every_base(kind: str) -> None:
    for base in BASES[kind].values():
        for field in fields_of(kind, 1):
            for value in values_for(field, value_at(base["spec"], field.path)):
                spec = changed(kind, base["spec"], (Change(path=field.path, value=value),))
                there = value_at(spec, field.path)
                gone = value is UNSET and (there is UNSET or isinstance(field.path[-1], int))
                assert gone or there == value, field.name


def test_a_change_leaves_the_base_alone_and_makes_what_is_missing_above_it() -> None:
    base = BASES["RayCluster"]["plain"]["spec"]
    before = repr(base)
    path = ("autoscalerOptions", "env", 0, "valueFrom", "secretKeyRef", "key")

    spec = changed("RayCluster", base, (Change(path=path, value="token"),))

    assert repr(base) == before
    assert spec["autoscalerOptions"]["env"] == [
        {"name": "x", "valueFrom": {"secretKeyRef": {"key": "token"}}}
    ]


def test_a_change_can_be_read_as_a_patch() -> None:
    changes = (
        Change(path=("workerGroupSpecs", 0, "replicas"), value=-1),
        Change(path=("rayVersion",), value=UNSET),
    )

    assert as_patch(changes) == (
        "- field: spec.workerGroupSpecs[0].replicas\n  value: -1\n"
        "- field: spec.rayVersion\n  remove: true\n"
    )


def test_an_example_has_what_its_schema_asks_for() -> None:
    groups = schema_at(spec_schema("RayCluster"), ("workerGroupSpecs",))

    assert set(example(groups["items"])) == set(groups["items"]["required"])
