"""How Kubernetes and Ray fare in the simulator: as they did in this history. Pure.

Pods take as long to come up and to go as those that were seen to; jobs end as they ended, those
that were never seen to end run on, and a new one fares as the last one that ended. A pod that
cannot start stays so, and so do new ones of its group, unless the question changes what it runs.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from sandbox.controllers.rayrules import AppRule, AppStatus, AppStep, JobRule, RayScript
from sandbox.controllers.scenario import PodRule, Scenario
from shared.aggregates.obstacles import is_ready
from shared.events.envelope import Record
from shared.events.objects import ObjectGone, PodSeen
from shared.events.told import FOUND, JobTold, ServeTold
from shared.resources.labels import CLUSTER, GROUP

PULLS_FAIL = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName"})
ENDED = frozenset({"SUCCEEDED", "FAILED", "STOPPED"})
BROKEN: dict[str, AppStatus] = {"DEPLOY_FAILED": "DEPLOY_FAILED", "UNHEALTHY": "UNHEALTHY"}


class Pace(Struct, frozen=True, kw_only=True):
    """Seconds that pods took, each the median of those that were seen; None if none was."""

    run: float | None = None
    ready: float | None = None
    gone: float | None = None


def pace_of(records: Iterable[Record]) -> Pace:
    """Measure how long pods took: to run, from then on to be ready, and to go."""
    marks: dict[str, dict[str, datetime]] = {}
    for record in records:
        body = record.envelope.body
        if isinstance(body, PodSeen):
            mark = marks.setdefault(body.meta.uid, {})
            mark.setdefault("seen", record.at)
            if body.phase == "Running":
                mark.setdefault("run", record.at)
            if is_ready(body):
                mark.setdefault("ready", record.at)
            if body.meta.deleted_at is not None:
                mark.setdefault("ending", record.at)
        elif isinstance(body, ObjectGone) and body.kind == "pod" and body.uid in marks:
            marks[body.uid].setdefault("gone", record.at)
    found = tuple(marks.values())
    return Pace(
        run=_usual(found, "seen", "run"),
        ready=_usual(found, "run", "ready"),
        gone=_usual(found, "ending", "gone"),
    )


def _usual(marks: Sequence[dict[str, datetime]], first: str, last: str) -> float | None:
    spans = [
        (one[last] - one[first]).total_seconds() for one in marks if first in one and last in one
    ]
    return median(spans) if spans else None


def scenario_of(records: Sequence[Record], pods: Iterable[PodSeen]) -> Scenario:
    """Return how pods and Ray fare; `pods` are those of the moment."""
    pace, usual = pace_of(records), PodRule()
    rule = PodRule(
        init_after=0.0,
        run_after=usual.run_after if pace.run is None else pace.run,
        ready_after=usual.ready_after if pace.ready is None else pace.ready,
        terminate_after=usual.terminate_after if pace.gone is None else pace.gone,
    )
    held = tuple(pod for pod in pods if held_by(pod, rule) is not None)
    themselves = (held_by(pod, rule, name=pod.meta.name) for pod in held)
    others = (held_by(pod, rule) for pod in held if group_in(pod))
    rules = tuple(one for one in (*themselves, *others) if one is not None)
    return Scenario(rules=rules, otherwise=rule, ray=script_of(records))


def held_by(pod: PodSeen, rule: PodRule, *, name: str = "*") -> PodRule | None:
    """Return what holds a pod, for every one of its group or for that of a name."""
    labels = {} if name != "*" else group_in(pod)
    where = replace(rule, namespace=pod.meta.namespace, name=name, labels=labels)
    for one in (*pod.init_containers, *pod.containers):
        if one.state == "waiting" and one.reason in PULLS_FAIL:
            return replace(where, image_pull_error=one.message or one.reason)
    for condition in pod.conditions:
        if condition.reason == "Unschedulable" and condition.status == "False":
            return replace(where, unschedulable=condition.message or "no node takes it")
    return None


def group_in(pod: PodSeen) -> dict[str, str]:
    """Return the labels by which the pods of a group are known."""
    return {key: pod.meta.labels[key] for key in (CLUSTER, GROUP) if key in pod.meta.labels}


def without_groups(scenario: Scenario, groups: Collection[str]) -> Scenario:
    """Let new pods of these groups start, whatever held those before them."""
    kept = tuple(rule for rule in scenario.rules if rule.labels.get(GROUP, "") not in groups)
    return replace(scenario, rules=kept)


def script_of(records: Iterable[Record]) -> RayScript:
    """Return how jobs and applications fare."""
    jobs: dict[str, JobTold] = {}
    broken: dict[str, AppRule] = {}
    for record in records:
        body = record.envelope.body
        if isinstance(body, JobTold) and body.answer == FOUND:
            jobs[body.job_id] = body
        elif isinstance(body, ServeTold):
            broken = {
                name: AppRule(app=name, steps=(AppStep(status=BROKEN[app.status]),))
                for name, app in body.applications.items()
                if app.status in BROKEN
            }
    rules = [_job_rule(told, told.job_id) for told in jobs.values()]
    ended = [told for told in jobs.values() if told.status in ENDED]
    rules += [_job_rule(told, "*") for told in ended[-1:]]
    return RayScript(jobs=tuple(rules), apps=tuple(broken.values()))


def _job_rule(told: JobTold, job: str) -> JobRule:
    """Return how a job fares; of one that was not seen to end nobody knows an end."""
    ended = told.status in ENDED and told.started_at is not None and told.ended_at is not None
    if not ended or told.started_at is None or told.ended_at is None:
        return JobRule(job=job, pending_for=0.0, runs_for=None)
    took = (told.ended_at - told.started_at).total_seconds()
    failed = told.status == "FAILED"
    return JobRule(
        job=job,
        pending_for=0.0,
        runs_for=max(took, 0.0),
        exit_code=1 if failed else 0,
        message=told.message.partition("\n")[0] if failed else "",
    )
