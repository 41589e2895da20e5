"""One want, asked once: the answer as a fact.

Nothing here raises for what the world may do: a dashboard that does not answer is an answer, too.
Only a failed read of Kubernetes is none: nothing is told then, because nothing is known.
"""

from datetime import UTC, datetime
from typing import assert_never

from msgspec.structs import replace

from services.watcher.translate.facts import seen
from services.watcher.translate.resources import without_spec
from shared.events import told
from shared.events.codec import encode
from shared.events.objects import RECORD_BYTES_MAX, PodSeen, ResourceSeen
from shared.events.told import (
    ApplicationTold,
    DeploymentTold,
    HealthTold,
    JobTold,
    Looked,
    ServeTold,
    Told,
    Want,
    WantedHealth,
    WantedJob,
    WantedObject,
    WantedServe,
)
from shared.kube.kinds import KINDS
from shared.ports.cluster import ClusterReader, ClusterRefusal, ClusterUnavailable
from shared.ports.dashboard import Dashboard, DashboardFailed, Place

MESSAGE_MAX = 100_000
"""Letters of a job's message that are told."""
SENTENCE_MAX = 2_000
"""Letters of an application's message that are told."""
_BEGINNING = 300
_LEFT_OUT = "\n...\n"
_MILLISECONDS = 1000
_LATEST = 221_845_392_000_000
"""The year 9000, in milliseconds: what is later is no moment that anything can be added to."""


class Questions:
    """Asks on behalf of resources."""

    def __init__(self, cluster: ClusterReader, dashboard: Dashboard) -> None:
        self._cluster = cluster
        self._dashboard = dashboard

    async def ask(self, namespace: str, want: Want) -> Told | None:
        """Return the answer to a want; None if nobody could be asked."""
        match want:
            case WantedJob():
                return await self._job(namespace, want)
            case WantedObject():
                return await self._objects(namespace, want)
            case WantedServe():
                return await self._serve(namespace, want)
            case WantedHealth():
                return await self._health(namespace, want)
            case _:
                assert_never(want)

    async def _job(self, namespace: str, want: WantedJob) -> JobTold | None:
        if not want.job_id:
            return None
        place = Place(
            namespace=namespace, address=want.address, service=want.service, secret=want.secret
        )
        try:
            job = await self._dashboard.job(place, want.job_id)
        except DashboardFailed as problem:
            failure = problem.failure.value
            return JobTold(
                job_id=want.job_id, since=want.since, answer=told.FAILED, failure=failure
            )
        if job is None:
            return JobTold(job_id=want.job_id, since=want.since, answer=told.MISSING)
        return JobTold(
            job_id=want.job_id,
            since=want.since,
            answer=told.FOUND,
            status=job.status,
            message=(job.message or "")[:MESSAGE_MAX],
            started_at=_moment(job.start_time),
            ended_at=_moment(job.end_time),
        )

    async def _serve(self, namespace: str, want: WantedServe) -> ServeTold:
        place = Place(
            namespace=namespace, address=want.address, service=want.service, secret=want.secret
        )
        try:
            found = await self._dashboard.applications(place)
        except DashboardFailed as problem:
            return ServeTold(since=want.since, answer=told.FAILED, failure=problem.failure.value)
        applications = {
            name: ApplicationTold(
                status=one.status,
                message=_gist(one.message or ""),
                deployments={
                    deployment: DeploymentTold(
                        status=each.status, message=_gist(each.message or "")
                    )
                    for deployment, each in one.deployments.items()
                },
            )
            for name, one in found.applications.items()
        }
        return ServeTold(since=want.since, answer=told.FOUND, applications=applications)

    async def _health(self, namespace: str, want: WantedHealth) -> HealthTold:
        well = await self._dashboard.proxy_is_well(namespace, want.pod, want.ip, want.port)
        return HealthTold(
            since=want.since, pod=want.pod, ip=want.ip, healthy=well is True, silent=well is None
        )

    async def _objects(self, namespace: str, want: WantedObject) -> Looked | None:
        kind = KINDS[want.kind]
        selector = ",".join(f"{key}={value}" for key, value in sorted(want.labels.items()))
        try:
            listing = await self._cluster.look(kind, namespace, name=want.object, selector=selector)
        except (ClusterUnavailable, ClusterRefusal):
            return None
        found = (seen(kind, raw) for raw in listing.objects)
        objects = tuple(one for one in found if isinstance(one, ResourceSeen | PodSeen))
        return _fitting(Looked(kind=want.kind, since=want.since, objects=objects))


def _fitting(looked: Looked) -> Looked:
    """Leave out what makes an answer too large for the log: the specs of what was found."""
    size = len(encode(looked))
    if size <= RECORD_BYTES_MAX:
        return looked
    slim = tuple(
        without_spec(one, size) if isinstance(one, ResourceSeen) else one for one in looked.objects
    )
    return replace(looked, objects=slim)


def _gist(message: str) -> str:
    """Shorten a message in its middle: a traceback says at its end what is wrong."""
    if len(message) <= SENTENCE_MAX:
        return message
    rest = SENTENCE_MAX - _BEGINNING - len(_LEFT_OUT)
    return message[:_BEGINNING] + _LEFT_OUT + message[-rest:]


def _moment(milliseconds: int | None) -> datetime | None:
    if not milliseconds or not 0 < milliseconds <= _LATEST:
        return None
    return datetime.fromtimestamp(milliseconds / _MILLISECONDS, tz=UTC)
