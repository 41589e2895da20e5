"""The Job controller: pods until enough have succeeded or too many have failed.

Pods are named from the job's uid and their ordinal, so a repeated step asks for the same pod.
Counts never fall when a finished pod is deleted by someone. Retries follow at once; pod failure
policies and indexed completion are not imitated. Read next: jobstatus.py, then kubelet.py.
"""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from sandbox.controllers.addresses import fingerprint
from sandbox.controllers.garbage import removal
from sandbox.controllers.jobstatus import Tally, finished_at, status_of, tally
from sandbox.controllers.world import Change, CreateObject, PutStatus, Steps, World, joined
from sandbox.objects import Object, copy_of, dig, metadata, name_of, namespace_of, with_metadata


def step(world: World, now: datetime) -> Steps:
    """Move every job on."""
    jobs = list(world.objects("jobs"))
    if not jobs:
        return Steps()
    pods: defaultdict[str, list[Object]] = defaultdict(list)
    for pod in world.objects("pods"):
        for reference in metadata(pod).get("ownerReferences") or ():
            if reference.get("controller"):
                pods[str(reference.get("uid"))].append(pod)
    return joined(advance(job, pods[str(metadata(job).get("uid"))], now) for job in jobs)


def advance(job: Object, pods: Sequence[Object], now: datetime) -> Steps:
    """Move one job on; `pods` are those it controls."""
    if metadata(job).get("deletionTimestamp"):
        return Steps()
    done_at = finished_at(job)
    if done_at is not None:
        return _retire(job, done_at, now)
    count = tally(job, pods)
    status = status_of(job, count, now)
    changes: list[Change] = []
    if status != (job.get("status") or {}):
        changes.append(PutStatus(plural="jobs", object={**job, "status": status}))
    over = any(entry["type"] in {"Complete", "Failed"} for entry in status.get("conditions", ()))
    if over or dig(job, "spec.suspend"):
        changes += [removal("pods", pod) for pod in count.active]
    else:
        changes += _missing(job, count)
    return Steps(changes=tuple(changes), next_at=_deadline(job, status, now))


def _missing(job: Object, count: Tally) -> list[Change]:
    room = _number(job, "parallelism", 1) - len(count.active)
    left = _number(job, "completions", 1) - count.succeeded - len(count.active)
    first = count.succeeded + count.failed + len(count.active)
    names = {name_of(pod) for pod in count.active}
    wanted = [_pod(job, first + offset) for offset in range(max(min(room, left), 0))]
    return [CreateObject(plural="pods", object=pod) for pod in wanted if name_of(pod) not in names]


def _pod(job: Object, ordinal: int) -> Object:
    uid = str(metadata(job).get("uid", ""))
    template = copy_of(dig(job, "spec.template") or {})
    labels = {
        **(metadata(template).get("labels") or {}),
        "batch.kubernetes.io/controller-uid": uid,
        "batch.kubernetes.io/job-name": name_of(job),
        "controller-uid": uid,
        "job-name": name_of(job),
    }
    owner = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": name_of(job),
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return with_metadata(
        {"apiVersion": "v1", "kind": "Pod", **template},
        name=f"{name_of(job)}-{fingerprint(uid, str(ordinal))[:5]}",
        namespace=namespace_of(job),
        labels=labels,
        ownerReferences=[owner],
    )


def _retire(job: Object, done_at: datetime, now: datetime) -> Steps:
    """Remove a finished job when its time to live is over."""
    kept_for = dig(job, "spec.ttlSecondsAfterFinished")
    if kept_for is None:
        return Steps()
    due = done_at + timedelta(seconds=kept_for)
    return Steps(changes=(removal("jobs", job),)) if due <= now else Steps(next_at=due)


def _deadline(job: Object, status: Object, now: datetime) -> datetime | None:
    allowed = dig(job, "spec.activeDeadlineSeconds")
    if allowed is None or "startTime" not in status:
        return None
    due = datetime.fromisoformat(status["startTime"]) + timedelta(seconds=allowed)
    return due if due > now else None


def _number(job: Object, field: str, default: int) -> int:
    found = dig(job, f"spec.{field}")
    return default if found is None else int(found)
