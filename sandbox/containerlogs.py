"""The lines of a container as a kubelet gives them out: checked, chosen, written, followed.

Two doors share it: the API server's `log` subresource (`sandbox.api.podlogs`) and the door of the
kubelet outside (`sandbox.outside.door`). They differ in their paths and in how they word a refusal.
Invariant: one request is about one run; following ends with that run, even where another begins.
The lines come from `sandbox.controllers.podlogs`, or from the job that a submitter follows. Read
next: logoptions.py.
"""

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from aiohttp import web

from sandbox.controllers import podlogs
from sandbox.controllers.podlogs import Line, Run
from sandbox.controllers.scenario import Scenario
from sandbox.dashboard.fleet import Fleet
from sandbox.dashboard.submitters import lines_of_job
from sandbox.errors import ApiError
from sandbox.logoptions import Wanted
from sandbox.objects import Object

LOOK_EVERY = 0.1


class Really(Protocol):
    """Knows what a container that really runs has printed; None for one that is played."""

    def __call__(self, pod: Object, container: str, *, previous: bool) -> Sequence[Line] | None:
        """Return the lines of the last run, or of the one before."""
        ...


def nobody(pod: Object, container: str, *, previous: bool) -> Sequence[Line] | None:
    """Know of no container that really runs."""
    del pod, container, previous
    return None


class Which(NamedTuple):
    """A container of a pod."""

    namespace: str
    pod: str
    container: str


class ContainerLogs:
    """Everything that the containers of one cluster have printed."""

    def __init__(
        self,
        find: Callable[[str, str], Object | None],
        fleet: Fleet,
        clock: Callable[[], datetime],
        scenario: Callable[[], Scenario],
    ) -> None:
        self.find = find
        """Finds a pod by namespace and name."""
        self.clock = clock
        self.really: Really = nobody
        self._fleet = fleet
        self._scenario = scenario

    async def answer(self, http: web.Request, which: Which, wanted: Wanted) -> web.StreamResponse:
        """Write the lines of a container; raises `ApiError` before anything is sent."""
        pod = self.find(which.namespace, which.pod)
        if pod is None:
            raise ApiError.not_found("pods", which.pod)
        run = podlogs.run_of(pod, which.container, previous=wanted.previous)
        if run is None:
            told = podlogs.no_run(pod, which.container, previous=wanted.previous)
            raise ApiError.bad_request(told)
        lines = self._lines(pod, which, wanted, run)
        answer = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await answer.prepare(http)
        paper = _Paper(answer, wanted)
        with contextlib.suppress(ConnectionResetError):
            await paper.write(podlogs.select(lines, wanted.asked))
            if wanted.follow and run.ended_at is None:
                await self._follow(which, paper, run, len(lines))
            await answer.write_eof()
        return answer

    async def _follow(self, which: Which, paper: "_Paper", run: Run, sent: int) -> None:
        """Write what comes until the run ends; what really ran can tell of a pod that is gone."""
        last = self.find(which.namespace, which.pod) or {}
        known: Run | None = run
        while known is not None and known.ended_at is None and not paper.full:
            await asyncio.sleep(LOOK_EVERY)
            pod = self.find(which.namespace, which.pod)
            known = None if pod is None else podlogs.same_run(pod, which.container, run)
            if pod is not None and known is None:
                return
            last = pod or last
            lines = self._lines(last, which, paper.wanted, known)
            await paper.write(lines[sent:])
            sent = max(sent, len(lines))

    def _lines(self, pod: Object, which: Which, wanted: Wanted, run: Run | None) -> Sequence[Line]:
        """Return all lines of a run so far; of one that is gone, only what really ran can tell."""
        real = self.really(pod, which.container, previous=wanted.previous)
        if real is not None or run is None:
            return real or ()
        now, scenario = self.clock(), self._scenario()
        job = lines_of_job(self._fleet, pod, which.container, now, scenario.ray)
        if job is not None:
            return [Line(run.started_at, line) for line in job.splitlines()]
        return podlogs.printed(pod, which.container, scenario.rule_for(pod), run, now)


class _Paper:
    """What one request has been sent so far."""

    def __init__(self, answer: web.StreamResponse, wanted: Wanted) -> None:
        self.wanted = wanted
        self._answer = answer
        self._left = wanted.limit

    @property
    def full(self) -> bool:
        """Tell whether nothing more may be sent."""
        return self._left == 0

    async def write(self, lines: Sequence[Line]) -> None:
        """Send lines, cut where the limit is."""
        timestamps = self.wanted.asked.timestamps
        text = "".join(line.shown(timestamps=timestamps) for line in lines).encode()
        if self._left is not None:
            text = text[: self._left]
            self._left -= len(text)
        if text:
            await self._answer.write(text)
