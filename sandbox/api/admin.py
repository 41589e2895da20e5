"""The sandbox's own calls, under `/sandbox/`: change the scenario, make trouble, find dashboards.

No Kubernetes has these; they are for whoever plays with the sandbox. All take and return JSON.
"""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

import msgspec
import yaml
from aiohttp import web
from msgspec import Struct
from msgspec.structs import replace

from sandbox.api.exchange import respond
from sandbox.api.suffering import Suffering
from sandbox.cluster import Cluster
from sandbox.controllers.scenario import ScenarioError, read_scenario
from sandbox.controllers.told import with_exit
from sandbox.dashboard.door import Door
from sandbox.dashboard.heads import RayNode
from sandbox.errors import ApiError
from sandbox.objects import Object, rows
from sandbox.troubles import Troubles, read_trouble

T = TypeVar("T")
CALLS = {
    "GET /sandbox": "this list",
    "GET /sandbox/scenario": "how pods and Ray fare",
    "PUT /sandbox/scenario": "from now on so (YAML or JSON)",
    "GET /sandbox/troubles": "what requests suffer",
    "POST /sandbox/troubles": "one more rule",
    "DELETE /sandbox/troubles": "everything goes well again",
    "POST /sandbox/down": '{"seconds": 5}: the API server breaks every connection',
    "POST /sandbox/watches/end": '{"resource": "pods", "abruptly": true}: end open watches',
    "POST /sandbox/nodes/NAME/lose": "the node stops answering",
    "POST /sandbox/nodes/NAME/restore": "the node answers again",
    "POST /sandbox/pods/NAMESPACE/NAME/exit": '{"container": "c", "exit_code": 1}: end a process',
    "GET /sandbox/dashboards": "every head, and the proxy that leads to it",
    "POST /sandbox/dashboards/NAMESPACE/POD": "give its dashboard a port of its own",
}


class Down(Struct, frozen=True, forbid_unknown_fields=True):
    """For how long."""

    seconds: float


class EndWatches(Struct, frozen=True, forbid_unknown_fields=True):
    """Which watches, and how."""

    resource: str = "*"
    abruptly: bool = False


class Exit(Struct, frozen=True, forbid_unknown_fields=True):
    """Which process ends, and how; the first container if none is named."""

    container: str = ""
    exit_code: int = 1


class Admin:
    """The routes under `/sandbox/`."""

    def __init__(
        self,
        cluster: Cluster,
        troubles: Troubles,
        suffering: Suffering,
        door: Door,
        news: Callable[[], None],
    ) -> None:
        self._cluster = cluster
        self._news = news
        self._troubles = troubles
        self._suffering = suffering
        self._door = door

    def add_routes(self, app: web.Application) -> None:
        """Serve them."""
        router = app.router
        router.add_get("/sandbox", self._index)
        router.add_get("/sandbox/", self._index)
        router.add_get("/sandbox/scenario", self._scenario)
        router.add_put("/sandbox/scenario", self._set_scenario)
        router.add_get("/sandbox/troubles", self._list_troubles)
        router.add_post("/sandbox/troubles", self._add_trouble)
        router.add_delete("/sandbox/troubles", self._clear_troubles)
        router.add_post("/sandbox/down", self._down)
        router.add_post("/sandbox/watches/end", self._end_watches)
        router.add_post("/sandbox/nodes/{name}/{fate:lose|restore}", self._node)
        router.add_post("/sandbox/pods/{namespace}/{name}/exit", self._exit)
        router.add_get("/sandbox/dashboards", self._dashboards)
        router.add_post("/sandbox/dashboards/{namespace}/{name}", self._open_dashboard)

    async def _index(self, _: web.Request) -> web.Response:
        return respond(CALLS)

    async def _scenario(self, _: web.Request) -> web.Response:
        return respond(msgspec.to_builtins(self._cluster.scenario))

    async def _set_scenario(self, http: web.Request) -> web.Response:
        try:
            self._cluster.scenario = read_scenario(yaml.safe_load(await http.read()))
        except (ScenarioError, yaml.YAMLError) as error:
            raise ApiError.bad_request(str(error)) from error
        self._news()
        return await self._scenario(http)

    async def _list_troubles(self, _: web.Request) -> web.Response:
        rules = self._troubles.rules(self._now())
        return respond({"items": msgspec.to_builtins(rules)})

    async def _add_trouble(self, http: web.Request) -> web.Response:
        self._troubles.add(read_trouble(await http.read()), self._now())
        return await self._list_troubles(http)

    async def _clear_troubles(self, http: web.Request) -> web.Response:
        self._troubles.clear()
        return await self._list_troubles(http)

    async def _down(self, http: web.Request) -> web.Response:
        asked = _read(await http.read(), Down)
        self._troubles.go_down(asked.seconds, self._now())
        ended = self._suffering.end_watches("*", abruptly=True)
        return respond({"seconds": asked.seconds, "watchesEnded": ended})

    async def _end_watches(self, http: web.Request) -> web.Response:
        asked = _read(await http.read(), EndWatches)
        ended = self._suffering.end_watches(asked.resource, abruptly=asked.abruptly)
        return respond({"watchesEnded": ended})

    async def _node(self, http: web.Request) -> web.Response:
        name, scenario = http.match_info["name"], self._cluster.scenario
        others = tuple(each for each in scenario.lost_nodes if each != name)
        lost = (*others, name) if http.match_info["fate"] == "lose" else others
        self._cluster.scenario = replace(scenario, lost_nodes=lost)
        self._news()
        return respond({"lostNodes": list(lost)})

    async def _exit(self, http: web.Request) -> web.Response:
        asked = _read(await http.read(), Exit)
        pod = self._pod(http)
        names = [str(each.get("name")) for each in rows(pod, "spec.containers")]
        container = asked.container or names[0]
        if container not in names:
            raise ApiError.bad_request(f"container {container!r} is not one of {names}")
        noted = with_exit(pod, container, self._now(), asked.exit_code)
        self._cluster.update("pods", noted)
        return respond({"container": container, "exitCode": asked.exit_code})

    async def _dashboards(self, _: web.Request) -> web.Response:
        await self._door.close_missing()
        heads = self._cluster.controllers.fleet.heads(self._cluster.scenario.ray)
        return respond(
            {"proxy": self._door.url, "items": [self._told(head.node) for head in heads]}
        )

    async def _open_dashboard(self, http: web.Request) -> web.Response:
        match = http.match_info
        self._pod(http)
        url = await self._door.open_for(match["namespace"], match["name"])
        return respond({"url": url})

    def _told(self, node: RayNode) -> Object:
        return {
            "namespace": node.namespace,
            "cluster": node.cluster,
            "pod": node.pod,
            "address": f"http://{node.address}:8265",
            "url": self._door.url_of(node.namespace, node.pod),
        }

    def _pod(self, http: web.Request) -> Object:
        match = http.match_info
        return self._cluster.get("pods", match["namespace"], match["name"])

    def _now(self) -> datetime:
        return self._cluster.state.clock()


def _read(body: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except msgspec.DecodeError as error:
        raise ApiError.bad_request(f"the body cannot be read: {error}") from error
