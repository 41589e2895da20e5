"""The collector beside Ray: its container, what it knows, and that Ray sends to it."""

import pytest

from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.pods.worker import worker_pod
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.manifests import entries_at
from shared.resources.raycluster import RayCluster
from tests.support.rayclusters import (
    HOST,
    SETTINGS,
    cluster,
    container,
    container_named,
    head,
    template,
    variables,
)

NAME = "ray-history-collector"
STORES = [{"name": "STORAGE_BACKEND", "value": "S3"}, {"name": "S3_REGION", "value": "eu"}]
LOGS = {"name": "ray-logs", "mountPath": "/tmp/ray"}  # noqa: S108 - where Ray writes its logs
EVENTS = (
    "TASK_DEFINITION_EVENT,TASK_LIFECYCLE_EVENT,ACTOR_TASK_DEFINITION_EVENT,TASK_PROFILE_EVENT,"
    "DRIVER_JOB_DEFINITION_EVENT,DRIVER_JOB_LIFECYCLE_EVENT,ACTOR_DEFINITION_EVENT,"
    "ACTOR_LIFECYCLE_EVENT,NODE_DEFINITION_EVENT,NODE_LIFECYCLE_EVENT"
)
SENT = {
    "RAY_enable_ray_event": "true",
    "RAY_enable_core_worker_ray_event_to_aggregator": "true",
    "RAY_DASHBOARD_AGGREGATOR_AGENT_EVENTS_EXPORT_ADDR": "http://localhost:8084/v1/events",
    "RAY_DASHBOARD_AGGREGATOR_AGENT_EXPOSABLE_EVENT_TYPES": EVENTS,
    "RAY_DASHBOARD_AGGREGATOR_AGENT_PUBLISHER_HTTP_ENDPOINT_EXPOSABLE_EVENT_TYPES": EVENTS,
}
Raw = dict[str, object]


def collected(
    options: Raw | None = None, labels: dict[str, str] | None = None, **spec: object
) -> RayCluster:
    wish = {"image": "collector:1", "env": STORES, **(options or {})}
    asked = {"historyServerOptions": {"collectorOptions": wish}, **spec}
    return cluster(labels=labels, **asked)  # type: ignore[arg-type]


def pods(wanted: RayCluster) -> tuple[Raw, Raw]:
    return head_pod(wanted, SETTINGS), worker_pod(wanted, wanted.groups[0], SETTINGS)


def told(pod: Raw) -> list[tuple[object, object]]:
    entries = entries_at(container_named(pod, NAME), "env")
    return [(entry["name"], entry.get("value", entry.get("valueFrom"))) for entry in entries]


def test_there_is_none_where_none_is_asked_for() -> None:
    for pod in pods(cluster()):
        assert [one["name"] for one in entries_at(pod, "spec", "containers")] == ["ray"]
        assert not SENT.keys() & variables(pod).keys()


def test_it_is_as_asked_for_and_shares_rays_logs() -> None:
    for pod in pods(collected()):
        made = container_named(pod, NAME)
        assert {key: made[key] for key in made if key != "env"} == {
            "name": NAME,
            "image": "collector:1",
            "imagePullPolicy": "IfNotPresent",
            "resources": {
                "limits": {"cpu": "200m", "memory": "256Mi"},
                "requests": {"cpu": "50m", "memory": "64Mi"},
            },
            "volumeMounts": [LOGS],
        }
        assert LOGS in entries_at(container_named(pod, "ray"), "volumeMounts")
        assert {"name": "ray-logs", "emptyDir": {}} in entries_at(pod, "spec", "volumes")


def test_policy_and_resources_are_the_users() -> None:
    amounts = {"limits": {"cpu": "1"}}
    in_head, _ = pods(collected({"imagePullPolicy": "Always", "resources": amounts}))

    made = container_named(in_head, NAME)

    assert (made["imagePullPolicy"], made["resources"]) == ("Always", amounts)


def test_it_knows_whom_it_collects_for() -> None:
    """Checklist 72."""
    owner = {"ray.io/originated-from-crd": "RayJob", "ray.io/originated-from-cr-name": "train"}
    in_head, in_worker = pods(collected(labels=owner))

    def expected(role: str, *more: tuple[object, object]) -> list[tuple[object, object]]:
        return [
            ("POD_IP", {"fieldRef": {"fieldPath": "status.podIP"}}),
            ("RAY_CLUSTER_NAME", "demo"),
            ("RAY_CLUSTER_NAMESPACE", "lab"),
            ("RAY_ROLE", role),
            ("EVENTS_PORT", "8084"),
            ("FQ_RAY_IP", HOST),
            ("OWNER_KIND", "RayJob"),
            ("OWNER_NAME", "train"),
            *more,
            ("STORAGE_BACKEND", "S3"),
            ("S3_REGION", "eu"),
        ]

    assert told(in_head) == expected("Head", ("RAY_DASHBOARD_ADDRESS", "http://localhost:8265"))
    assert told(in_worker) == expected("Worker")


def test_the_users_dashboard_address_stays_and_no_owner_is_invented() -> None:
    own = {"name": "RAY_DASHBOARD_ADDRESS", "value": "http://elsewhere"}
    in_head, _ = pods(collected({"env": [*STORES, own]}))

    names = [name for name, _ in told(in_head)]
    assert names.count("RAY_DASHBOARD_ADDRESS") == 1
    assert told(in_head)[-1] == ("RAY_DASHBOARD_ADDRESS", "http://elsewhere")
    assert not {"OWNER_KIND", "OWNER_NAME"} & set(names)


def test_it_gets_the_token_after_the_users_variables() -> None:
    for pod in pods(collected(authOptions={"mode": "token"})):
        assert [name for name, _ in told(pod)][-2:] == ["RAY_AUTH_MODE", "RAY_AUTH_TOKEN"]


@pytest.mark.parametrize("name", list(SENT))
def test_ray_sends_its_events_unless_the_user_says_otherwise(name: str) -> None:
    ray = container(env=[{"name": name, "value": "mine"}])
    in_head, in_worker = pods(collected(headGroupSpec=head(template=template(ray))))

    assert {key: variables(in_worker)[key] for key in SENT} == SENT
    assert {key: variables(in_head)[key] for key in SENT} == {**SENT, name: "mine"}


def test_it_stands_between_the_autoscaler_and_configured_sidecars() -> None:
    settings = ManifestSettings(version="v0", head_sidecars=(container("logs"),))
    pod = head_pod(collected(enableInTreeAutoscaling=True), settings)

    names = [one["name"] for one in entries_at(pod, "spec", "containers")]
    assert names == ["ray", "autoscaler", NAME, "logs"]
