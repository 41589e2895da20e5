"""Init containers: workers wait until the head's store answers.

The waiting container runs the same image as Ray, with the user's own variables and mounts, so that
whatever lets Ray reach the head lets it reach the head too. It waits without end: a worker that
gives up would only be started again.
"""

from services.reconciler.manifests.names import head_fqdn
from services.reconciler.manifests.pods.draft import Part, PodDraft, parts
from services.reconciler.manifests.pods.environment import append, head_address, head_port
from shared.kernel.manifests import named, thawed

WAIT_GCS_READY = "wait-gcs-ready"

_COPIED = ("imagePullPolicy", "securityContext", "env", "volumeMounts")
_TROUBLESHOOTING = "https://docs.ray.io/en/master/cluster/kubernetes/troubleshooting.html"
_SCRIPT = """\
until false; do
  if [ "$SECONDS" -le 120 ]; then
    if ray health-check --address {address} > /dev/null 2>&1; then
      echo "GCS is ready."
      exit 0
    fi
    echo "$SECONDS seconds elapsed: Waiting for GCS to be ready."
  else
    if ray health-check --address {address}; then
      echo "GCS is ready. Any error messages above can be safely ignored."
      exit 0
    fi
    echo "$SECONDS seconds elapsed: Still waiting for GCS to be ready. \
For troubleshooting, refer to the FAQ at {help}."
  fi
  sleep 5
done
"""


def add_wait_gcs_ready(draft: PodDraft) -> None:
    """Let the worker wait for the head, after the user's own init containers."""
    if not draft.settings.injects_init_containers:
        return
    ray = thawed(draft.ray)
    amounts = {"cpu": "200m", "memory": "256Mi"}
    host = head_fqdn(draft.cluster, draft.settings.cluster_domain)
    script = _SCRIPT.format(address=f"{host}:{head_port(draft.cluster)}", help=_TROUBLESHOOTING)
    waiting: Part = {"name": WAIT_GCS_READY}
    waiting |= {key: ray[key] for key in ("image", *_COPIED) if key in ray}
    waiting |= {"command": draft.settings.shell, "args": [script]}
    waiting["resources"] = {"limits": dict(amounts), "requests": dict(amounts)}
    parts(draft.spec, "initContainers").append(waiting)


def waiting_container(draft: PodDraft) -> Part | None:
    """Return the container that waits for the head, if it was added."""
    found = named(parts(draft.spec, "initContainers"), WAIT_GCS_READY)
    return found if isinstance(found, dict) else None


def tell_init_containers(draft: PodDraft) -> None:
    """Tell every init container where the head is."""
    for container in parts(draft.spec, "initContainers"):
        append(container, *head_address(draft))
    if not draft.spec["initContainers"]:
        del draft.spec["initContainers"]
