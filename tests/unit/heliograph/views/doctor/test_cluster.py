"""What is said of Kubernetes and of the definitions."""

from copy import deepcopy
from typing import Any

import pytest

from heliograph.views.doctor.checks import Mark
from heliograph.views.doctor.cluster import compared, missing_fields
from heliograph.views.doctor.facts import Definition, Deployment, Facts, Unknown
from shared.resources.crd import definitions
from tests.support.examinations import cluster_with, only_trouble, troubles

NAME = "rayclusters.ray.io"
OURS: dict[str, Any] = dict(definitions()[0])
ESTABLISHED = {
    "conditions": [{"type": "Established", "status": "True"}],
    "storedVersions": ["v1"],
}


def installed(**status: object) -> dict[str, Any]:
    """Return our definition as an API server shows it."""
    return {**deepcopy(OURS), "status": {**ESTABLISHED, **status}}


def fields_of(definition: dict[str, Any]) -> dict[str, Any]:
    schema = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    found: dict[str, Any] = schema["properties"]["spec"]["properties"]
    return found


def with_definition(found: Definition | Unknown) -> Facts:
    return cluster_with(definitions={NAME: found})


def test_our_own_definition_lacks_nothing() -> None:
    found = compared(NAME, OURS, installed())

    assert found == Definition(name=NAME, versions=("v1", "v1alpha1"))
    assert troubles(with_definition(found)) == ()


def test_fields_of_ours_that_are_not_there_are_named_once() -> None:
    older = installed()
    del fields_of(older)["upgradeStrategy"]
    del fields_of(older)["workerGroupSpecs"]["items"]["properties"]["idleTimeoutSeconds"]

    found = compared(NAME, OURS, older)

    assert found.missing == ("spec.upgradeStrategy", "spec.workerGroupSpecs[].idleTimeoutSeconds")
    told = only_trouble(with_definition(found))
    assert told.mark is Mark.WARNING
    assert "it lacks spec.upgradeStrategy" in told.says
    assert told.todo[0].startswith("heliograph crds | kubectl apply --server-side")


def test_fields_of_kubernetes_own_objects_are_nobodys_lack() -> None:
    older = installed()
    template = fields_of(older)["headGroupSpec"]["properties"]["template"]
    del template["properties"]["spec"]["properties"]["containers"]
    scaler = fields_of(older)["autoscalerOptions"]["properties"]
    del scaler["volumeMounts"]["items"]["properties"]["subPath"]

    assert compared(NAME, OURS, older).missing == ()


def test_a_place_that_keeps_everything_lacks_nothing() -> None:
    ours: dict[str, Any] = {"properties": {"a": {"properties": {"b": {}}}}}
    free = {"properties": {"a": {"x-kubernetes-preserve-unknown-fields": True}}}

    assert list(missing_fields(ours, free)) == []
    assert list(missing_fields(ours, {"properties": {"a": {}}})) == ["a.b"]


def test_a_version_that_is_not_there_is_named() -> None:
    older = installed()
    older["spec"]["versions"] = older["spec"]["versions"][1:]

    assert compared(NAME, OURS, older).missing == ("version v1",)


def test_stored_versions_that_are_gone_are_told() -> None:
    found = compared(NAME, OURS, installed(storedVersions=["v1alpha0", "v1"]))

    told = only_trouble(with_definition(found))

    assert told.mark is Mark.WARNING
    assert "may be stored in v1alpha0" in told.says


def test_a_definition_that_is_not_established_is_wrong() -> None:
    told = only_trouble(with_definition(compared(NAME, OURS, installed(conditions=[]))))

    assert (told.mark, told.says) == (Mark.WRONG, "is not established")


@pytest.mark.parametrize(
    ("name", "mark"), [(NAME, Mark.WRONG), ("raycronjobs.ray.io", Mark.WARNING)]
)
def test_a_missing_definition_weighs_as_much_as_its_kind(name: str, mark: Mark) -> None:
    told = only_trouble(cluster_with(definitions={name: Definition(name=name, there=False)}))

    assert (told.what, told.mark, told.says) == (name, mark, "is not installed")


def test_a_definition_that_could_not_be_read_is_not_missing() -> None:
    told = only_trouble(with_definition(Unknown("403 Forbidden")))

    assert (told.mark, told.says) == (Mark.UNKNOWN, "could not tell: 403 Forbidden")


def test_an_api_server_that_does_not_answer_is_one_line() -> None:
    told = only_trouble(cluster_with(version=Unknown("no answer from https://10.0.0.1")))

    assert (told.area, told.what, told.mark) == ("Kubernetes", "connection", Mark.WRONG)


def test_a_deployment_that_is_short_of_pods_is_told() -> None:
    short = Deployment(name="heliograph/heliograph-status", wanted=2, available=0)

    told = only_trouble(cluster_with(deployments=(short,)))

    assert told.says == "heliograph/heliograph-status has 0 of 2 pods"
    assert told.todo == ("kubectl describe deployment -n heliograph heliograph-status",)
