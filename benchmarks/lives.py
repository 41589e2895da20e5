"""Clusters that come up, are scaled and lose pods: every decision the rules' own.

About five records in a hundred are decisions, as in recorded histories.
"""

from collections.abc import Iterator
from datetime import timedelta

from msgspec.structs import replace

from benchmarks.deciding import CONTEXT, NOON, TEMPLATE
from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.settings import digest_of
from services.reconciler.service import as_plain
from shared.actions.objects import CreateObject, DeleteObject
from shared.actions.outcomes import Done, Outcome
from shared.aggregates.ledger import Ledger
from shared.events import subjects
from shared.events.codec import encode
from shared.events.decisions import Answered, Decided, SettingsUsed
from shared.events.envelope import SCHEMA, Body, Envelope
from shared.events.objects import (
    Condition,
    Container,
    Meta,
    ObjectGone,
    Owner,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
)
from shared.events.records import StatusWritten
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import texts_at
from shared.ports.event_log import Message

SIZES = (3, 6, 4, 8, 2)
UID = "5f0c7f0e-0000-4000-8000-{:012d}"
STATES = ("Pending", "Scheduled", "Running", "Ready")
"""What is seen of a pod on its way."""


class Life:
    """One cluster, written as services would write it."""

    def __init__(self, number: int, first: int = 2) -> None:
        self.key = ResourceKey("raycluster", "default", f"cluster-{number:05d}")
        self.messages: list[Message] = []
        self._uid = UID.format(number)
        self._ledger = Ledger()
        self._next = first
        self._version = 0
        self._pods: dict[str, Meta] = {}

    def lives(self) -> list[Message]:
        """Come up and be scaled; return every message."""
        for generation, size in enumerate(SIZES, start=1):
            self._spec(generation, size)
            while (act := decide(self._ledger.view(self.key), CONTEXT)) is not None:
                self._append(subjects.act(self.key), act)
                self._append(
                    subjects.res(self.key),
                    Answered(act=act.id, outcomes=tuple(map(self._done, act.actions))),
                )
                self._seen(act)
            for _ in range(2):
                self._tells()
        return self.messages

    def _tells(self) -> None:
        """Write the status, and let Kubernetes echo it."""
        self._version += 1
        status: dict[str, object] = {"state": "ready", "observedGeneration": self._version}
        told = StatusWritten(status=status, resource_version=self._version, based_on=self._next)
        self._append(subjects.status(self.key), told)
        meta = replace(self._own.meta, resource_version=self._version)
        self._append(subjects.own(self.key), replace(self._own, meta=meta, status=status))

    def _spec(self, generation: int, size: int) -> None:
        bounds = {"replicas": size, "minReplicas": 0, "maxReplicas": 9}
        group = {"groupName": "g", **bounds, "template": TEMPLATE}
        spec: dict[str, object] = {
            "headGroupSpec": {"template": TEMPLATE},
            "workerGroupSpecs": [group],
        }
        meta = replace(self._meta(self.key.name, self._uid), generation=generation, owners=())
        self._own = ResourceSeen(meta=meta, api_version="ray.io/v1", spec=spec)
        self._append(subjects.own(self.key), self._own)

    def _done(self, action: object) -> Outcome:
        self._version += 1
        if isinstance(action, CreateObject):
            return Done(uid=f"uid-{action.name}", resource_version=self._version)
        if isinstance(action, DeleteObject):
            return Done(uid=action.uid, resource_version=self._version, deleting=True)
        return Done(resource_version=self._version)

    def _seen(self, act: Decided) -> None:
        for action in act.actions:
            if isinstance(action, CreateObject):
                labels = {
                    **texts_at(act.manifests[action.manifest], "metadata", "labels"),
                    **action.labels,
                }
                self._comes_up(action, labels)
            elif isinstance(action, DeleteObject):
                meta = replace(self._pods.pop(action.name), resource_version=self._version)
                ending = PodSeen(meta=replace(meta, deleted_at=NOON), phase="Running")
                subject = subjects.observed(self.key, "pod", action.name)
                self._append(subject, ending)
                self._version += 1
                gone = ObjectGone(
                    kind="pod",
                    name=action.name,
                    uid=meta.uid,
                    resource_version=self._version,
                )
                self._append(subject, gone)

    def _comes_up(self, action: CreateObject, labels: dict[str, str]) -> None:
        subject = subjects.observed(self.key, action.kind, action.name)
        for state in STATES if action.kind == "pod" else STATES[:1]:
            meta = replace(self._meta(action.name, f"uid-{action.name}"), labels=labels)
            if action.kind != "pod":
                self._append(subject, ServiceSeen(meta=meta))
                continue
            self._pods[action.name] = meta
            ready = Condition(type="Ready", status="True" if state == "Ready" else "False")
            pod = PodSeen(
                meta=meta,
                phase="Running" if state in STATES[2:] else "Pending",
                restart_policy="Always",
                ray_container="ray",
                conditions=(ready,),
                containers=(Container(name="ray", ready=state == "Ready", state="running"),),
            )
            self._append(subject, pod)

    def _meta(self, name: str, uid: str) -> Meta:
        self._version += 1
        owner = Owner(kind="RayCluster", name=self.key.name, uid=self._uid, controller=True)
        return Meta(
            name=name,
            namespace=self.key.namespace,
            uid=uid,
            resource_version=self._version,
            owners=(owner,),
        )

    def _append(self, subject: str, body: Body) -> None:
        message = _message(self._next, subject, body, self.key, self._uid)
        self.messages.append(message)
        self._ledger.apply(message)
        self._next += 1


def _message(sequence: int, subject: str, body: Body, key: ResourceKey | None, uid: str) -> Message:
    at = NOON + timedelta(milliseconds=sequence)
    envelope = Envelope(
        schema=SCHEMA, id=str(sequence), body=body, code="b", written_at=at, key=key, uid=uid
    )
    return Message(sequence=sequence, at=at, subject=subject, data=encode(envelope))


def settings_message() -> Message:
    """Return the first message of a log: the settings that all decisions name."""
    digest = digest_of(CONTEXT.settings)
    used = SettingsUsed(digest=digest, settings=as_plain(CONTEXT.settings))
    return _message(1, subjects.settings(digest), used, None, "")


def lives(count: int) -> Iterator[Message]:
    """Yield the messages of so many clusters, one after another."""
    first = 2
    for number in range(count):
        messages = Life(number, first).lives()
        first += len(messages)
        yield from messages
