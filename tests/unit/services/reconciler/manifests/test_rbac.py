"""Rights of the autoscaler, under names that Kubernetes takes."""

from services.reconciler.manifests.rbac import role, role_binding, service_account
from shared.kernel.manifests import name_of, value_at
from tests.support.rayclusters import UID, cluster, head, template

METADATA = {
    "name": "demo",
    "namespace": "lab",
    "labels": {
        "app.kubernetes.io/created-by": "kuberay-operator",
        "app.kubernetes.io/name": "kuberay",
        "ray.io/cluster": "demo",
    },
    "ownerReferences": [
        {
            "apiVersion": "ray.io/v1",
            "kind": "RayCluster",
            "name": "demo",
            "uid": UID,
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ],
}


def test_the_account_belongs_to_the_cluster() -> None:
    assert service_account(cluster()) == {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": METADATA,
    }


def test_the_role_reads_pods_resizes_them_and_changes_the_cluster() -> None:
    made = role(cluster())

    assert made["metadata"] == METADATA
    assert made["rules"] == [
        {
            "apiGroups": [""],
            "resources": ["pods"],
            "verbs": ["get", "list", "watch", "patch"],
        },
        {"apiGroups": [""], "resources": ["pods/resize"], "verbs": ["patch"]},
        {"apiGroups": ["ray.io"], "resources": ["rayclusters"], "verbs": ["get", "patch"]},
    ]


def test_the_binding_of_a_long_name_refers_to_the_shortened_ones() -> None:
    """Checklist 32: subject and role of the binding are named as the objects are."""
    long = cluster(name="x" * 3 + "y" * 50)
    short = "y" * 50

    binding = role_binding(long)

    assert (name_of(service_account(long)), name_of(role(long)), name_of(binding)) == (short,) * 3
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": short, "namespace": "lab"}]
    assert value_at(binding, "roleRef", "name") == short


def test_the_binding_gives_the_role_to_the_users_own_account() -> None:
    own = cluster(headGroupSpec=head(template=template(serviceAccountName="theirs")))

    assert value_at(role_binding(own), "subjects", 0, "name") == "theirs"
