"""An autoscaler needs an account that may read pods and change its RayCluster.

Account, role and binding are made if they are missing, never changed, and stay when autoscaling is
switched off. An account that the user named for the head is theirs: it is never made for them, and
not looked for either, since only what the cluster owns is seen. If it is missing, the API server
refuses the head and says so.
"""

from collections.abc import Iterator

from services.reconciler.decisions.raycluster.companions import creation_notice, lacks, place
from services.reconciler.decisions.raycluster.situation import Situation
from services.reconciler.manifests.companions import ROLE, ROLE_BINDING, SERVICE_ACCOUNT
from services.reconciler.manifests.rbac import account_name, role_name, users_account
from shared.actions.objects import CreateObject
from shared.resources.predicates import autoscaling


def ensure(found: Situation) -> Iterator[CreateObject]:
    """Yield the creation of whatever is missing."""
    cluster = found.cluster
    if not autoscaling(cluster):
        return
    if not users_account(cluster):
        account = account_name(cluster)
        yield from _make(found, SERVICE_ACCOUNT, account, "ServiceAccount", "service account")
    name = role_name(cluster)
    yield from _make(found, ROLE, name, "Role", "role")
    yield from _make(found, ROLE_BINDING, name, "RoleBinding", "role binding")


def _make(
    found: Situation, manifest: str, name: str, reason: str, what: str
) -> Iterator[CreateObject]:
    kind = reason.lower()
    if lacks(found, kind, name):
        yield CreateObject(
            kind=kind,
            name=name,
            manifest=manifest,
            rule="access",
            because=f"the autoscaler has no {what}",
            notice=creation_notice(reason, what, place(found, name)),
        )
