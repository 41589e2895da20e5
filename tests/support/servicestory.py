"""One RayService's life with everything real but the world: decisions, statuses, folds.

The world is a few values: what Kubernetes holds of the RayService, heads and what runs on them.
`goes_on` lets status, reconciler, executor and asker do what they would, until nobody has anything
to do; the test moves the world and the clock in between.
"""

from datetime import datetime, timedelta

from msgspec.structs import replace

from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.decision import Context
from services.status.conditions.rayservice.assess import assess_rayservice
from services.status.conditions.transitions import conditions_of
from services.status.patch import difference
from services.status.reading import readable_service, somebody_elses
from shared.actions.objects import Action
from shared.events import subjects
from shared.events.decisions import Decided
from shared.events.records import StatusWritten
from shared.kernel.instants import print_instant
from shared.kernel.manifests import entries_at, text_at
from tests.support.builders import CONTEXT, Raw
from tests.support.rayservices import SERVE_SVC, head_is
from tests.support.serviceworld import Head, ServiceWorld

ROUNDS_MAX = 30


class ServiceStory(ServiceWorld):
    """A RayService, its world, and everybody who looks after it."""

    # What a test looks at.

    @property
    def status(self) -> Raw:
        return dict(self.view().status)

    @property
    def active(self) -> str:
        return text_at(self.view().status, "activeServiceStatus", "rayClusterName")

    @property
    def pending(self) -> str:
        return text_at(self.view().status, "pendingServiceStatus", "rayClusterName")

    @property
    def act(self) -> Decided:
        act = self.view().act
        assert act is not None
        return act

    @property
    def leads_to(self) -> str:
        """The cluster that the serve service leads to."""
        living = self.services.get(SERVE_SVC)
        return living.selector["ray.io/cluster"] if living else ""

    def condition(self, type_: str) -> tuple[str, str]:
        """Status and reason of a condition; empty if it is not told."""
        found = conditions_of(self.view().status).get(type_, {})
        return str(found.get("status", "")), str(found.get("reason", ""))

    def message(self, type_: str) -> str:
        return str(conditions_of(self.view().status).get(type_, {}).get("message", ""))

    def since(self, type_: str) -> str:
        return text_at(conditions_of(self.view().status).get(type_, {}), "lastTransitionTime")

    def apps(self, which: str = "active") -> dict[str, str]:
        told = self.status.get(f"{which}ServiceStatus")
        found = told.get("applicationStatuses", {}) if isinstance(told, dict) else {}
        return {name: one["status"] for name, one in found.items()}

    def timers(self) -> dict[str, datetime]:
        return {timer.name: timer.due_at for timer in self.act.timers}

    def did(self, kind: type[Action], of: str = "") -> list[Action]:
        return [
            action
            for action in self.done
            if isinstance(action, kind) and (not of or getattr(action, "kind", "") == of)
        ]

    def told_people(self) -> list[str]:
        """Reasons of the warnings and notes that acts themselves posted."""
        return [notice.reason for notice in self.notices]

    def written(self) -> list[Raw]:
        """Every status that was written."""
        bodies = [record.envelope.body for record in self.records]
        return [body.status for body in bodies if isinstance(body, StatusWritten)]

    def acts_written(self) -> list[Decided]:
        bodies = [record.envelope.body for record in self.records]
        return [body for body in bodies if isinstance(body, Decided)]

    # What a test does to the world.

    def wishes(self, **fields: object) -> None:
        """The user changes the spec."""
        assert self.own is not None
        spec = {**self.own.spec, **fields}
        spec = {key: value for key, value in spec.items() if value is not None}
        generation = self.own.meta.generation + 1
        self._becomes(spec=spec, generation=generation)

    def is_annotated(self, **annotations: str) -> None:
        """The user annotates; names are those of ray.io."""
        told = {f"ray.io/{name.replace('_', '-')}": text for name, text in annotations.items()}
        self._becomes(annotations=told)

    def is_deleted(self) -> None:
        """Somebody deletes the RayService."""
        self._becomes(deleted_at=self.now)

    def _becomes(self, spec: Raw | None = None, **meta: object) -> None:
        assert self.own is not None
        changed = {"resource_version": next(self.versions), **meta}
        self.own = replace(
            self.own,
            meta=replace(self.own.meta, **changed),
            spec=self.own.spec if spec is None else spec,
            status=self.status,
        )
        self.sees(self.own)

    def head_comes_up(self, name: str, *, workers: int = 0, ip: str = "") -> Head:
        """A cluster gets a head, a new one under the name of any former."""
        pod, address = f"{name}-head", ip or f"10.0.0.{next(self.addresses)}"
        self.heads[name] = Head(pod=pod, ip=address, workers=workers)
        self.head_tells(name)
        return self.heads[name]

    def head_is_lost(self, name: str) -> None:
        """The head of a cluster goes, with everything that it knew."""
        head = self.heads.pop(name)
        self._cluster_tells(name, head, ready=False)

    def head_tells(self, name: str) -> None:
        """The cluster's status tells of its head as it is now."""
        self._cluster_tells(name, self.heads[name], ready=self.heads[name].ready)

    def _cluster_tells(self, name: str, head: Head, *, ready: bool) -> None:
        seen = self.clusters[name]
        meta = replace(seen.meta, resource_version=next(self.versions))
        before = entries_at(seen.status, "conditions")
        same = bool(before) and (before[0].get("status") == "True") == ready
        since = str(before[0]["lastTransitionTime"]) if same else print_instant(self.now)
        status = head_is(ready=ready, pod=head.pod, ip=head.ip, workers=head.workers, since=since)
        self.clusters[name] = replace(seen, meta=meta, status=status)
        self.sees_cluster(name)

    def apps_are(self, status: str, name: str = "") -> None:
        """Serve tells another state of everything on a cluster, the newest if none is named."""
        head = self.heads[name or self.pending or self.active]
        head.apps = dict.fromkeys(head.apps, status)

    def serves(self, *, workers: int = 0) -> None:
        """The newest cluster comes up, and what it was told runs."""
        self.head_comes_up(self.pending or self.active, workers=workers)
        self.goes_on()
        self.apps_are("RUNNING")
        self.goes_on()

    def time_passes(self, seconds: float) -> None:
        """Time goes on; timers go off when they are due, and everybody does their part."""
        end = self.now + timedelta(seconds=seconds)
        for _ in range(ROUNDS_MAX):
            view = self.view()
            due = sorted(
                (timer.due_at, timer.name)
                for timer in (view.act.timers if view.act else ())
                if timer.due_at <= end and timer.name not in view.woken
            )
            if not due:
                break
            assert view.act is not None
            self.fires(view.act, due[0][1])
            self.goes_on()
        self.now = max(self.now, end)
        self.goes_on()

    # What everybody else does.

    def goes_on(self) -> None:
        """Let everybody do their part until nobody has anything to do."""
        for _ in range(ROUNDS_MAX):
            before = len(self.records)
            self.endpoints_follow()
            for part in (self.status_tells, self.reconciler_decides, self.asker_asks):
                part()
            if len(self.records) == before:
                return
        raise AssertionError(f"this does not settle: {self.act.because}")

    def status_tells(self) -> None:
        view = self.view()
        if view.own is None or view.own.meta.deleted_at or self.own is None:
            return
        if somebody_elses(view):
            return
        self.announces()
        features = self.context.settings.features
        status = assess_rayservice(view, readable_service(view), features)
        if difference(view.status, status):
            version = next(self.versions)
            meta = replace(self.own.meta, resource_version=version)
            self.own = replace(self.own, meta=meta, status=status)
            self.writes_status(status, version)

    def reconciler_decides(self) -> None:
        act = decide(self.view(), self.context)
        if act is None:
            return
        self.acts(act)
        if act.actions:
            outcomes = [self.perform(act, action) for action in act.actions]
            self.answers(act, *outcomes)

    def asker_asks(self) -> None:
        view = self.view()
        for want in view.act.wants if view.act and view.own else ():
            answer = self.answer(want)
            heard = view.told.get(want.name)
            if answer is not None and (heard is None or heard.body != answer):
                self.append(subjects.told(self.key, want.name), answer)


def begun(spec: Raw, context: Context = CONTEXT) -> ServiceStory:
    """Return a RayService whose cluster was asked for and has no head yet."""
    story = ServiceStory(spec, context)
    story.goes_on()
    return story


def ready(spec: Raw, context: Context = CONTEXT, *, workers: int = 0) -> ServiceStory:
    """Return a RayService that serves."""
    story = begun(spec, context)
    story.serves(workers=workers)
    return story
