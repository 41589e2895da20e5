"""What people are told about a cluster's certificates.

That they are waited for and that they are issued, each once for a generation of the cluster; that
cert-manager is not there; that one expires within a day, for Ray reads certificates only at its
start. For the last a timer is set, since nothing else happens then.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from services.reconciler.decisions.raycluster import certificates, companions, suspension
from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.manifests.certificates import (
    ca_certificate_name,
    certificate_name,
    selfsigned_issuer_name,
)
from shared.actions.objects import PostNotice
from shared.actions.outcomes import Refused
from shared.events.decisions import Timer
from shared.kernel.instants import print_instant, read_instant
from shared.kernel.manifests import text_at
from shared.resources.labels import HEAD, WORKER

EXPIRES_SOON = timedelta(days=1)
TIMER = "certificates"
_NOT_SERVED = 404
_READY, _WAITING, _MISSING = "mtls-ready", "mtls-waiting", "mtls-missing"


def tell(found: Situation) -> Iterator[PostNotice]:
    """Yield what people were not told yet."""
    return companions.untold(found, _news(found))


def marks(found: Situation) -> tuple[str, ...]:
    """Return what acts have to carry: everything that this generation's people were told."""
    if not certificates.wanted(found):
        return ()
    once = (companions.mark(found, about) for about in (_READY, _WAITING, _MISSING))
    before = tuple(mark for mark in once if companions.noted(found, mark))
    return tuple(dict.fromkeys((*before, *_news(found))))


def timers(found: Situation) -> tuple[Timer, ...]:
    """Return the wish to be woken when the first certificate is about to expire."""
    if not certificates.wanted(found):
        return ()
    due = [end - EXPIRES_SOON for end in _ends(found).values()]
    later = [moment for moment in due if moment > found.view.now]
    because = "a certificate expires within a day then"
    return (Timer(name=TIMER, due_at=min(later), because=because),) if later else ()


def _news(found: Situation) -> dict[str, PostNotice]:
    """Return everything there is to tell now, by the mark that remembers it."""
    if not certificates.wanted(found) or suspension.concerns(found):
        return {}
    news = {companions.mark(found, _MISSING): _missing(found)} if _not_served(found) else {}
    if certificates.awaited(found):
        news[companions.mark(found, _WAITING)] = _waiting()
    else:
        news[companions.mark(found, _READY)] = _ready()
    for name, end in _ends(found).items():
        if end - found.view.now < EXPIRES_SOON:
            news[f"mtls-expires/{name}/{print_instant(end)}"] = _expires(found, name, end)
    return news


def _ends(found: Situation) -> Mapping[str, datetime]:
    """Return when each issued certificate ends."""
    cluster = found.cluster
    names = (
        certificate_name(cluster, HEAD),
        certificate_name(cluster, WORKER),
        ca_certificate_name(cluster),
    )
    seen = {name: certificates.certificate(found, name) for name in names}
    written = {name: text_at(one.status, "notAfter") for name, one in seen.items() if one}
    read = {name: read_instant(text) for name, text in written.items()}
    return {name: moment for name, moment in read.items() if moment is not None}


def _not_served(found: Situation) -> bool:
    """Whether the last answer was that there are no issuers in this Kubernetes."""
    name = selfsigned_issuer_name(found.cluster)
    outcomes = companions.outcomes(found, certificates.ISSUER, name)
    return any(isinstance(one, Refused) and one.code == _NOT_SERVED for one in outcomes)


def _missing(found: Situation) -> PostNotice:
    cluster = found.cluster
    return PostNotice(
        warning=True,
        reason="InvalidRayClusterSpec",
        action="Validate",
        message=f"The RayCluster spec is invalid {cluster.namespace}/{cluster.name}: tlsOptions "
        "requires cert-manager, but cert-manager is not installed",
        rule=certificates.RULE,
        because="there is no cert-manager to ask for certificates",
    )


def _waiting() -> PostNotice:
    message = "Waiting for cert-manager to issue mTLS certificates"
    return _notice("MTLSCertsNotReady", message, "the certificates are not issued yet")


def _ready() -> PostNotice:
    message = "mTLS PKI is ready: CA, head, and worker certificates issued"
    return _notice("MTLSPKIReady", message, "the certificates are issued")


def _expires(found: Situation, name: str, end: datetime) -> PostNotice:
    hours = (end - found.view.now) / timedelta(hours=1)
    message = (
        f"TLS certificate {name} expires in {hours:.1f} hours; Ray does not hot-reload certs so a "
        "pod restart will be needed after renewal"
    )
    because = f"certificate {name} is about to expire"
    return _notice("MTLSCertificateExpiringSoon", message, because, warning=True)


def _notice(reason: str, message: str, because: str, *, warning: bool = False) -> PostNotice:
    return PostNotice(
        warning=warning,
        reason=reason,
        action="Reconcile",
        message=message,
        rule=certificates.RULE,
        because=because,
    )
