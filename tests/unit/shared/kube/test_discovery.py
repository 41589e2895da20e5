"""A kind that is not served is told from a stranger's answer by Kubernetes' own lists."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from shared.kube.credentials import Source
from shared.kube.errors import NothingThere
from shared.kube.kinds import POD, VOLCANO_POD_GROUP
from shared.kube.reading import KubeReader
from shared.kube.session import Session, connect
from shared.kube.writing import KubeWriter
from shared.ports.cluster import ClusterRefusal, ClusterUnavailable, NotServed

KIND = VOLCANO_POD_GROUP
VERSION = "scheduling.volcano.sh/v1beta1"
TOLD = f"the cluster serves no podgroups of {VERSION}: is its definition installed, in this version"
OTHER: dict[str, Any] = {
    "kind": "APIGroupList",
    "groups": [{"name": "apps", "versions": [{"groupVersion": "apps/v1", "version": "v1"}]}],
}
LISTED: dict[str, Any] = {
    "kind": "APIGroupList",
    "groups": [{"name": "scheduling.volcano.sh", "versions": [{"groupVersion": VERSION}]}],
}


class Server:
    """Answers some paths with documents, and all others as an API server answers nothing."""

    def __init__(self) -> None:
        self.documents: dict[str, tuple[int, object]] = {}
        self.asked: list[str] = []

    async def answer(self, request: web.Request) -> web.Response:
        self.asked.append(f"{request.method} {request.path}")
        code, document = self.documents.get(request.path, (404, None))
        if document is None:
            return web.Response(status=404, text="404 page not found\n")
        return web.json_response(document, status=code)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
async def session(server: Server, tmp_path: Path) -> AsyncIterator[Session]:
    app = web.Application()
    app.router.add_route("*", "/{rest:.*}", server.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    (tmp_path / "config").write_text(
        f"""
clusters: [{{name: c, cluster: {{server: "http://127.0.0.1:{runner.addresses[0][1]}"}}}}]
users: [{{name: u, user: {{}}}}]
contexts: [{{name: x, context: {{cluster: c, user: u}}}}]
current-context: x
"""
    )
    async with await connect(Source(kubeconfig=str(tmp_path / "config"))) as opened:
        yield opened
    await runner.cleanup()


async def test_a_group_that_is_not_listed_is_not_served(server: Server, session: Session) -> None:
    server.documents["/apis"] = (200, OTHER)

    with pytest.raises(NotServed, match=TOLD):
        await KubeReader(session).list(KIND)
    with pytest.raises(NotServed, match=TOLD):
        await KubeWriter(session).create(KIND, "default", {})
    with pytest.raises(NotServed, match=TOLD):
        await KubeWriter(session).find(KIND, "default", "one")


async def test_a_resource_that_its_group_leaves_out_is_not_served(
    server: Server, session: Session
) -> None:
    resources = {"kind": "APIResourceList", "resources": [{"name": "queues"}]}
    server.documents |= {"/apis": (200, LISTED), f"/apis/{VERSION}": (200, resources)}

    with pytest.raises(NotServed, match=TOLD):
        await KubeReader(session).list(KIND)


async def test_a_kind_that_is_listed_is_only_out_of_reach(server: Server, session: Session) -> None:
    resources = {"kind": "APIResourceList", "resources": [{"name": "podgroups"}]}
    server.documents |= {"/apis": (200, LISTED), f"/apis/{VERSION}": (200, resources)}

    with pytest.raises(NothingThere):
        await KubeReader(session).list(KIND)


@pytest.mark.parametrize(
    "groups",
    [
        (404, None),
        (200, {"kind": "Something"}),
        (200, {"groups": []}),
        (200, []),
        (403, {"kind": "Status", "code": 403, "reason": "Forbidden", "message": "no"}),
        (500, {"kind": "Status", "code": 500, "message": "down"}),
    ],
)
async def test_without_kubernetes_own_word_nothing_is_concluded(
    server: Server, session: Session, groups: tuple[int, object]
) -> None:
    server.documents["/apis"] = groups

    with pytest.raises(ClusterUnavailable):
        await KubeReader(session).list(KIND)


async def test_other_refusals_are_not_looked_into(server: Server, session: Session) -> None:
    refused = {"kind": "Status", "code": 403, "reason": "Forbidden", "message": "no"}
    server.documents[f"/apis/{VERSION}/podgroups"] = (403, refused)

    with pytest.raises(ClusterRefusal, match="403 Forbidden"):
        await KubeReader(session).list(KIND)
    assert server.asked == [f"GET /apis/{VERSION}/podgroups"]


async def test_a_missing_namespace_is_not_a_missing_kind(server: Server, session: Session) -> None:
    message = 'namespaces "gone" not found'
    missing = {"kind": "Status", "code": 404, "reason": "NotFound", "message": message}
    resources = {"kind": "APIResourceList", "resources": [{"name": "podgroups"}]}
    server.documents |= {
        "/apis": (200, LISTED),
        f"/apis/{VERSION}": (200, resources),
        f"/apis/{VERSION}/namespaces/gone/podgroups": (404, missing),
    }

    with pytest.raises(ClusterRefusal, match=message) as raised:
        await KubeWriter(session).create(KIND, "gone", {})
    assert not isinstance(raised.value, NotServed)


async def test_the_core_is_always_served(server: Server, session: Session) -> None:
    server.documents["/apis"] = (200, OTHER)

    with pytest.raises(NothingThere):
        await KubeReader(session).list(POD)
