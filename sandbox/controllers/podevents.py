"""What scheduler and kubelet say of a pod when it changes: the events that kubectl describe shows.

Pure: from a pod before and after to events. Names are made from what is told, so that the same
thing told twice is one event; they are in the order of the story, since whoever shows events has
nothing else to put those of one second in order. Read next: driver.py, which tells them and forgets
the oldest.
"""

from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

from sandbox.controllers.addresses import fingerprint
from sandbox.controllers.timeline import stopping_at
from sandbox.objects import Object, dig, metadata, name_of, namespace_of, rows, timestamp

SCHEDULER = "default-scheduler"
KUBELET = "kubelet"
STORY = ("Scheduled", "Pulled", "Created", "Started", "Failed", "BackOff", "Killing", "Evicted")


class Told(Struct, frozen=True, kw_only=True):
    """One thing to tell."""

    reason: str
    message: str
    container: str = ""
    warning: bool = False
    component: str = KUBELET


def events(before: Object, after: Object, now: datetime) -> list[Object]:
    """Return the events for one change of a pod."""
    return [_event(after, told, now) for told in _told(before, after)]


def is_ours(event: Object) -> bool:
    """Tell whether scheduler or kubelet wrote an event."""
    return event.get("reportingComponent") in {SCHEDULER, KUBELET}


def _told(before: Object, after: Object) -> Iterator[Told]:
    yield from _scheduling(before, after)
    yield from _ending(before, after)
    old = {each["name"]: each for each in rows(before, "status.containerStatuses")}
    images = {each["name"]: each for each in rows(after, "spec.containers")}
    for status in rows(after, "status.containerStatuses"):
        known, container = old.get(status["name"], {}), images.get(status["name"], {})
        yield from _container(after, known, status, container)


def _scheduling(before: Object, after: Object) -> Iterator[Told]:
    node = dig(after, "spec.nodeName")
    if node and not dig(before, "spec.nodeName"):
        name = f"{namespace_of(after)}/{name_of(after)}"
        message = f"Successfully assigned {name} to {node}"
        yield Told(reason="Scheduled", message=message, component=SCHEDULER)
    for entry in rows(after, "status.conditions"):
        if entry.get("reason") == "Unschedulable" and entry not in rows(
            before, "status.conditions"
        ):
            yield Told(
                reason="FailedScheduling",
                message=str(entry.get("message")),
                warning=True,
                component=SCHEDULER,
            )


def _ending(before: Object, after: Object) -> Iterator[Told]:
    if stopping_at(after) is not None and stopping_at(before) is None:
        for container in rows(after, "spec.containers"):
            name = str(container["name"])
            yield Told(reason="Killing", message=f"Stopping container {name}", container=name)
    if dig(after, "status.reason") == "Evicted" != dig(before, "status.reason"):
        yield Told(reason="Evicted", message=str(dig(after, "status.message")), warning=True)


def _container(pod: Object, before: Object, after: Object, spec: Object) -> Iterator[Told]:
    name = str(after["name"])
    if dig(after, "state.running") and dig(after, "state") != dig(before, "state"):
        image = spec.get("image", "")
        message = f'Container image "{image}" already present on machine'
        yield Told(reason="Pulled", message=message, container=name)
        yield Told(reason="Created", message=f"Created container: {name}", container=name)
        yield Told(reason="Started", message=f"Started container {name}", container=name)
    waiting = dig(after, "state.waiting.reason")
    if waiting == dig(before, "state.waiting.reason"):
        return
    if waiting == "CrashLoopBackOff":
        uid = metadata(pod).get("uid", "")
        place = f"{name_of(pod)}_{namespace_of(pod)}({uid})"
        message = f"Back-off restarting failed container {name} in pod {place}"
        yield Told(reason="BackOff", message=message, container=name, warning=True)
    elif waiting == "ErrImagePull":
        told = dig(after, "state.waiting.message")
        message = f'Failed to pull image "{spec.get("image", "")}": {told}'
        yield Told(reason="Failed", message=message, container=name, warning=True)
    elif waiting == "ImagePullBackOff":
        message = f'Back-off pulling image "{spec.get("image", "")}"'
        yield Told(reason="BackOff", message=message, container=name)


def _event(pod: Object, told: Told, now: datetime) -> Object:
    uid = str(metadata(pod).get("uid", ""))
    about: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": name_of(pod),
        "namespace": namespace_of(pod),
        "uid": uid,
    }
    if told.container:
        about["fieldPath"] = f"spec.containers{{{told.container}}}"
    node = dig(pod, "spec.nodeName")
    source = {"component": told.component}
    at = timestamp(now)
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": f"{name_of(pod)}.{_suffix(pod, told)}",
            "namespace": namespace_of(pod),
        },
        "involvedObject": about,
        "reason": told.reason,
        "message": told.message,
        "type": "Warning" if told.warning else "Normal",
        "source": {**source, "host": node} if told.component == KUBELET and node else source,
        "firstTimestamp": at,
        "lastTimestamp": at,
        "count": 1,
        "reportingComponent": told.component,
    }


def _suffix(pod: Object, told: Told) -> str:
    """Make the end of an event's name: which run, which container, which chapter, and what."""
    uid = str(metadata(pod).get("uid", ""))
    count = sum(int(each.get("restartCount", 0)) for each in rows(pod, "status.containerStatuses"))
    names = ["", *(str(each["name"]) for each in rows(pod, "spec.containers"))]
    container = names.index(told.container) if told.container in names else 0
    chapter = STORY.index(told.reason) if told.reason in STORY else 0
    order = f"{min(count, 255):02x}{min(container, 255):02x}{chapter:x}"
    what = fingerprint(uid, told.reason, told.container, told.message, str(count))
    return order + what[:11]
