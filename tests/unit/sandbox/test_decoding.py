"""Bodies whose parts are of the wrong type are refused, not tripped over."""

from typing import Any

import pytest

from sandbox.errors import ApiError
from sandbox.objects import bury
from tests.unit.sandbox.widgets import cluster, pod, service, widget


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metadata", []),
        ("metadata.name", 5),
        ("metadata.labels", ["a"]),
        ("metadata.labels", {"a": 1}),
        ("metadata.finalizers", "x"),
        ("metadata.ownerReferences", ["x"]),
        ("spec", "x"),
        ("spec.containers", {"a": "b"}),
        ("spec.containers", ["x"]),
        ("spec.containers", [{"name": "a", "image": "b", "ports": [80]}]),
        ("spec.containers", [{"name": "a", "image": "b", "resources": "lots"}]),
    ],
)
def test_refuses_a_pod_of_wrong_types(path: str, value: Any) -> None:
    with pytest.raises(ApiError) as error:
        cluster().create("pods", bury(pod(), path, value))

    assert (error.value.code, error.value.reason) == (400, "BadRequest")


def test_names_the_path_and_the_type() -> None:
    with pytest.raises(ApiError, match=r"cannot unmarshal spec\.ports\[0\]: 1 is not of type"):
        cluster().create("services", service(ports=[1]))


@pytest.mark.parametrize(
    "patch", [None, [], "x", 1, {"metadata": None}, {"metadata": {"labels": ["x"]}}]
)
def test_refuses_patches_that_leave_no_object(patch: Any) -> None:
    ours = cluster()
    ours.create("widgets", widget())

    with pytest.raises(ApiError) as error:
        ours.patch("widgets", "default", "one", patch)
    assert error.value.code == 400


def test_a_custom_field_of_the_wrong_type_is_a_matter_of_its_schema() -> None:
    with pytest.raises(ApiError) as error:
        cluster().create("widgets", widget(replicas="many"))

    assert error.value.code == 422
    assert 'spec.replicas: Invalid value: "string"' in str(error.value)
