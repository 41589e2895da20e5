"""A Ray dashboard as services see it: jobs, Serve applications, health.

Adapter: `shared.dashboard`. Every call ends within a bound. What goes wrong is raised as
`DashboardFailed` with its class, because what to do differs: a job that is not known may be
submitted, a dashboard that cannot be reached may know it. Answers hold what decisions need;
whatever else a dashboard says, of this version or the next, is left out.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol

from msgspec import Struct, field

Request = Mapping[str, object]
"""A body as the dashboard's API takes it."""


class Failure(StrEnum):
    """Of what class it is that a dashboard did not do as asked."""

    UNREACHABLE = "unreachable"
    """Nobody answers there, or the way to it is not there."""
    TIMEOUT = "timeout"
    """No answer in time; what was asked may have been done."""
    UNAUTHORIZED = "unauthorized"
    """The token is missing or wrong, or the way to the dashboard is closed to us."""
    NOT_FOUND = "not_found"
    """The dashboard does not know what was asked about."""
    REFUSED = "refused"
    """The request makes no sense to it."""
    TAKEN = "taken"
    """A job of this id was submitted before."""
    SERVER_ERROR = "server_error"
    """It broke over the request; what was asked may have been done."""
    GARBAGE = "garbage"
    """An answer that no Ray dashboard gives."""


MAY_BE_DONE = frozenset({Failure.TIMEOUT, Failure.SERVER_ERROR, Failure.GARBAGE})
"""After these only a look tells whether it was done."""


class DashboardFailed(Exception):  # noqa: N818 - a state of the world, not a programming error
    """A dashboard did not do as asked; `failure` says of what class that is."""

    def __init__(self, failure: Failure, message: str, *, status: int = 0) -> None:
        super().__init__(message)
        self.failure = failure
        self.message = message
        self.status = status


class Place(Struct, frozen=True, kw_only=True):
    """Where a dashboard is: its address, the head service before it, the Secret of its token."""

    namespace: str
    address: str
    """Host and port, without a scheme."""
    service: str
    secret: str = ""
    """Empty if no token is asked for."""


class Job(Struct, frozen=True, kw_only=True):
    """A job as the dashboard tells it; times are milliseconds since 1970."""

    status: str
    submission_id: str | None = None
    job_id: str | None = None
    type: str = ""
    message: str | None = None
    error_type: str | None = None
    start_time: int | None = None
    end_time: int | None = None
    driver_exit_code: int | None = None


class Deployment(Struct, frozen=True, kw_only=True):
    """One deployment of a Serve application."""

    status: str = ""
    message: str | None = None


class Application(Struct, frozen=True, kw_only=True):
    """One Serve application."""

    status: str = ""
    message: str | None = None
    deployments: Mapping[str, Deployment] = field(default_factory=dict)


class Applications(Struct, frozen=True, kw_only=True):
    """What Serve runs; nothing before it has been started."""

    applications: Mapping[str, Application]
    target_capacity: float | None = None


class Times(Struct, frozen=True, kw_only=True):
    """How long each kind of call may take, in seconds."""

    health: float = 2.0
    read: float = 5.0
    write: float = 5.0
    serve: float = 10.0
    """Setting Serve's applications: the first time it starts Serve, which takes seconds. An answer
    that comes later is unknown, and asked for again; no call may outlive its act."""


DEFAULT_TIMES = Times()


class Dashboard(Protocol):
    """The dashboards of all clusters; each call says whose."""

    async def submit(self, place: Place, job_id: str, request: Request) -> str:
        """Submit a job under an id of ours and return the id that the dashboard has for it."""
        ...

    async def job(self, place: Place, job_id: str) -> Job | None:
        """Return a job; None only if the dashboard itself says that it knows none of this id."""
        ...

    async def jobs(self, place: Place) -> tuple[Job, ...]:
        """Return every job, those of drivers that nobody submitted included."""
        ...

    async def stop(self, place: Place, job_id: str) -> bool:
        """Ask a job to stop; False if it has ended."""
        ...

    async def delete(self, place: Place, job_id: str) -> bool:
        """Forget a job that has ended."""
        ...

    async def applications(self, place: Place) -> Applications:
        """Return what Serve runs."""
        ...

    async def configure(self, place: Place, config: Request) -> None:
        """Tell Serve what to run; applications that are left out are removed."""
        ...

    async def proxy_is_well(self, namespace: str, pod: str, ip: str, port: int) -> bool | None:
        """Say whether the Serve proxy of a pod is well; None if there was no answer in time.

        A pod that refuses or ends the connection has answered. An API server on the way there that
        does so has not: it says nothing of the pod.
        """
        ...

    async def check(self, place: Place) -> None:
        """Ask whether the head is well; raise `DashboardFailed` if it is not."""
        ...
