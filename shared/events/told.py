"""What deciders want to be told beside what is watched, and what was answered: the `dash` facet.

A want stands in an act and lives as long as acts carry it. `since` names the moment from which on
answers count, and every answer repeats it: so whoever reads an answer knows that it was asked for
after that moment, whatever any clock says. Only what changed is told again.
"""

from datetime import datetime, timedelta

from msgspec import Struct, field

from shared.events.objects import PodSeen, ResourceSeen

FOUND, MISSING, FAILED = "found", "missing", "failed"
"""How an answer about a job may be: it is known, it is not, or nobody could tell."""


class WantedJob(Struct, frozen=True, kw_only=True, tag="job", omit_defaults=True):
    """A job of a Ray cluster, asked for at the dashboard behind a head service.

    `address` is where the dashboard is, `secret` names the Secret whose token it asks for.
    """

    name: str
    because: str
    since: datetime
    every: timedelta
    job_id: str
    address: str
    service: str
    secret: str = ""


class WantedObject(Struct, frozen=True, kw_only=True, tag="object", omit_defaults=True):
    """Objects that the resource does not own: one by its name, or all that carry these labels."""

    name: str
    because: str
    since: datetime
    every: timedelta
    kind: str
    object: str = ""
    labels: dict[str, str] = field(default_factory=dict)


class WantedServe(Struct, frozen=True, kw_only=True, tag="serve", omit_defaults=True):
    """What Serve runs on a Ray cluster, asked for at its dashboard."""

    name: str
    because: str
    since: datetime
    every: timedelta
    address: str
    service: str
    secret: str = ""


class WantedHealth(Struct, frozen=True, kw_only=True, tag="health", omit_defaults=True):
    """Whether the Serve proxy of a pod answers, at this address and port."""

    name: str
    because: str
    since: datetime
    every: timedelta
    pod: str
    ip: str
    port: int


Want = WantedJob | WantedObject | WantedServe | WantedHealth


class JobTold(Struct, frozen=True, kw_only=True, tag="job_told", omit_defaults=True):
    """What a dashboard said of a job. `failure` says of what class it is that nobody could tell."""

    job_id: str
    since: datetime
    answer: str
    status: str = ""
    message: str = ""
    started_at: datetime | None = None
    ended_at: datetime | None = None
    failure: str = ""


class Looked(Struct, frozen=True, kw_only=True, tag="looked", omit_defaults=True):
    """What was found of wanted objects; nothing means that there is none."""

    kind: str
    since: datetime
    objects: tuple[ResourceSeen | PodSeen, ...] = ()


class DeploymentTold(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one deployment of an application is."""

    status: str = ""
    message: str = ""


class ApplicationTold(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How one Serve application is."""

    status: str = ""
    message: str = ""
    deployments: dict[str, DeploymentTold] = field(default_factory=dict)


class ServeTold(Struct, frozen=True, kw_only=True, tag="serve_told", omit_defaults=True):
    """What a dashboard said of Serve. `failure` says of what class it is that nobody could tell."""

    since: datetime
    answer: str
    applications: dict[str, ApplicationTold] = field(default_factory=dict)
    failure: str = ""


class HealthTold(Struct, frozen=True, kw_only=True, tag="health_told", omit_defaults=True):
    """Whether a pod's Serve proxy answered that it is well; `silent` if there was no answer."""

    since: datetime
    pod: str
    ip: str
    healthy: bool = False
    silent: bool = False


Told = JobTold | Looked | ServeTold | HealthTold
