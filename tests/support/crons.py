"""A history in which the deciders of RayCronJobs decide, for a schedule `nightly` made at noon."""

from datetime import datetime

from msgspec.structs import replace

from services.reconciler.decisions.decision import Context, seal
from services.reconciler.decisions.raycronjob.decide import draft_raycronjob
from services.reconciler.decisions.settings import JobSettings
from services.status.conditions.raycronjob import assess_raycronjob
from shared.actions.objects import CreateObject, PostNotice
from shared.events.decisions import WAKE, Decided
from shared.events.objects import ChildSeen, Meta, Owner, ResourceSeen
from shared.kernel.features import CRON_JOB, Features
from shared.kernel.instants import print_instant
from shared.kernel.keys import ResourceKey
from tests.support.builders import NOON, SETTINGS, UID, cluster_spec
from tests.support.plot import Plot

Raw = dict[str, object]

CRON_KEY = ResourceKey(kind="raycronjob", namespace="prod", name="nightly")
OPEN = replace(SETTINGS, features=Features(enabled=Features().enabled | {CRON_JOB}))
SHUT = Context(settings=SETTINGS, session="session-1")
CONTEXT = Context(settings=OPEN, session="session-1")
CATCHING_UP = Context(
    settings=replace(OPEN, jobs=JobSettings(cron_catch_up=True)), session="session-1"
)
TEMPLATE: Raw = {"entrypoint": "python x.py", "rayClusterSpec": cluster_spec()}


def cron(schedule: str = "*/5 * * * *", *, generation: int = 1, **more: object) -> ResourceSeen:
    """A RayCronJob as seen; every five minutes unless said otherwise."""
    return ResourceSeen(
        meta=Meta(
            name=CRON_KEY.name,
            namespace=CRON_KEY.namespace,
            uid=UID,
            resource_version=generation,
            generation=generation,
            labels={"team": "night"},
            created_at=NOON,
        ),
        api_version="ray.io/v1",
        spec={"schedule": schedule, "jobTemplate": TEMPLATE, **more},
    )


def run_seen(name: str, *, version: int = 5000) -> ChildSeen:
    """A run of the schedule, as seen."""
    owner = Owner(kind="RayCronJob", name=CRON_KEY.name, uid=UID, controller=True)
    meta = Meta(
        name=name,
        namespace=CRON_KEY.namespace,
        uid=f"uid-of-{name}",
        resource_version=version,
        owners=(owner,),
    )
    return ChildSeen(meta=meta, kind="rayjob")


class CronPlot(Plot):
    """A plot of one RayCronJob."""

    def __init__(self, *seen: ResourceSeen, context: Context = CONTEXT) -> None:
        super().__init__(context)
        self.key = CRON_KEY
        self.sees(*(seen or (cron(),)))

    def decides(self) -> Decided | None:
        view = self.view()
        if view.own is None or (view.open and WAKE not in view.woken):
            return None
        draft = draft_raycronjob(view, self.context)
        return seal(view, draft, self.context) if draft is not None else None

    def at(self, minutes: float) -> None:
        """Let it be so many minutes after noon, with some news that changes nothing."""
        self.now = NOON
        self.passes(minutes * 60)
        last = self.view().own
        assert last is not None
        version = last.meta.resource_version
        self.sees(replace(last, meta=replace(last.meta, resource_version=version + 1)))

    def works(self) -> Decided:
        """Decide and do it; what was made is seen."""
        act = self.commits()
        self.executes(act)
        self.sees(*(run_seen(name) for name in made(act)))
        return act

    def told(self) -> object:
        """What the status says of the last run."""
        return assess_raycronjob(self.view()).get("lastScheduleTime")


def made(act: Decided | None) -> list[str]:
    """The runs that an act asks for, by name."""
    return [one.name for one in act.actions if isinstance(one, CreateObject)] if act else []


def notices(act: Decided | None) -> list[PostNotice]:
    """What an act tells people."""
    return [one for one in act.actions if isinstance(one, PostNotice)] if act else []


def minute(minutes: int) -> datetime:
    """Return the moment so many minutes after noon."""
    return NOON.fromtimestamp(NOON.timestamp() + 60 * minutes, NOON.tzinfo)


def name_at(minutes: int) -> str:
    """Return the name of the run of that moment."""
    return f"nightly-{int(minute(minutes).timestamp()) // 60}"


def text_at_minute(minutes: int) -> str:
    """Return that moment as the status writes it."""
    return print_instant(minute(minutes))
