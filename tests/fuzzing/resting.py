"""A namespace at rest: made ready for a trial, waited for, and what is left of it in the end.

At rest means that nothing but Events has changed for a while. Whoever writes records all the same
is looked at closer. Read next: `playing.py`.
"""

from typing import Any

import msgspec

from tests.differential.stories import Objects
from tests.fuzzing.bases import NAME
from tests.fuzzing.likeness import PLANTED, STAYING, kept
from tests.fuzzing.markers import SECRET_MARKER, SECRET_NAME
from tests.fuzzing.stage import Stage
from tests.fuzzing.wishes import is_ready

RECORDS_AT_REST = 8
"""More than so many records while nothing changes are worth a closer look."""
RECORDS_A_MINUTE = 40
"""More than so many in a minute are a loop."""
RECORDS_OF_RUNS = 250
"""A schedule makes a run in that minute, a whole job with its cluster."""
MINUTE = 60.0
ENDS = ("Complete", "Failed")
A_TICK = 75.0
"""By then whatever is due every minute has been due."""


async def prepared(stage: Stage, namespace: str) -> None:
    """Make a namespace with a Secret in it."""
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    await stage.create("", space)
    await stage.create(
        namespace,
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": SECRET_NAME},
            "stringData": {"token": SECRET_MARKER, "auth_token": SECRET_MARKER},
        },
    )


async def at_rest(stage: Stage, namespace: str, at_least: float = 0.0) -> tuple[Objects, list[str]]:
    """Wait until nothing changes any more; return what is there, and that something loops."""
    pace, begun = stage.pace, stage.now()
    seen, since, told = b"", begun, 0
    while True:
        objects = await stage.look(namespace)
        now, there = stage.now(), fingerprint(objects)
        if there != seen:
            seen, since, told = there, now, len(stage.records(namespace))
        elif now - since >= pace.quiet and now - begun >= at_least:
            extra = len(stage.records(namespace)) - told
            return objects, await _looping(stage, namespace) if extra > RECORDS_AT_REST else []
        if now - begun >= pace.patience:
            return objects, await _looping(stage, namespace)
        await stage.sleep(pace.look_every)


async def _looping(stage: Stage, namespace: str) -> list[str]:
    """Look closer: whoever tries again does so with pauses that grow."""
    before = len(stage.records(namespace))
    await stage.sleep(MINUTE)
    count = len(stage.records(namespace)) - before
    most = RECORDS_OF_RUNS if namespace.startswith("fuzz-raycronjob") else RECORDS_A_MINUTE
    return [f"loop: {count} records in a minute at rest"] if count > most else []


def stuck(objects: Objects, aside: set[str]) -> bool:
    """Tell whether something that was made under a change cannot start, or does something else.

    A pod, a job's cluster, or a submitter that does not end: nobody makes it anew, as with KubeRay.
    """
    return any(
        not well(one)
        for plural, well in _WELL.items()
        for one in objects.get(plural, ())
        if one["metadata"]["uid"] in aside
    )


def _is_ready_cluster(cluster: Any) -> bool:
    return bool((cluster.get("status") or {}).get("state") == "ready")


def _has_ended(job: Any) -> bool:
    conditions = (job.get("status") or {}).get("conditions") or ()
    return any(one["type"] in ENDS and one["status"] == "True" for one in conditions)


_WELL = {"pods": is_ready, "rayclusters": _is_ready_cluster, "jobs": _has_ended}


def made_of(objects: Objects) -> set[str]:
    """Return what is not changed once it is there, by uid; nor are the clusters of jobs.

    Policies follow their cluster, so only those of such a cluster stay.
    """
    return {
        one["metadata"]["uid"]
        for plural, found in objects.items()
        for one in found
        if (plural in STAYING and plural != "networkpolicies") or _of_a_job(plural, one)
    }


def _of_a_job(plural: str, one: Any) -> bool:
    owners = [each["name"] for each in one["metadata"].get("ownerReferences") or ()]
    if plural == "networkpolicies":
        return NAME not in owners
    return plural == "rayclusters" and bool(one["metadata"]["name"] != NAME)


def fingerprint(objects: Objects) -> bytes:
    """Return what changes when anything but an Event does."""
    versions = [
        f"{plural}/{one['metadata']['name']}/{one['metadata']['resourceVersion']}"
        for plural, found in objects.items()
        if plural != "events"
        for one in found
    ]
    return msgspec.json.encode(sorted(versions))


def leftovers(objects: Objects) -> list[str]:
    """Return what is left and should not be: what a user's own finalizer holds is the user's."""
    return [
        f"{plural}/{one['metadata']['name']}"
        for plural, found in objects.items()
        if plural != "events"
        for one in found
        if one["metadata"]["name"] != PLANTED and not _held_by_user(one) and not kept(plural, one)
    ]


def _held_by_user(one: Any) -> bool:
    held = one["metadata"].get("finalizers") or ()
    return bool(held) and all(each.startswith("example.com/") for each in held)
