"""Certificates of a cluster with mutual TLS, as they are live."""

from msgspec.structs import replace

from services.reconciler.decisions.decision import Context
from shared.events.objects import ChildSeen, Observation
from shared.kernel.features import parse_features
from tests.support.builders import CONTEXT, SETTINGS, Raw
from tests.support.concerns import child

HOST = "demo-head-svc.prod.svc.cluster.local"
LATER = 2000
"""A version past those that the executor of a plot answers with."""
OPEN: Context = replace(
    CONTEXT, settings=replace(SETTINGS, features=parse_features("RayClusterMTLS=true"))
)
"""With the gate of mutual TLS open."""


def certificate(node_type: str, *addresses: str, ready: bool = True, seen: int = 1) -> ChildSeen:
    """A node's certificate; `seen` is the generation that was issued last."""
    names = [HOST, "localhost"] if node_type == "head" else ["localhost"]
    spec: Raw = {"dnsNames": names, "ipAddresses": ["127.0.0.1", *addresses], "isCA": False}
    state: Raw = {"type": "Ready", "status": "True" if ready else "False"}
    state |= {"observedGeneration": seen, "message": "" if ready else "being issued"}
    one = child("certificate", f"ray-{node_type}-cert-demo", spec, version=LATER)
    labels = {
        "ray.io/cluster": "demo",
        "app.kubernetes.io/name": "kuberay",
        "app.kubernetes.io/created-by": "kuberay-operator",
        "app.kubernetes.io/component": f"{node_type}-certificate",
    }
    meta = replace(one.meta, labels=labels, generation=1)
    return replace(one, meta=meta, status={"conditions": [state]})


def authority(*certificates: ChildSeen) -> list[Observation]:
    """Everything that signs, and these certificates."""
    return [
        child("issuer", "ray-selfsigned-issuer-demo", version=LATER),
        child("certificate", "ray-ca-certificate-demo", version=LATER),
        child("issuer", "ray-ca-issuer-demo", version=LATER),
        *certificates,
    ]


def ending(seen: ChildSeen, moment: str) -> ChildSeen:
    """The certificate ends at this moment."""
    return replace(seen, status={**seen.status, "notAfter": moment})
