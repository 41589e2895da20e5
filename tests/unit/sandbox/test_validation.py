"""What is refused in any object, and in pods and services."""

import pytest

from sandbox.errors import ApiError
from sandbox.objects import Object, bury
from tests.unit.sandbox.widgets import cluster, configmap, pod, service


def causes(resource: str, obj: Object) -> list[tuple[str, str]]:
    with pytest.raises(ApiError) as error:
        cluster().create(resource, obj)
    assert error.value.code == 422
    return [(each["field"], each["reason"]) for each in error.value.status["details"]["causes"]]


@pytest.mark.parametrize("name", ["Upper", "-a", "a_b", "a..b", "x" * 254])
def test_refuses_names_that_are_no_subdomain(name: str) -> None:
    assert causes("configmaps", configmap(name)) == [("metadata.name", "FieldValueInvalid")]


def test_says_what_a_name_may_be() -> None:
    with pytest.raises(ApiError) as error:
        cluster().create("configmaps", configmap("A"))

    assert str(error.value).startswith(
        'ConfigMap "A" is invalid: metadata.name: Invalid value: "A": a lowercase RFC 1123 '
        "subdomain must consist of"
    )


def test_services_have_names_without_dots() -> None:
    assert causes("services", service("1.a")) == [("metadata.name", "FieldValueInvalid")]


def test_asks_for_a_name() -> None:
    assert causes("configmaps", {"metadata": {}}) == [("metadata.name", "FieldValueRequired")]


def test_refuses_wrong_labels_and_half_owners() -> None:
    wrong = bury(configmap(labels={"a": "b c"}), "metadata.ownerReferences", [{"name": "x"}])

    assert causes("configmaps", wrong) == [
        ("metadata.labels", "FieldValueInvalid"),
        ("metadata.ownerReferences[0].apiVersion", "FieldValueRequired"),
        ("metadata.ownerReferences[0].kind", "FieldValueRequired"),
        ("metadata.ownerReferences[0].uid", "FieldValueRequired"),
    ]


def test_a_pod_needs_containers_with_names_and_images() -> None:
    assert causes("pods", bury(pod(), "spec", {})) == [("spec.containers", "FieldValueRequired")]
    assert causes("pods", bury(pod(), "spec", {"containers": [{"name": "a"}]})) == [
        ("spec.containers[0].image", "FieldValueRequired")
    ]
    twins = [{"name": "a", "image": "x"}, {"name": "a", "image": "y"}]
    assert causes("pods", bury(pod(), "spec", {"containers": twins})) == [
        ("spec.containers[1].name", "FieldValueDuplicate")
    ]


def test_a_service_needs_ports_unless_it_is_headless() -> None:
    assert causes("services", service(ports=[])) == [("spec.ports", "FieldValueRequired")]
    assert causes("services", service(ports=[{"port": 0}])) == [
        ("spec.ports[0].port", "FieldValueInvalid"),
        ("spec.ports[0].targetPort", "FieldValueInvalid"),
    ]
    assert causes("services", service(ports=[{"port": 1}, {"port": 2, "name": "b"}])) == [
        ("spec.ports[0].name", "FieldValueRequired")
    ]
    assert cluster().create("services", service(ports=[], clusterIP="None"))
