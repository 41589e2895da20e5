"""Rules about containers, resources, labels, replicas and scaling of groups."""

import pytest

from shared.resources.raycluster import RayCluster
from tests.support.rayclusters import cluster, container, head, problems_of, template, workers

GROUP = "spec.workerGroupSpecs[0]"
V2 = {"version": "v2"}


def group(**fields: object) -> RayCluster:
    return cluster(workerGroupSpecs=[workers(**fields)])


def test_a_plain_cluster_has_no_problem() -> None:
    assert problems_of(cluster()) == []


def test_every_group_needs_a_container() -> None:
    empty: dict[str, object] = {"spec": {"containers": []}}

    wanted = cluster(headGroupSpec=head(template={}), workerGroupSpecs=[workers(template=empty)])

    assert problems_of(wanted) == [
        (
            "spec.headGroupSpec.template.spec.containers",
            "headGroupSpec should have at least one container",
        ),
        (
            f"{GROUP}.template.spec.containers",
            "workerGroupSpec should have at least one container",
        ),
    ]


@pytest.mark.parametrize("param", ["num-cpus", "num-gpus", "memory", "resources"])
def test_resources_are_said_in_one_place(param: str) -> None:
    twice = {"rayStartParams": {param: "1"}, "resources": {"CPU": "1"}}

    wanted = cluster(headGroupSpec=head(**twice), workerGroupSpecs=[workers(**twice)])

    told = "resource fields should not be set in both rayStartParams and Resources for"
    assert problems_of(wanted) == [
        ("spec.headGroupSpec.resources", f"{told} Head group; please use only one"),
        (f"{GROUP}.resources", f"{told} small group; please use only one"),
    ]


def test_an_empty_parameter_is_not_said() -> None:
    assert problems_of(group(rayStartParams={"num-cpus": ""}, resources={"CPU": "1"})) == []


def test_labels_are_no_parameter() -> None:
    told = "rayStartParams['labels'] is not supported for {} group; "
    told += "please use the top-level Labels field instead"
    params = {"rayStartParams": {"labels": ""}}

    wanted = cluster(headGroupSpec=head(**params), workerGroupSpecs=[workers(**params)])

    assert problems_of(wanted) == [
        ("spec.headGroupSpec.rayStartParams.labels", told.format("Head")),
        (f"{GROUP}.rayStartParams.labels", told.format("small")),
    ]


def test_labels_must_be_labels() -> None:
    shape = "use letters, digits, '-', '_' and '.'; begin and end with a letter or digit"

    wanted = cluster(headGroupSpec=head(labels={"-k": "v", "ok": "a b"}))

    assert problems_of(wanted) == [
        (
            "spec.headGroupSpec.labels['-k']",
            f"invalid label key for Head group: '-k', error: {shape}",
        ),
        (
            "spec.headGroupSpec.labels['ok']",
            f"invalid label value for key 'ok' in Head group: 'a b', error: {shape}",
        ),
    ]


@pytest.mark.parametrize(
    ("fields", "path", "message"),
    [
        (
            {"minReplicas": None},
            "minReplicas",
            "must set both minReplicas and maxReplicas when autoscaling is disabled",
        ),
        (
            {"maxReplicas": None},
            "maxReplicas",
            "must set both minReplicas and maxReplicas when autoscaling is disabled",
        ),
        ({"minReplicas": -1}, "minReplicas", "has negative minReplicas -1"),
        ({"minReplicas": -3, "maxReplicas": -2}, "maxReplicas", "has negative maxReplicas -2"),
        ({"minReplicas": 4}, "minReplicas", "has minReplicas 4 greater than maxReplicas 3"),
    ],
)
def test_replicas_have_sound_bounds(fields: dict[str, object], path: str, message: str) -> None:
    """Checklist 11."""
    assert (f"{GROUP}.{path}", f"worker group small {message}") in problems_of(group(**fields))


def test_an_autoscaler_may_find_the_bounds_absent() -> None:
    unbound = workers(minReplicas=None, maxReplicas=None)

    assert problems_of(cluster(enableInTreeAutoscaling=True, workerGroupSpecs=[unbound])) == []


def test_idle_time_needs_the_second_autoscaler() -> None:
    """Checklist 12."""
    assert problems_of(group(idleTimeoutSeconds=-1)) == [
        (
            f"{GROUP}.idleTimeoutSeconds",
            "worker group small: idleTimeoutSeconds must be non-negative, got -1",
        ),
        (
            f"{GROUP}.idleTimeoutSeconds",
            (
                "worker group small: idleTimeoutSeconds is set, but autoscaler v2 is not enabled. "
                "Please set .spec.autoscalerOptions.version to 'v2' (or set "
                "RAY_enable_autoscaler_v2 environment variable to 'true' in the head "
                "pod if using KubeRay < 1.4.0)"
            ),
        ),
    ]


def test_the_second_autoscaler_is_chosen_by_option_or_variable() -> None:
    """Checklist 12."""
    idle = [workers(idleTimeoutSeconds=0)]
    ray = container(env=[{"name": "RAY_enable_autoscaler_v2", "value": "1"}])
    asked = head(template=template(ray))

    by_option = cluster(workerGroupSpecs=idle, autoscalerOptions=V2)
    by_variable = cluster(workerGroupSpecs=idle, headGroupSpec=asked, enableInTreeAutoscaling=True)

    assert (problems_of(by_option), problems_of(by_variable)) == ([], [])


@pytest.mark.parametrize(
    ("version", "message"),
    [
        (
            None,
            (
                "priority is set, but RayVersion was not specified. "
                "Ray version 2.56.0 or later is required"
            ),
        ),
        (
            "new",
            "priority is set, but RayVersion format is invalid: new, not a version such as 2.56.0",
        ),
        ("2.55.1", "priority is set, but minimum Ray version is 2.56.0, got 2.55.1"),
    ],
)
def test_priorities_need_a_recent_ray(version: str | None, message: str) -> None:
    """Checklist 13."""
    groups = [workers(priority=5)]

    wanted = cluster(rayVersion=version, workerGroupSpecs=groups, autoscalerOptions=V2)

    assert problems_of(wanted) == [(f"{GROUP}.priority", f"worker group small: {message}")]


def test_priorities_need_the_second_autoscaler() -> None:
    """Checklist 13."""
    wanted = cluster(rayVersion="2.56.0", workerGroupSpecs=[workers(priority=5)])

    assert problems_of(wanted) == [
        (
            f"{GROUP}.priority",
            (
                "worker group small: priority is set to 5, but autoscaler v2 is not enabled. "
                "Priority is only supported with autoscaler v2 enabled"
            ),
        )
    ]


def test_no_priority_is_like_zero() -> None:
    """Checklist 13."""
    assert (problems_of(group(priority=0)), problems_of(group(priority=None))) == ([], [])
