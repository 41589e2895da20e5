"""The token's Secret, of which everything is known but the token."""

from services.reconciler.manifests.owners import owner_reference
from services.reconciler.manifests.secrets import auth_secret
from tests.support.rayclusters import cluster


def test_the_secret_has_an_owner_and_no_value() -> None:
    wanted = cluster(name="1" + "c" * 51, authOptions={"mode": "token"})

    assert auth_secret(wanted) == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "c" * 50,
            "namespace": "lab",
            "labels": {"ray.io/cluster": wanted.name},
            "ownerReferences": [owner_reference(wanted)],
        },
    }
