"""Every Ray of the cluster: who is behind an address, and what each head remembers.

The one place here that remembers; all answers come from pure functions. Time and script come with
the question. Whoever follows a cluster (a submitter) is told when it may have changed. Read next:
answering.py.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from sandbox.controllers.index import Index, Place
from sandbox.controllers.rayrules import RayScript
from sandbox.dashboard import jobs
from sandbox.dashboard.answering import ask_agent, ask_dashboard, ask_proxy, overruled, scripted
from sandbox.dashboard.heads import CLUSTER, Head, RayNode, head_of, is_ray, node_of, part_at
from sandbox.dashboard.job_requests import Desk
from sandbox.dashboard.memory import Memory, remembered
from sandbox.dashboard.names import Backend, backend, resolve
from sandbox.dashboard.replies import REFUSED, Ask, Reply
from sandbox.objects import Object, metadata, namespace_of

Key: TypeAlias = tuple[str, str]


class Cluster(Struct, frozen=True, kw_only=True):
    """One RayCluster as its pods show it."""

    head: Head | None
    nodes: tuple[RayNode, ...]


class Fleet:
    """All heads, over an index of the cluster's objects."""

    def __init__(self, index: Index, look_at: Callable[[Place], None]) -> None:
        self._index = index
        self._look_at = look_at
        self._memories: dict[Key, Memory] = {}
        self._followers: dict[Key, dict[Place, None]] = {}

    def find(self, host: str, port: int | str, namespace: str) -> Backend | None:
        """Find the pod and port behind a host name or address, as seen from a namespace."""
        return resolve(self._index, host, port, namespace)

    def behind(self, service: Object, port: int | str) -> Backend | None:
        """Find a ready pod behind a port of a service."""
        return backend(self._index, service, port)

    def ask(self, at: Backend, ask: Ask, now: datetime, script: RayScript) -> Reply:
        """Put a question to a port of a pod."""
        part, node = part_at(at.pod, at.port), node_of(at.pod)
        if part is None or node is None:
            return REFUSED
        cluster = self.cluster(node.namespace, node.cluster, script)
        head = cluster.head if cluster.head is not None and cluster.head.up_at <= now else None
        if part == "dashboard-agent":
            return ask_agent(ask, head)
        if head is None or (part == "dashboard" and head.node.uid != node.uid):
            return REFUSED
        rule = scripted(script, head, ask, now)
        taken = None if rule is None else overruled(rule)
        if taken is not None:
            return taken
        desk = Desk(head=head, script=script, now=now)
        memory = self._memory(head)
        if part == "serve":
            reply = ask_proxy(memory, ask, node, cluster.nodes, desk)
        else:
            after, reply = ask_dashboard(memory, ask, cluster.nodes, desk)
            self._remember(head.key, memory, after)
        return reply if rule is None else replace(reply, delay=rule.delay)

    def cluster(self, namespace: str, name: str, script: RayScript) -> Cluster:
        """Look at the running pods of a RayCluster."""
        pods = self._index.labelled(namespace, CLUSTER, name)
        nodes = tuple(node for pod in pods if (node := node_of(pod)) is not None)
        rule = script.head_rule(namespace, name)
        found = (head_of(pod, rule, self.secrets(namespace)) for pod in pods)
        head = next((each for each in found if each is not None), None)
        return Cluster(head=head, nodes=nodes)

    def heads(self, script: RayScript) -> Iterator[Head]:
        """Yield every head that runs."""
        for pod in self._index.objects("pods"):
            key = metadata(pod).get("labels", {}).get(CLUSTER, "")
            rule = script.head_rule(namespace_of(pod), key)
            head = head_of(pod, rule, self.secrets(namespace_of(pod)))
            if head is not None:
                yield head

    def job(self, key: Key, name: str, now: datetime, script: RayScript) -> jobs.Moment | None:
        """Look at a job over a connection that is open: no rule about answers comes between."""
        head = self.cluster(*key, script).head
        if head is None:
            return None
        found = self._memory(head).jobs.get(name)
        return None if found is None else Desk(head=head, script=script, now=now).look(found)

    def jobs_of(self, head: Head) -> Mapping[str, jobs.Job]:
        """Return every job that a head knows, by its name."""
        return self._memory(head).jobs

    def printed(self, key: Key, name: str, now: datetime, script: RayScript) -> str:
        """Return what a job has printed by now; nothing if it is not known."""
        head = self.cluster(*key, script).head
        found = None if head is None else self._memory(head).jobs.get(name)
        if head is None or found is None:
            return ""
        desk = Desk(head=head, script=script, now=now)
        return jobs.printed(found, desk.rule(found), now)

    def recall(self, key: Key, known: Memory, script: RayScript) -> None:
        """Let a head that runs know what it knew before this world began."""
        head = self.cluster(*key, script).head
        if head is not None:
            self._memories[key] = replace(known, incarnation=self._memory(head).incarnation)

    def follow(self, key: Key, place: Place) -> None:
        """Have a pod looked at again whenever this cluster may have changed."""
        self._followers.setdefault(key, {})[place] = None

    def noted(self, pod: Object, *, gone: bool = False) -> None:
        """Take notice of a change of a pod: its followers may want to know."""
        if not is_ray(pod):
            return
        key = (namespace_of(pod), str(metadata(pod)["labels"][CLUSTER]))
        self._tell(key)
        if gone and not self._index.labelled(key[0], CLUSTER, key[1]):
            self._followers.pop(key, None)

    def _memory(self, head: Head) -> Memory:
        found = remembered(self._memories.get(head.key), head)
        self._memories[head.key] = found
        return found

    def _remember(self, key: Key, before: Memory, after: Memory) -> None:
        if after is not before:
            self._memories[key] = after
            self._tell(key)

    def _tell(self, key: Key) -> None:
        for place in self._followers.get(key, {}):
            self._look_at(place)

    def secrets(self, namespace: str) -> Callable[[str], Object | None]:
        """Return a way to find the Secrets of a namespace."""
        return lambda name: self._index.get(("secrets", namespace, name))
