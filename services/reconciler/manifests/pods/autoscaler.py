"""The autoscaler that runs beside the head.

It reads pods and the RayCluster and asks for replicas by patching the RayCluster; this file only
starts it. The same container serves both versions of the autoscaler: which one runs is told to
Ray by a variable. Rights for its service account are made elsewhere.
"""

from services.reconciler.manifests.names import autoscaler_account
from services.reconciler.manifests.pods import auth, tls
from services.reconciler.manifests.pods.draft import Part, PodDraft, parts
from services.reconciler.manifests.pods.environment import add, literal, of_cluster, of_field
from shared.kernel.manifests import text_at, thawed
from shared.resources.options import AutoscalerOptions
from shared.resources.predicates import AUTOSCALER_V2_ENV, autoscaler_version

NAME = "autoscaler"

_START = (
    "ray kuberay-autoscaler --cluster-name $(RAY_CLUSTER_NAME)"
    " --cluster-namespace $(RAY_CLUSTER_NAMESPACE)"
)


def add_autoscaler(draft: PodDraft) -> Part:
    """Run an autoscaler in the head pod; return its container."""
    draft.start["no-monitor"] = "true"
    account = text_at(draft.spec, "serviceAccountName")
    draft.spec["serviceAccountName"] = autoscaler_account(draft.cluster, account)
    container = _container(draft)
    parts(draft.spec, "containers").append(container)
    _choose_version(draft)
    return container


def _choose_version(draft: PodDraft) -> None:
    """Tell Ray which autoscaler to run; without a version it decides itself."""
    version = autoscaler_version(draft.cluster)
    if version is not None:
        add(draft.ray, literal(AUTOSCALER_V2_ENV, "true" if version == "v2" else "false"))
    if version == "v2":
        draft.spec["restartPolicy"] = "Never"


def _container(draft: PodDraft) -> Part:
    amounts = {"cpu": "500m", "memory": "512Mi"}
    container: Part = {
        "name": NAME,
        "image": text_at(draft.ray, "image"),
        "imagePullPolicy": "IfNotPresent",
        "command": draft.settings.shell,
        "args": [_START],
        "env": [
            *of_cluster(),
            of_field("RAY_HEAD_POD_NAME", "metadata.name"),
            literal("KUBERAY_CRD_VER", "v1"),
            literal("KUBERAY_GEN_AUTOSCALER_START_CMD", _START),
        ],
        "resources": {"limits": dict(amounts), "requests": dict(amounts)},
    }
    auth.authenticate(draft, container)
    tls.secure(draft, container, head=True)
    if draft.cluster.spec.autoscaler_options is not None:
        _apply(draft.cluster.spec.autoscaler_options, container)
    return container


def _apply(options: AutoscalerOptions, container: Part) -> None:
    """Let the user's options replace single fields and add to lists."""
    given: Part = {
        "image": options.image,
        "imagePullPolicy": options.image_pull_policy,
        "resources": options.resources,
        "securityContext": options.security_context,
        "command": options.command or None,
        "args": options.args or None,
    }
    container.update(thawed({key: value for key, value in given.items() if value is not None}))
    more = {"env": options.env, "envFrom": options.env_from, "volumeMounts": options.volume_mounts}
    for key, entries in more.items():
        if entries:
            parts(container, key).extend(thawed(entry) for entry in entries)
