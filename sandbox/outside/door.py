"""The kubelet's own door: HTTPS on loopback, where the API server asks for what containers printed.

As a kubelet does, it refuses in plain text, and the API server makes its Status of that. Only
loopback can reach it, and of those only clients with a certificate of the cluster's authority,
where the kubeconfig names one. Read next: `sandbox.containerlogs`; nameplate.py.
"""

import asyncio

from aiohttp import web

from sandbox.containerlogs import ContainerLogs, Which
from sandbox.controllers import podlogs
from sandbox.controllers.addresses import LOOPBACK
from sandbox.errors import ApiError
from sandbox.logoptions import read_wanted
from sandbox.outside.certificate import make_context

PLACE = "/containerLogs/{namespace}/{pod}/{container}"
UNREADABLE = {400: '{"message": "Unable to decode query."}', 422: '{"message": "Invalid request."}'}
NOT_FOUND = 404


class KubeletDoor:
    """One port for all nodes."""

    def __init__(self, lines: ContainerLogs) -> None:
        self._lines = lines
        self._runner: web.AppRunner | None = None

    @property
    def port(self) -> int:
        """The port; none while the door is shut."""
        return 0 if self._runner is None else int(self._runner.addresses[0][1])

    async def open(self, authority: bytes) -> None:
        """Open it; raises `NoCertificateError` where no certificate can be made."""
        context = await asyncio.to_thread(make_context, authority)
        app = web.Application()
        app.router.add_get(PLACE, self._answer)
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=1)
        await runner.setup()
        await web.TCPSite(runner, LOOPBACK, 0, ssl_context=context).start()
        self._runner = runner

    async def close(self) -> None:
        """Shut it."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _answer(self, http: web.Request) -> web.StreamResponse:
        which = Which(**http.match_info)
        try:
            wanted = read_wanted(http.query, which.pod, self._lines.clock())
        except ApiError as refused:
            return web.Response(status=refused.code, text=UNREADABLE[refused.code])
        pod = self._lines.find(which.namespace, which.pod)
        if pod is None:
            told = f'pod "{which.pod}" does not exist'
            return web.Response(status=NOT_FOUND, text=told)
        if which.container not in podlogs.containers(pod):
            told = f'container "{which.container}" not found in pod "{which.pod}"'
            return web.Response(status=NOT_FOUND, text=told)
        try:
            return await self._lines.answer(http, which, wanted)
        except ApiError as refused:
            return web.Response(status=refused.code, text=str(refused))
