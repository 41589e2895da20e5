"""What users leave out, and what they say twice: how it reads on a pod and beside it."""

from services.reconciler.manifests.pods.head import head_pod
from services.reconciler.manifests.pods.worker import worker_pod
from services.reconciler.manifests.services import head_service
from services.reconciler.manifests.settings import ManifestSettings
from shared.kernel.manifests import labels_of, mapping_at
from tests.support.rayclusters import (
    SETTINGS,
    cluster,
    container_named,
    head,
    template,
    workers,
)

APP = "app.kubernetes.io/name"


def test_null_parameters_are_like_none() -> None:
    """Checklist 2: the pods of null parameters are those of empty ones."""
    given: tuple[dict[str, str] | None, ...] = (None, {})
    null, empty = (
        cluster(
            headGroupSpec=head(rayStartParams=params),
            workerGroupSpecs=[workers(rayStartParams=params)],
        )
        for params in given
    )

    pods = [
        (head_pod(each, SETTINGS), worker_pod(each, each.groups[0], SETTINGS))
        for each in (null, empty)
    ]

    (head_of_null, worker_of_null), (head_of_empty, worker_of_empty) = pods
    assert mapping_at(head_of_null, "spec") == mapping_at(head_of_empty, "spec")
    assert mapping_at(worker_of_null, "spec") == mapping_at(worker_of_empty, "spec")
    assert "ray start --head" in str(container_named(head_of_null, "ray")["args"])


def test_one_app_name_for_pod_and_head_service() -> None:
    """Checklist 63: the service finds the head under the name that the user gave it."""
    own = {**template(), "metadata": {"labels": {APP: "mine", "ray.io/cluster": "else"}}}
    wanted = cluster(headGroupSpec=head(template=own))

    pod, service = head_pod(wanted, SETTINGS), head_service(wanted, SETTINGS)

    selector = mapping_at(service, "spec", "selector")
    assert selector[APP] == "mine"
    assert selector.items() <= labels_of(pod).items()
    assert labels_of(pod)["ray.io/cluster"] == "demo"


def test_labels_of_a_group_win_over_the_operators() -> None:
    """Checklist 71: defaults are for where nobody says anything."""
    settings = ManifestSettings(version="v0", default_pod_labels={"team": "ops", "cost": "1"})
    wanted = cluster(workerGroupSpecs=[workers(labels={"team": "ml"})])

    labels = labels_of(worker_pod(wanted, wanted.groups[0], settings))

    assert (labels["team"], labels["cost"]) == ("ml", "1")
