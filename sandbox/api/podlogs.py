"""The log subresource of pods: what kubectl logs asks for, with follow.

Which container, which run and which lines is read from the query as the API server does; the lines
themselves come from `sandbox.controllers.podlogs`, or from the job that a submitter follows. Read
next: `sandbox.controllers.podlogs`.
"""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from aiohttp import web
from msgspec import Struct

from sandbox.cluster import Cluster
from sandbox.controllers import podlogs
from sandbox.controllers.podlogs import Asked, Line, Run
from sandbox.dashboard.submitters import lines_of_job
from sandbox.errors import ApiError
from sandbox.objects import Object, dig, moment, name_of, rows

PLACE = "/api/v1/namespaces/{namespace}/pods/{name}/log"
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


class Wanted(Struct, frozen=True, kw_only=True):
    """What one request is about."""

    container: str
    previous: bool
    follow: bool
    asked: Asked


class PodLogs:
    """The route of the log subresource."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.really: Really = nobody

    def add_routes(self, app: web.Application) -> None:
        """Serve it; must come before the routes for objects."""
        app.router.add_get(PLACE, self._log)

    async def _log(self, http: web.Request) -> web.StreamResponse:
        pod = self._pod(http)
        wanted = _wanted(http.query, pod, self._cluster.state.clock())
        lines, _ = self._lines(pod, wanted)
        chosen = podlogs.select(lines, wanted.asked)
        if not wanted.follow:
            return _text(chosen, wanted, http.query)
        answer = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await answer.prepare(http)
        with contextlib.suppress(ConnectionResetError):
            await answer.write(_shown(chosen, wanted))
            await self._follow(http, answer, wanted, len(lines))
            await answer.write_eof()
        return answer

    async def _follow(
        self, http: web.Request, answer: web.StreamResponse, wanted: Wanted, sent: int
    ) -> None:
        pod, over = self._pod(http), False
        while not over:
            await asyncio.sleep(LOOK_EVERY)
            try:
                pod = self._pod(http)
                lines, over = self._lines(pod, wanted)
            except ApiError:
                last = self.really(pod, wanted.container, previous=wanted.previous)
                lines, over = last or (), True
            if len(lines) > sent:
                await answer.write(_shown(lines[sent:], wanted))
                sent = len(lines)

    def _lines(self, pod: Object, wanted: Wanted) -> tuple[Sequence[Line], bool]:
        """Return all lines so far, and whether there will be no more."""
        run = podlogs.run_of(pod, wanted.container, previous=wanted.previous)
        if run is None:
            raise _nothing_yet(pod, wanted)
        now = self._cluster.state.clock()
        ended = run.ended_at is not None
        real = self.really(pod, wanted.container, previous=wanted.previous)
        if real is not None:
            return real, ended
        job = self._of_job(pod, wanted.container, run, now)
        if job is not None:
            return job, ended
        rule = self._cluster.scenario.rule_for(pod)
        return podlogs.printed(pod, wanted.container, rule, run, now), ended

    def _of_job(
        self, pod: Object, container: str, run: Run, now: datetime
    ) -> Sequence[Line] | None:
        fleet, script = self._cluster.controllers.fleet, self._cluster.scenario.ray
        text = lines_of_job(fleet, pod, container, now, script)
        if text is None:
            return None
        return [Line(run.started_at, line) for line in text.splitlines()]

    def _pod(self, http: web.Request) -> Object:
        name = http.match_info["name"]
        found = self._cluster.state.store.get("pods", http.match_info["namespace"], name)
        if found is None:
            raise ApiError.not_found("pods", name)
        return found


def _wanted(query: Mapping[str, str], pod: Object, now: datetime) -> Wanted:
    tail, since = query.get("tailLines"), query.get("sinceTime")
    seconds = query.get("sinceSeconds")
    if seconds is not None:
        start: datetime | None = now - timedelta(seconds=_number("sinceSeconds", seconds))
    else:
        start = moment(since) if since else None
    return Wanted(
        container=_container(query.get("container", ""), pod),
        previous=_true(query.get("previous")),
        follow=_true(query.get("follow")),
        asked=Asked(
            tail=None if tail is None else _number("tailLines", tail),
            since=start,
            timestamps=_true(query.get("timestamps")),
        ),
    )


def _container(asked: str, pod: Object) -> str:
    main = [str(each.get("name")) for each in rows(pod, "spec.containers")]
    known = podlogs.containers(pod)
    if asked in known:
        return asked
    if asked:
        raise ApiError.bad_request(f"container {asked} is not valid for pod {name_of(pod)}")
    if len(main) == 1:
        return main[0]
    choice = " ".join(main)
    told = f"a container name must be specified for pod {name_of(pod)}, choose one of: [{choice}]"
    raise ApiError.bad_request(told)


def _nothing_yet(pod: Object, wanted: Wanted) -> ApiError:
    if wanted.previous:
        told = f'previous terminated container "{wanted.container}" in pod "{name_of(pod)}"'
        return ApiError.bad_request(f"{told} not found")
    statuses = rows(pod, "status.containerStatuses")
    found = next((each for each in statuses if each.get("name") == wanted.container), None)
    reason = dig(found, "state.waiting.reason") or "ContainerCreating"
    told = f'container "{wanted.container}" in pod "{name_of(pod)}" is waiting to start: {reason}'
    return ApiError.bad_request(told)


def _text(lines: Sequence[Line], wanted: Wanted, query: Mapping[str, str]) -> web.Response:
    body = _shown(lines, wanted)
    limit = query.get("limitBytes")
    if limit is not None:
        body = body[: _number("limitBytes", limit)]
    return web.Response(body=body, headers={"Content-Type": "text/plain"})


def _shown(lines: Sequence[Line], wanted: Wanted) -> bytes:
    return "".join(line.shown(timestamps=wanted.asked.timestamps) for line in lines).encode()


def _number(name: str, text: str) -> int:
    if not text.isdigit():
        raise ApiError.bad_request(f"{name}: Invalid value: {text!r}: must be a whole number")
    return int(text)


def _true(text: str | None) -> bool:
    return (text or "").lower() in {"1", "true"}
