"""The log subresource of pods, as kubectl logs asks for it.

Which container is meant is checked as the API server does; the rest is the kubelet's part. Read
next: `sandbox.containerlogs`.
"""

from aiohttp import web

from sandbox.cluster import Cluster
from sandbox.containerlogs import ContainerLogs, Which
from sandbox.controllers import podlogs
from sandbox.errors import ApiError
from sandbox.logoptions import read_wanted
from sandbox.objects import Object, dig, name_of, rows

PLACE = "/api/v1/namespaces/{namespace}/pods/{name}/log"
NO_CONTENT = 204


class PodLogs:
    """The route of the log subresource."""

    def __init__(self, cluster: Cluster) -> None:
        self.lines = ContainerLogs(
            lambda namespace, name: cluster.state.store.get("pods", namespace, name),
            cluster.controllers.fleet,
            cluster.state.clock,
            lambda: cluster.scenario,
        )

    def add_routes(self, app: web.Application) -> None:
        """Serve it; must come before the routes for objects."""
        app.router.add_get(PLACE, self._log)

    async def _log(self, http: web.Request) -> web.StreamResponse:
        """Answer; a pod that no node has yet gets no answer rather than a refusal."""
        namespace, name = http.match_info["namespace"], http.match_info["name"]
        wanted = read_wanted(http.query, name, self.lines.clock())
        pod = self.lines.find(namespace, name)
        if pod is None:
            raise ApiError.not_found("pods", name)
        container = _container(http.query.get("container", ""), pod)
        if not dig(pod, "spec.nodeName"):
            return web.Response(status=NO_CONTENT)
        return await self.lines.answer(http, Which(namespace, name, container), wanted)


def _container(asked: str, pod: Object) -> str:
    known = podlogs.containers(pod)
    if asked in known:
        return asked
    if asked:
        raise ApiError.bad_request(f"container {asked} is not valid for pod {name_of(pod)}")
    main = [str(each.get("name")) for each in rows(pod, "spec.containers")]
    if len(main) == 1:
        return main[0]
    choice = " ".join(known)
    told = f"a container name must be specified for pod {name_of(pod)}, choose one of: [{choice}]"
    raise ApiError.bad_request(told)
