"""A cluster with mutual TLS has an authority and two certificates of cert-manager's.

Issuers and authority are made once. The certificates of head and workers follow the addresses of
living pods. No pod is made before both are issued as they stand: it would only wait in its place.
Secrets are made empty for cert-manager to fill and never read: a certificate that is ready at its
generation has them filled. What is made stays when TLS is switched off, as with KubeRay.
"""

from collections.abc import Iterator

from services.reconciler.decisions.raycluster import companions
from services.reconciler.decisions.raycluster.situation import (
    Situation,
    certificate_manifest,
    secret_manifest,
)
from services.reconciler.manifests.certificates import (
    ca_certificate_name,
    ca_issuer_name,
    certificate_name,
    secret_names,
    selfsigned_issuer_name,
)
from services.reconciler.manifests.companions import CA_CERTIFICATE, CA_ISSUER, SELFSIGNED_ISSUER
from shared.actions.objects import CreateObject, Notice, PatchObject, Words
from shared.actions.outcomes import AlreadySo, Done
from shared.aggregates.troubles import WAIT
from shared.events.decisions import Trouble
from shared.events.objects import ChildSeen
from shared.kernel.manifests import Raw, entries_at, labels_of, mapping_at, text_at, words_at
from shared.resources.labels import HEAD, WORKER
from shared.resources.predicates import mutual_tls

RULE = "certificates"
ISSUER = "issuer"
CERTIFICATE = "certificate"
SECRET = "secret"  # noqa: S105 - the name of a kind
FAILED = "MTLSFailedToReconcile"
_NODES = (HEAD, WORKER)


def ensure(found: Situation) -> Iterator[CreateObject | PatchObject]:
    """Yield what is missing, in the order in which it is signed, and what must be changed."""
    if not wanted(found):
        return
    cluster = found.cluster
    yield from (_secret(name) for name in secret_names(cluster) if not _known(found, name))
    issuer = selfsigned_issuer_name(cluster)
    yield from _make(found, ISSUER, issuer, SELFSIGNED_ISSUER, "self-signed issuer")
    authority = ca_certificate_name(cluster)
    yield from _make(found, CERTIFICATE, authority, CA_CERTIFICATE, "CA certificate")
    yield from _make(found, ISSUER, ca_issuer_name(cluster), CA_ISSUER, "CA issuer")
    for node_type in _NODES:
        name, manifest = certificate_name(cluster, node_type), certificate_manifest(node_type)
        yield from _make(found, CERTIFICATE, name, manifest, f"{node_type} certificate")
        yield from _keep_in_step(found, node_type)


def wanted(found: Situation) -> bool:
    """Whether nodes of the cluster talk over mutual TLS."""
    return mutual_tls(found.cluster, found.settings.features)


def marks(found: Situation) -> tuple[str, ...]:
    """Return what acts have to carry: which Secrets are known to be there."""
    if not wanted(found):
        return ()
    return tuple(_mark(name) for name in secret_names(found.cluster) if _known(found, name))


def awaited(found: Situation) -> tuple[Trouble, ...]:
    """Return what keeps pods from being made: the first certificate that cannot be used yet."""
    if not wanted(found):
        return ()
    names = [certificate_name(found.cluster, node_type) for node_type in _NODES]
    told = ((name, _unready(found, name)) for name in names)
    return tuple(
        Trouble(
            verb=WAIT,
            rule=RULE,
            kind=CERTIFICATE,
            name=name,
            message=f"mTLS secrets not ready: certificate {name} {why}",
        )
        for name, why in told
        if why
    )[:1]


def certificate(found: Situation, name: str) -> ChildSeen | None:
    """Return a certificate as it is seen."""
    return found.state.children.get((CERTIFICATE, name))


def _secret(name: str) -> CreateObject:
    return CreateObject(
        kind=SECRET,
        name=name,
        manifest=secret_manifest(name),
        rule=RULE,
        because="a certificate needs a Secret that goes with the cluster",
        may_be_there=True,
    )


def _mark(name: str) -> str:
    return f"tls-secret/{name}"


def _known(found: Situation, name: str) -> bool:
    """Whether an answer told that the Secret is there."""
    outcomes = companions.outcomes(found, SECRET, name)
    there = any(isinstance(outcome, Done | AlreadySo) for outcome in outcomes)
    return there or companions.noted(found, _mark(name))


def _make(
    found: Situation, kind: str, name: str, manifest: str, step: str
) -> Iterator[CreateObject]:
    if companions.lacks(found, kind, name):
        yield CreateObject(
            kind=kind,
            name=name,
            manifest=manifest,
            rule=RULE,
            because=f"the cluster asks for mutual TLS and has no {step}",
            notice=_notice(step, Words(reason="", message="")),
        )


def _keep_in_step(found: Situation, node_type: str) -> Iterator[PatchObject]:
    name = certificate_name(found.cluster, node_type)
    live = certificate(found, name)
    settled = (CERTIFICATE, name) not in found.state.unsettled
    if live is None or not settled or live.meta.deleted_at is not None:
        return
    manifest = found.certificate(node_type)
    if _as_wanted(live, manifest):
        return
    spec = mapping_at(manifest, "spec")
    addresses = " ".join(words_at(spec, "ipAddresses"))
    message = f"Updated {node_type} certificate SANs (IPs: [{addresses}])"
    removed: dict[str, object] = {key: None for key in live.spec if key not in spec}
    yield PatchObject(
        kind=CERTIFICATE,
        name=name,
        uid=live.meta.uid,
        patch={"metadata": {"labels": labels_of(manifest)}, "spec": {**removed, **spec}},
        resource_version=live.meta.resource_version,
        rule=RULE,
        because=f"the {node_type} certificate is to name {addresses}",
        notice=_notice(
            f"{node_type} certificate", Words(reason="MTLSCertificatesUpdated", message=message)
        ),
    )


def _as_wanted(live: ChildSeen, manifest: Raw) -> bool:
    """Whether a certificate names what it should and has our labels; others may add theirs."""
    names = all(
        set(words_at(live.spec, part)) == set(words_at(manifest, "spec", part))
        for part in ("dnsNames", "ipAddresses")
    )
    return names and labels_of(manifest).items() <= live.meta.labels.items()


def _notice(step: str, done: Words) -> Notice:
    refused = Words(reason=FAILED, message=f"Failed to reconcile mTLS {step}: ")
    return Notice(done=done, refused=refused)


def _unready(found: Situation, name: str) -> str:
    """Say why a certificate cannot be used yet; empty if it can."""
    live = certificate(found, name)
    if live is None:
        return "not found"
    generation = live.meta.generation
    ready = next((one for one in _conditions(live) if one.get("type") == "Ready"), {})
    issued = ready.get("status") == "True" and ready.get("observedGeneration") == generation
    if issued and (CERTIFICATE, name) not in found.state.unsettled:
        return ""
    words = "" if issued else text_at(ready, "message")
    why = f"is not ready at current generation {generation}"
    return f"{why}: {words}" if words and ready.get("status") != "True" else why


def _conditions(live: ChildSeen) -> tuple[Raw, ...]:
    return entries_at(live.status, "conditions")
