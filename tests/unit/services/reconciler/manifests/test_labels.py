"""Labels of pods: ours, the template's, the group's, and which of them win."""

from services.reconciler.manifests.labels import head_pod_labels, worker_pod_labels
from services.reconciler.manifests.pods.worker import Place, place_labels
from shared.resources.groups import WorkerGroup
from tests.support.rayclusters import cluster, head, workers

OURS = {
    "ray.io/is-ray-node": "yes",
    "ray.io/cluster": "demo",
    "ray.io/node-type": "worker",
    "ray.io/group": "small",
    "ray.io/identifier": "demo-worker",
    "app.kubernetes.io/name": "kuberay",
    "app.kubernetes.io/created-by": "kuberay-operator",
}


def test_three_labels_cannot_be_overridden() -> None:
    """Checklist 63."""
    given = {"ray.io/cluster": "x", "ray.io/group": "x", "ray.io/node-type": "x", "mine": "kept"}
    wanted = cluster()

    labels = worker_pod_labels(wanted, wanted.groups[0], given)

    assert labels == OURS | {"mine": "kept"}


def test_the_group_wins_over_its_template() -> None:
    """Checklist 62."""
    wanted = cluster(headGroupSpec=head(labels={"zone": "a", "app.kubernetes.io/name": "mine"}))

    labels = head_pod_labels(wanted, {"zone": "b", "tier": "gold"})

    picked = {
        key: labels[key] for key in ("zone", "tier", "app.kubernetes.io/name", "ray.io/group")
    }
    assert picked == {
        "zone": "a",
        "tier": "gold",
        "app.kubernetes.io/name": "mine",
        "ray.io/group": "headgroup",
    }


def test_pods_of_a_service_say_whether_they_serve() -> None:
    """Checklist 70."""
    wanted = cluster(labels={"ray.io/originated-from-crd": "RayService"})

    serving = (
        head_pod_labels(wanted, {})["ray.io/serve"],
        worker_pod_labels(wanted, wanted.groups[0], {})["ray.io/serve"],
    )
    assert serving == ("false", "true")


def test_long_cluster_names_keep_the_end_of_the_identifier() -> None:
    labels = head_pod_labels(cluster(name="a" * 70), {})

    assert labels["ray.io/identifier"] == "a" * 58 + "-head"


def test_only_replicas_of_several_hosts_have_a_name_and_host_index() -> None:
    one, many = (WorkerGroup.model_validate(workers(numOfHosts=hosts)) for hosts in (1, 4))
    place = Place(replica_index=2, replica_name="small-x7k2p", host_index=3)

    assert place_labels(one, None) == {}
    assert place_labels(one, place) == {"ray.io/worker-group-replica-index": "2"}
    assert place_labels(many, place) == {
        "ray.io/worker-group-replica-index": "2",
        "ray.io/worker-group-replica-name": "small-x7k2p",
        "ray.io/replica-host-index": "3",
    }
