"""Questions about a cluster that no service asks: what is installed, who else is there, who may.

Nothing is changed: a review is created and never stored. What is not there is None or empty only
where Kubernetes itself says so; any other failure is raised (`shared.kube.errors`).
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar
from urllib.parse import quote

import msgspec

from shared.kube.discovery import explaining_absence
from shared.kube.rights import Right
from shared.kube.session import NO_PARAMETERS, Call, Session
from shared.ports.cluster import ClusterRefusal, ClusterUnavailable, Kind, NotServed

T = TypeVar("T")
Found = dict[str, object]
_NOT_FOUND = 404
_REVIEWS = "/apis/authorization.k8s.io/v1"
ACCOUNTS = ("system:serviceaccounts", "system:authenticated")

DEFINITION = Kind(
    name="definition", api="/apis/apiextensions.k8s.io/v1", plural="customresourcedefinitions"
)
DEPLOYMENT = Kind(name="deployment", api="/apis/apps/v1", plural="deployments")
LEASE = Kind(name="lease", api="/apis/coordination.k8s.io/v1", plural="leases")
SLICE = Kind(name="slice", api="/apis/discovery.k8s.io/v1", plural="endpointslices")
VALIDATING = Kind(
    name="validating",
    api="/apis/admissionregistration.k8s.io/v1",
    plural="validatingwebhookconfigurations",
)
MUTATING = Kind(
    name="mutating",
    api="/apis/admissionregistration.k8s.io/v1",
    plural="mutatingwebhookconfigurations",
)


class _List(msgspec.Struct, frozen=True):
    items: tuple[Found, ...] | None = None


class _Verdict(msgspec.Struct, frozen=True):
    allowed: bool


class _Review(msgspec.Struct, frozen=True):
    status: _Verdict


async def version(session: Session) -> str:
    """Return what the API server calls itself."""
    found = await _read(session, "/version", NO_PARAMETERS, dict[str, object])
    return str(found.get("gitVersion") or f"{found.get('major')}.{found.get('minor')}")


async def definition(session: Session, name: str) -> Found | None:
    """Read a custom resource definition."""
    return await _single(session, f"{DEFINITION.api}/{DEFINITION.plural}/{quote(name, safe='')}")


async def account_exists(session: Session, namespace: str, name: str) -> bool:
    """Whether there is such a service account."""
    place = f"/api/v1/namespaces/{quote(namespace, safe='')}/serviceaccounts"
    return await _single(session, f"{place}/{quote(name, safe='')}") is not None


async def listed(
    session: Session, kind: Kind, *, namespace: str = "", fields: str = "", labels: str = ""
) -> Sequence[Found]:
    """List objects of a kind; none of one that the cluster does not serve."""
    place = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
    given = {"fieldSelector": fields, "labelSelector": labels}
    parameters = {name: value for name, value in given.items() if value}
    try:
        async with explaining_absence(session, kind):
            path = f"{kind.api}{place}/{kind.plural}"
            return (await _read(session, path, parameters, _List)).items or ()
    except NotServed:
        return ()


async def allowed(session: Session, right: Right, namespace: str, account: str = "") -> bool:
    """Ask whether a service account, or (none given) whoever asks, has a right somewhere."""
    resource, _, part = right.resource.partition("/")
    wanted = {
        "verb": right.verb,
        "group": right.group,
        "resource": resource,
        "subresource": part,
        "namespace": namespace,
    }
    kind = "SubjectAccessReview" if account else "SelfSubjectAccessReview"
    who: Mapping[str, object] = {"user": account, "groups": _groups(account)} if account else {}
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": kind,
        "spec": {
            **who,
            "resourceAttributes": {name: said for name, said in wanted.items() if said},
        },
    }
    call = Call(method="POST", path=f"{_REVIEWS}/{kind.lower()}s", body=body)
    return _decoded(await session.read(call), _Review, call.path).status.allowed


def account_user(namespace: str, name: str) -> str:
    """Return the user that a service account is."""
    return f"system:serviceaccount:{namespace}:{name}"


def _groups(account: str) -> tuple[str, ...]:
    return (*ACCOUNTS, f"system:serviceaccounts:{account.split(':')[2]}")


async def _single(session: Session, path: str) -> Found | None:
    try:
        return await _read(session, path, NO_PARAMETERS, dict[str, object])
    except ClusterRefusal as refusal:
        if refusal.code == _NOT_FOUND:
            return None
        raise


async def _read(session: Session, path: str, parameters: Mapping[str, str], shape: type[T]) -> T:
    call = Call(method="GET", path=path, parameters=parameters)
    return _decoded(await session.read(call), shape, path)


def _decoded(body: bytes, shape: type[T], path: str) -> T:
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError) as problem:
        raise ClusterUnavailable(f"{path} is not answered as Kubernetes does") from problem
