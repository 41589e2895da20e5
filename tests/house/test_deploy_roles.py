"""Rights are those that the code uses, and who decides has none.

They are not written down a second time: the adapters make their calls against a server that notes
them, and the roles must grant exactly that.
"""

import ast
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TypeAlias

import pytest
import yaml
from aiohttp import web

from services.watcher.sources.kinds import WATCHED
from shared.dashboard.client import RayDashboards
from shared.dashboard.doors import ProxyDoors
from shared.dashboard.tokens import SecretTokens
from shared.kube.credentials import Source
from shared.kube.kinds import EVENT, KINDS, OPTIONAL_CHILDREN, POD, RAYCRONJOB
from shared.kube.reading import KubeReader
from shared.kube.secrets import KubeSecrets
from shared.kube.session import Session, connect
from shared.kube.writing import KubeStatusWriter, KubeWriter
from shared.ports.dashboard import DashboardFailed, Place
from shared.runtime.reading import read_settings
from tests.house.deployed import (
    Manifest,
    manifests,
    of_kind,
    pod_specs,
    rendered,
    with_component,
)
from tests.house.sources import files, tree

OWNER_CHECK = {
    ("update", "ray.io", f"{kind}/finalizers")
    for kind in ("rayclusters", "rayjobs", "rayservices", "raycronjobs")
}
"""Asked for by API servers that check owner references; no call of ours shows it."""
DELEGATED = {("watch", "", "pods"), ("patch", "", "pods/resize")}
"""Held only to be given on: nobody may grant the autoscaler's role who does not hold it."""
BY_VARIABLE = {
    "access.py": {"serviceaccount", "role", "rolebinding"},
    "certificates.py": {"issuer", "certificate"},
    "batch_scheduling.py": {"volcanopodgroup", "pluginpodgroup"},
    "gateway.py": {"gateway", "httproute"},
}
"""Kinds that one function makes, whichever it is given."""
PLACE = Place(namespace="default", address="", service="one")
WITHHELD = ("list", "", "secrets")
"""Whoever may list Secrets may read them all; without it only a rare race is told as refused."""

READS = {"get", "list", "watch"}

PATH = re.compile(
    r"/(?:api|apis/(?P<group>[^/]+))/[^/]+(?:/namespaces/[^/]+)?"
    r"/(?P<plural>[^/]+)(?:/(?P<name>[^/]+))?(?:/(?P<sub>[^/]+)(?:/.*)?)?"
)
Right: TypeAlias = tuple[str, str, str]
"""Verb, API group, resource."""


def rights(role: Manifest) -> set[Right]:
    """Return what a role grants."""
    return {
        (verb, group, resource)
        for rule in role["rules"]
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


def right_of(request: web.Request) -> Right:
    """Return the right that the API server would ask for."""
    parts = PATH.fullmatch(request.path)
    assert parts, request.path
    reading = "get" if parts["name"] else "watch" if "watch" in request.query else "list"
    verbs = {
        "GET": reading,
        "POST": "create",
        "PUT": "update",
        "DELETE": "delete",
        "PATCH": "patch",
    }
    resource = "/".join(part for part in (parts["plural"], parts["sub"]) if part)
    return verbs[request.method], parts["group"] or "", resource


@asynccontextmanager
async def noting(noted: set[Right], folder: Path) -> AsyncIterator[Session]:
    """Run a server that notes what it is asked for, and a session with it."""

    async def answer(request: web.Request) -> web.Response:
        right = right_of(request)
        noted.add(right)
        if right[0] == "get":
            return web.json_response({"kind": "Status", "code": 404}, status=404)
        return web.json_response(
            {"kind": "List", "metadata": {"resourceVersion": "1"}, "items": []}
        )

    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        async with await connect(source(runner.addresses[0][1], folder)) as session:
            yield session
    finally:
        await runner.cleanup()


def source(port: int, folder: Path) -> Source:
    config = {
        "clusters": [{"name": "c", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "u", "user": {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    (folder / "config").write_text(yaml.safe_dump(config), encoding="utf-8")
    return Source(kubeconfig=str(folder / "config"))


def asked_of_kinds(action: str) -> set[str]:
    """Return the kinds of object for which decisions ask for an action."""
    found: set[str] = set()
    for path in files("services/reconciler/decisions"):
        words = constants(tree(path))
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == action:
                kinds = [word.value for word in node.keywords if word.arg == "kind"]
                given = {ast.unparse(kind) for kind in kinds}
                found |= {words[kind] for kind in given if kind in words}
                found |= BY_VARIABLE.get(path.name, set()) if "kind" in given else set()
    return found


def constants(module: ast.Module) -> dict[str, str]:
    """Return the texts of a module as they are written, and the names that stand for texts."""
    named = {
        ast.unparse(node.targets[0]): node.value.value
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
    }
    literals = (node for node in ast.walk(module) if isinstance(node, ast.Constant))
    return {
        **{ast.unparse(node): str(node.value) for node in literals},
        **{name: str(value) for name, value in named.items()},
    }


async def watch(session: Session) -> None:
    reader = KubeReader(session)
    for kind in (*WATCHED, RAYCRONJOB, *OPTIONAL_CHILDREN):
        await reader.list(kind)
        async with reader.watch(kind, 1):
            pass

    await reader.look(POD, "default", name="", selector="ray.io/cluster=one")
    await call(session, lambda dashboard: dashboard.job(PLACE, "one"))
    await call(session, lambda dashboard: dashboard.proxy_is_well("default", "one", "", 8000))


async def call(session: Session, ask: Callable[[RayDashboards], Awaitable[object]]) -> None:
    """Call a dashboard through the API server, which has none; and read the token for it."""
    tokens = SecretTokens(KubeSecrets(session))
    doors = ProxyDoors(session.http, session.host, session.identity, tokens)
    with suppress(DashboardFailed):
        await ask(RayDashboards(doors))
    with pytest.raises(DashboardFailed):
        await tokens("default", "one")


async def act(session: Session) -> None:
    writer = KubeWriter(session)
    created, deleted = asked_of_kinds("CreateObject"), asked_of_kinds("DeleteObject")
    patched = asked_of_kinds("PatchObject")
    for kind in (KINDS[word] for word in sorted(created | deleted | patched)):
        await writer.find(kind, "default", "one")
    for kind in (KINDS[word] for word in sorted(patched)):
        await writer.patch(kind, "default", "one", {})
    for kind in (*(KINDS[word] for word in sorted(created)), EVENT):
        await writer.create(kind, "default", {})
    for kind in (KINDS[word] for word in sorted(deleted)):
        await writer.delete(kind, "default", "one", uid="u")
    await call(session, lambda dashboard: dashboard.submit(PLACE, "one", {}))
    await call(session, lambda dashboard: dashboard.stop(PLACE, "one"))
    await call(session, lambda dashboard: dashboard.configure(PLACE, {}))


async def tell(session: Session) -> None:
    for kind in ("raycluster", "rayjob", "rayservice", "raycronjob"):
        await KubeStatusWriter(session).write_status(KINDS[kind], "default", "one", {})


WORK: Mapping[str, Callable[[Session], Awaitable[None]]] = {
    "watcher": watch,
    "executor": act,
    "status": tell,
}


@pytest.mark.parametrize("service", WORK)
async def test_a_role_grants_what_its_service_asks_for_and_no_more(
    service: str, tmp_path: Path
) -> None:
    noted: set[Right] = set()
    async with noting(noted, tmp_path) as session:
        await WORK[service](session)

    granted = rights(of_kind("ClusterRole")[service])
    passed_on = OWNER_CHECK | DELEGATED if service == "executor" else set()
    assert granted - passed_on == noted - {WITHHELD}


async def test_a_shadow_may_read_what_its_executor_looks_at_and_change_nothing(
    tmp_path: Path,
) -> None:
    """The component takes rights away; what is left is what the calls that read ask for."""
    noted: set[Right] = set()
    async with noting(noted, tmp_path) as session:
        await act(session)
        await call(session, lambda dashboard: dashboard.job(PLACE, "one"))
    looked = {right for right in noted - {WITHHELD} if right[0] in ("get", "list")}

    objects = rendered(with_component("shadow", tmp_path))
    watched = rights(of_kind("ClusterRole")["watcher"])
    settings = objects["ConfigMap", "heliograph-settings"]["data"]

    assert {
        one: rights(role) for (kind, one), role in objects.items() if kind == "ClusterRole"
    } == {
        "heliograph-executor": looked,
        "heliograph-status": set(),
        "heliograph-watcher": watched,
    }
    assert {verb for verb, _, _ in watched} <= READS
    assert read_settings({}, settings, member="one").kube.shadow


def test_whoever_decides_has_no_role_and_no_token() -> None:
    bound = {
        subject["name"]
        for one in manifests()
        for subject in (one.get("subjects") or [])
        if one["kind"] in ("ClusterRoleBinding", "RoleBinding")
    }
    tokens = {
        service: spec.get("automountServiceAccountToken", True)
        for service, spec in pod_specs().items()
    }

    assert bound == {f"heliograph-{service}" for service in WORK}
    assert {service for service, mounted in tokens.items() if mounted} == set(WORK)
    for account, one in of_kind("ServiceAccount").items():
        assert one.get("automountServiceAccountToken", True) == (account in WORK)


def test_only_the_executor_creates_and_deletes_and_only_status_writes_status() -> None:
    granted = {role: rights(one) for role, one in of_kind("ClusterRole").items()}
    changing = {"create", "delete", "deletecollection", "update", "*"}

    def holders(wanted: Callable[[Right], bool]) -> set[str]:
        return {role for role, each in granted.items() if any(map(wanted, each))}

    assert holders(lambda right: right[0] in changing) == {"executor"}
    assert holders(lambda right: right[0] == "patch") == {"executor", "status"}
    assert holders(lambda right: right[2].endswith("/status")) == {"status"}
    assert holders(lambda right: "*" in right) == set()
