"""What a schema says about a file: types, words, bounds, required and unknown fields, by path."""

from typing import Any

import pytest

from shared.kernel.features import Features
from shared.resources.reading import KINDS
from shared.validation.check import check, check_file
from tests.support.rayclusters import container, head, template, workers
from tools.fuzz_reading import good

Fields = dict[str, Any]

CONTAINER = "spec.headGroupSpec.template.spec.containers[0]"


def cluster(**spec: object) -> Fields:
    given = {"headGroupSpec": head(), **spec}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": "demo"},
        "spec": given,
    }


def ray(**fields: object) -> Fields:
    return cluster(headGroupSpec=head(template=template(container(**fields))))


def told(raw: object) -> list[tuple[str, str]]:
    return [(problem.path, problem.message) for problem in check_file(raw, Features())]


@pytest.mark.parametrize(
    ("fields", "path", "message"),
    [
        ({"env": [{"name": "A", "value": 1}]}, "env[0].value", "should be text"),
        ({"env": [{"value": "1"}]}, "env[0].name", "is required"),
        ({"env": {"A": "1"}}, "env", "should be a list"),
        (
            {"ports": [{"containerPort": "80"}]},
            "ports[0].containerPort",
            "should be a whole number",
        ),
        ({"tty": "yes"}, "tty", "should be true or false"),
        ({"resources": 7}, "resources", "should be an object"),
        ({"imagePullPolice": "Always"}, "imagePullPolice", "is not known"),
    ],
)
def test_a_pod_template_is_looked_at_to_the_last_field(
    fields: Fields, path: str, message: str
) -> None:
    assert told(ray(**fields)) == [(f"{CONTAINER}.{path}", message)]


def test_a_number_for_a_text_and_a_slip_of_the_pen_get_a_hint() -> None:
    (quotes,) = check_file(ray(env=[{"name": "A", "value": 1}]), Features())
    (slip,) = check_file(cluster(workerGroupSpec=[]), Features())

    assert quotes.hint == "write it in quotes"
    assert slip.path == "spec.workerGroupSpec"
    assert slip.hint.startswith("did you mean workerGroupSpecs? ")


@pytest.mark.parametrize(
    "fields",
    [
        {"resources": {"limits": {"cpu": 1, "memory": "1Gi", "nvidia.com/gpu": 2}}},
        {"env": [{"name": "A", "value": None}]},
        {"livenessProbe": {"httpGet": {"port": "http"}, "periodSeconds": 5}},
    ],
)
def test_this_is_fine(fields: Fields) -> None:
    assert told(ray(**fields)) == []


def test_defaults_are_not_missing() -> None:
    assert told(cluster(workerGroupSpecs=[{"groupName": "a", "template": template()}])) == []


def test_a_rule_that_says_the_same_says_it_alone() -> None:
    job = {"rayClusterSpec": {"headGroupSpec": head()}, "preRunningDeadlineSeconds": 0}
    raw = {**cluster(), "kind": "RayJob", "spec": job}

    assert told(raw) == [
        (
            "spec.preRunningDeadlineSeconds",
            "The RayJob spec is invalid: preRunningDeadlineSeconds must be a positive integer",
        )
    ]


def test_shape_comes_before_sense_and_nothing_is_told_twice() -> None:
    raw = cluster(workerGroupSpecs=[workers(minReplicas=9, odd=1), workers("b", replicas="3")])

    assert told(raw) == [
        ("spec.workerGroupSpecs[0].odd", "is not known"),
        ("spec.workerGroupSpecs[1].replicas", "should be a whole number, not text"),
    ]
    assert told({**raw, "more": 1})[-1] == told(raw)[-1]
    assert ("more", "is not known") in told({**raw, "more": 1})


def test_objects_from_an_api_server_may_know_more_than_we_do() -> None:
    assert check(cluster(fieldOfTomorrow=1), Features()) == ()


def test_every_good_object_is_good_as_a_file() -> None:
    gates = Features(enabled=frozenset())
    found = {str(one) for each in good() for one in check_file(each, gates) if not one.rule}

    assert len(good()) > len(KINDS)
    assert found == set()
