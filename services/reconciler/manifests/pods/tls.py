"""Mutual TLS: what containers need to prove who they are, and a wait until they can.

Certificate and key come from the Secret of the pod's type. A node is addressed by its IP, which is
known only when the pod is there: so the first init container waits until the mounted certificate
names the pod's own address. It waits without end, like the wait for the head's store.
"""

from services.reconciler.manifests.certificates import certificate_secret_name
from services.reconciler.manifests.pods.draft import Part, PodDraft, mount, parts
from services.reconciler.manifests.pods.environment import add, literal, of_field
from shared.kernel.manifests import thawed
from shared.resources.labels import HEAD, WORKER
from shared.resources.raycluster import RayCluster

WAIT_FOR_ADDRESS = "wait-for-tls-ip-san"

_VOLUME = "ray-tls"
_PATH = "/etc/ray/tls"
_COPIED = ("image", "imagePullPolicy", "securityContext")
_SCRIPT = f"""\
if ! command -v openssl > /dev/null; then
  echo "The image has no openssl: whether the certificate names this pod cannot be seen." >&2
  exit 1
fi
address="${{POD_IP:-$(hostname -i | cut -d ' ' -f 1)}}"
named() {{
  [ -n "$address" ] && openssl x509 -in {_PATH}/tls.crt -noout -checkip "$address" 2> /dev/null \\
    | grep -q "does match"
}}
until named; do
  echo "The certificate does not name $address yet."
  sleep 5
done
echo "The certificate names $address."
"""


def uses_tls(cluster: RayCluster) -> bool:
    """Whether pods are made for mutual TLS; a cluster that asks in vain is never valid."""
    options = cluster.spec.tls_options
    return options is not None and options.enabled is True


def secure(draft: PodDraft, container: Part, *, head: bool) -> None:
    """Let the container speak TLS, if the cluster does."""
    if not uses_tls(draft.cluster):
        return
    add(
        container,
        literal("RAY_USE_TLS", "1"),
        literal("RAY_TLS_SERVER_CERT", f"{_PATH}/tls.crt"),
        literal("RAY_TLS_SERVER_KEY", f"{_PATH}/tls.key"),
        literal("RAY_TLS_CA_CERT", f"{_PATH}/ca.crt"),
    )
    _mount(draft, container, head=head)


def wait_for_address(draft: PodDraft, *, head: bool) -> None:
    """Let the pod wait, before anything else, until its certificate names it."""
    if not uses_tls(draft.cluster):
        return
    ray = thawed(draft.ray)
    amounts = {"cpu": "50m", "memory": "64Mi"}
    waiting: Part = {"name": WAIT_FOR_ADDRESS}
    waiting |= {key: ray[key] for key in _COPIED if key in ray}
    waiting |= {"command": ["sh", "-c"], "args": [_SCRIPT]}
    waiting["env"] = [of_field("POD_IP", "status.podIP")]
    waiting["resources"] = {"limits": dict(amounts), "requests": dict(amounts)}
    _mount(draft, waiting, head=head)
    parts(draft.spec, "initContainers").insert(0, waiting)


def _mount(draft: PodDraft, container: Part, *, head: bool) -> None:
    name = certificate_secret_name(draft.cluster, HEAD if head else WORKER)
    volume = {"name": _VOLUME, "secret": {"secretName": name}}
    mount(draft, container, volume, {"mountPath": _PATH, "readOnly": True})
