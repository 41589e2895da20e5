"""A cluster that asks for tokens has a Secret with one, unless the user brings their own.

Secrets are made and never watched, so what an answer told is all that is known. The Secret is
asked for until an answer says that it is there, and once more together with every new head, for
somebody may have removed it. Its value is drawn by the executor and is in no act.
"""

from collections.abc import Iterator

from services.reconciler.decisions.raycluster import batch_scheduling, companions, head
from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.decisions.waiting import wait_for
from services.reconciler.manifests.companions import AUTH_SECRET
from services.reconciler.manifests.names import auth_secret_name
from services.reconciler.manifests.secrets import AUTH_KEYS
from shared.actions.objects import CreateObject
from shared.actions.outcomes import AlreadySo, Done, Outcome
from shared.resources.predicates import kubernetes_token_auth, token_auth

_KIND = "secret"


def ensure(found: Situation) -> Iterator[CreateObject]:
    """Yield the creation of the Secret while it is not known, and with every new head."""
    if not _wanted(found) or (_known(found) and not _head_is_due(found)):
        return
    yield CreateObject(
        kind=_KIND,
        name=auth_secret_name(found.cluster),
        manifest=AUTH_SECRET,
        rule="auth_secret",
        because="the cluster asks for tokens",
        secret_keys=AUTH_KEYS,
    )


def marks(found: Situation) -> tuple[str, ...]:
    """Return what acts have to carry: that the Secret is there."""
    return (_mark(found),) if _wanted(found) and _known(found) else ()


def _wanted(found: Situation) -> bool:
    """Whether the cluster asks for tokens and leaves the Secret to us."""
    cluster = found.cluster
    options = cluster.spec.auth_options
    own = options is not None and options.secret_name
    return token_auth(cluster) and not kubernetes_token_auth(cluster) and not own


def _mark(found: Situation) -> str:
    return f"auth-secret/{auth_secret_name(found.cluster)}"


def _known(found: Situation) -> bool:
    made = any(isinstance(outcome, Done | AlreadySo) for outcome in _outcomes(found))
    return made or companions.noted(found, _mark(found))


def _head_is_due(found: Situation) -> bool:
    """Whether a head is asked for in this very act, and not waiting after a refusal."""
    rests = head.stays_away(found) or batch_scheduling.holds(found)
    asked = () if rests else tuple(head.ensure(found))
    return bool(asked) and not wait_for(found.view, asked).blocked


def _outcomes(found: Situation) -> tuple[Outcome, ...]:
    return tuple(companions.outcomes(found, _KIND, auth_secret_name(found.cluster)))
