"""One RayJob's life with everything real but the world: decisions, statuses, folds.

The world is a few values: what Kubernetes holds of the RayJob, and a dashboard. `goes_on` lets
status, reconciler, executor and asker do what they would, until nobody has anything to do; the
test moves the world and the clock in between. Every record goes through the real fold.
"""

from collections.abc import Callable
from datetime import datetime, timedelta

from msgspec.structs import replace

from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.decision import Context
from services.status.conditions.rayjob.assess import assess_rayjob
from services.status.patch import difference
from services.status.reading import readable_job
from shared.actions.objects import (
    Action,
)
from shared.events import subjects, told
from shared.events.decisions import Decided
from shared.events.objects import ObjectGone
from shared.events.told import JobTold
from shared.kernel.instants import print_instant
from shared.kernel.manifests import text_at
from tests.support.builders import Raw
from tests.support.jobworld import JobWorld

ROUNDS_MAX = 40


class JobStory(JobWorld):
    """A RayJob, its world, and everybody who looks after it."""

    settled: tuple[int, Context] | None = None
    """How many records and which settings there were when everybody was done."""

    # What a test looks at.

    @property
    def status(self) -> Raw:
        return dict(self.view().status)

    @property
    def phase(self) -> str:
        return text_at(self.view().status, "jobDeploymentStatus")

    @property
    def cluster_name(self) -> str:
        return text_at(self.view().status, "rayClusterName")

    @property
    def job_id(self) -> str:
        return text_at(self.view().status, "jobId")

    @property
    def act(self) -> Decided:
        act = self.view().act
        assert act is not None
        return act

    def manifest(self, name: str) -> Raw:
        """Return the last manifest of this name that an act has."""
        acts = (record.envelope.body for record in reversed(self.records))
        return next(
            act.manifests[name]
            for act in acts
            if isinstance(act, Decided) and name in act.manifests
        )

    def timers(self) -> dict[str, datetime]:
        return {timer.name: timer.due_at for timer in self.act.timers}

    def did(self, kind: type[Action]) -> list[Action]:
        return [action for action in self.done if isinstance(action, kind)]

    # What a test does to the world.

    def wishes(self, **fields: object) -> None:
        """The user changes the spec."""
        assert self.own is not None
        spec = {**self.own.spec, **fields}
        spec = {key: value for key, value in spec.items() if value is not None}
        meta = replace(
            self.own.meta,
            generation=self.own.meta.generation + 1,
            resource_version=next(self.versions),
        )
        self.own = replace(self.own, meta=meta, spec=spec, status=self.status)
        self.sees(self.own)

    def is_deleted(self) -> None:
        """Somebody deletes the RayJob."""
        assert self.own is not None
        meta = replace(self.own.meta, deleted_at=self.now, resource_version=next(self.versions))
        self.own = replace(self.own, meta=meta, status=self.status)
        self.sees(self.own)

    def cluster_is(self, state: str, **status: object) -> None:
        """The attempt's cluster tells another state."""
        seen = self.clusters[self.cluster_name]
        meta = replace(seen.meta, resource_version=next(self.versions))
        told_ = {**seen.status, "state": state, **status}
        self.clusters[seen.meta.name] = replace(seen, meta=meta, status=told_)
        self.sees_cluster(seen.meta.name)

    def cluster_vanishes(self) -> None:
        """Somebody deletes the attempt's cluster."""
        self.remove_cluster(self.cluster_name)

    def job_is(self, status: str, message: str = "") -> None:
        """Ray tells another state of the attempt's job."""
        started = self.dashboard.jobs.get(self.job_id)
        ended = status in ("SUCCEEDED", "FAILED", "STOPPED")
        self.dashboard.jobs[self.job_id] = JobTold(
            job_id=self.job_id,
            since=self.now,
            answer=told.FOUND,
            status=status,
            message=message,
            started_at=started.started_at if started else self.now,
            ended_at=self.now if ended else None,
        )

    def submitter_ends(self, kind: str = "Complete", reason: str = "", message: str = "") -> None:
        """The Kubernetes Job that submits has ended."""
        assert self.submitter is not None
        condition: Raw = {
            "type": kind,
            "status": "True",
            "reason": reason,
            "message": message,
            "lastTransitionTime": print_instant(self.now),
        }
        meta = replace(self.submitter.meta, resource_version=next(self.versions))
        self.submitter = replace(self.submitter, meta=meta, status={"conditions": [condition]})
        self.sees(self.submitter)

    def submitter_vanishes(self) -> None:
        """Somebody deletes the Kubernetes Job that submits."""
        assert self.submitter is not None
        gone = ObjectGone(
            kind="job",
            name=self.key.name,
            uid=self.submitter.meta.uid,
            resource_version=next(self.versions),
        )
        self.submitter = None
        self.sees(gone)

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
        """Let everybody do their part until nobody has anything to do.

        Who decides looks at records and settings only: without news the asker alone may have any.
        """
        if self.settled == (len(self.records), self.context):
            self.asker_asks()
        for _ in range(ROUNDS_MAX):
            before = (len(self.records), self.context)
            if before == self.settled:
                return
            for part in (self.status_tells, self.reconciler_decides, self.asker_asks):
                part()
            if len(self.records) == before[0]:
                self.settled = before
        raise AssertionError(f"this does not settle: {self.act.because}")

    def status_tells(self) -> None:
        self.announces()
        view = self.view()
        if view.own is None or view.own.meta.deleted_at or self.own is None:
            return
        status = assess_rayjob(view, readable_job(view))
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


def running(spec: Raw, *, setup: Callable[[JobStory], None] = lambda _: None) -> JobStory:
    """Return a RayJob that has come as far as Running."""
    story = JobStory(spec)
    setup(story)
    story.goes_on()
    story.cluster_is("ready", head={"serviceName": f"{story.cluster_name}-head-svc"})
    story.goes_on()
    return story
