"""Token authentication: what a container needs to be let in.

Either a token from the cluster's Secret, or the pod's own service account token, which Kubernetes
renews. Containers get references only: no secret value passes through here.
"""

from services.reconciler.manifests.names import auth_secret_name
from services.reconciler.manifests.pods.draft import Part, PodDraft, mount
from services.reconciler.manifests.pods.environment import add, literal
from shared.resources.predicates import kubernetes_token_auth, token_auth

_TOKEN_VOLUME = {
    "name": "ray-token",
    "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]},
}
_TOKEN_MOUNT = {"mountPath": "/var/run/secrets/ray.io/serviceaccount", "readOnly": True}
_SECRET_KEY = "auth_token"  # noqa: S105 - the name of a key


def authenticate(draft: PodDraft, container: Part) -> None:
    """Let the container in, if the cluster asks for tokens."""
    if not token_auth(draft.cluster):
        return
    add(container, literal("RAY_AUTH_MODE", "token"))
    if kubernetes_token_auth(draft.cluster):
        add(container, literal("RAY_ENABLE_K8S_TOKEN_AUTH", "true"))
        mount(draft, container, _TOKEN_VOLUME, _TOKEN_MOUNT)
        return
    reference = {"name": auth_secret_name(draft.cluster), "key": _SECRET_KEY}
    add(container, {"name": "RAY_AUTH_TOKEN", "valueFrom": {"secretKeyRef": reference}})
