"""Stable hashes: what counts, and what is muted in the hash that recreates pods."""

from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.kernel.hashing import canonical_json, digest, recreate_hash

SPEC: dict[str, object] = {
    "rayVersion": "2.52.0",
    "headGroupSpec": {
        "rayStartParams": {},
        "template": {"spec": {"containers": [{"name": "ray"}]}},
    },
    "workerGroupSpecs": [
        {"groupName": "small", "replicas": 1, "template": {"spec": {"containers": []}}}
    ],
}
GROUP: dict[str, object] = {"groupName": "small", "template": {"spec": {"containers": []}}}


def with_group(**fields: object) -> dict[str, object]:
    return {**SPEC, "workerGroupSpecs": [{**GROUP, **fields}]}


def with_pod(**fields: object) -> dict[str, object]:
    head = {"template": {"spec": {"containers": [{"name": "ray"}], **fields}}}
    return {**SPEC, "headGroupSpec": head}


@given(st.dictionaries(st.text(), st.integers()))
def test_the_order_of_fields_does_not_count(fields: dict[str, int]) -> None:
    turned = dict(reversed(fields.items()))

    assert (canonical_json(turned), digest(turned)) == (canonical_json(fields), digest(fields))


def test_read_only_mappings_hash_like_plain_ones() -> None:
    assert digest({"a": MappingProxyType({"b": (1, 2)})}) == digest({"a": {"b": [1, 2]}})


def test_refuses_what_is_not_json() -> None:
    with pytest.raises(TypeError, match="object is not a JSON value"):
        canonical_json({"a": object()})


def test_the_hash_stays_what_it_is_from_version_to_version() -> None:
    assert recreate_hash(SPEC) == "VSLGMCQ09R0I143O23UCLTRKMH3FPE5H"


@pytest.mark.parametrize(
    "muted",
    [
        with_group(replicas=7),
        with_group(minReplicas=1, maxReplicas=9),
        with_group(scaleStrategy={"workersToDelete": ["a"]}),
        with_group(rayStartParams={}),
        {**SPEC, "upgradeStrategy": {"type": "Recreate"}},
        {**SPEC, "suspend": False},
        {**SPEC, "suspend": True},
        with_pod(tolerations=[{"key": "gpu"}]),
        with_pod(schedulingGates=[{"name": "later"}]),
    ],
)
def test_what_may_change_under_running_pods_is_muted(muted: dict[str, object]) -> None:
    assert recreate_hash(muted) == recreate_hash(SPEC)


@pytest.mark.parametrize(
    "changed",
    [
        with_group(groupName="large"),
        with_group(suspend=True),
        with_group(numOfHosts=2),
        {**SPEC, "rayVersion": "2.53.0"},
        {**SPEC, "workerGroupSpecs": []},
        with_pod(nodeSelector={"disk": "fast"}),
    ],
)
def test_everything_else_counts(changed: dict[str, object]) -> None:
    assert recreate_hash(changed) != recreate_hash(SPEC)
