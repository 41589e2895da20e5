"""Pods that submit jobs: each waits for its head, submits, follows, and ends as the real one does.

A controller over one pod. What a submitter has done is noted on its pod, so that a look can be
repeated: which job it follows, on which start of the head. A head that goes away under it breaks
the connection, and the submitter ends with 1. Read next: commands.py.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec

from sandbox.controllers.rayrules import RayScript
from sandbox.controllers.scenario import Scenario
from sandbox.controllers.told import told_exits, with_exit, with_note
from sandbox.controllers.world import PutObject, Steps, joined
from sandbox.dashboard.commands import Submission, may_submit, submissions
from sandbox.dashboard.fleet import Fleet, Key
from sandbox.dashboard.heads import CLUSTER, PORTS, container_env, env_value, node_of
from sandbox.dashboard.jobs import TERMINAL
from sandbox.dashboard.names import Backend
from sandbox.dashboard.replies import OK, REFUSED, Ask, Reply
from sandbox.objects import Object, dig, metadata, moment, name_of, namespace_of, rows

SUBMITTED = "sandbox.heliograph.dev/submitted"
ASK_EVERY = timedelta(seconds=2)
ENDING_TAKES = timedelta(seconds=0.05)
"""A process that ends in the instant it began would be no run at all."""
TAKEN = "Please use a different submission_id"
LOCAL = frozenset(("127.0.0.1", "localhost"))


class Following(msgspec.Struct, frozen=True, kw_only=True):
    """The job that one run of a container follows, and on which head."""

    container: str
    run: int
    job: str
    cluster: str
    head: str


class Submitters:
    """The look of the `submitters` controller."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._unnoted: dict[tuple[str, str], Following] = {}

    def look(self, pod: Object, now: datetime, scenario: Scenario) -> Steps:
        """Move every submitter of a pod on."""
        if metadata(pod).get("deletionTimestamp") or not may_submit(pod):
            return Steps()
        running = _running(pod)
        return joined(
            self._step(pod, each, running[each.container], now, scenario)
            for each in submissions(pod, self._env(pod))
            if each.container in running and not _has_ended(pod, each.container, running)
        )

    def _step(
        self,
        pod: Object,
        said: Submission,
        running: tuple[datetime, int],
        now: datetime,
        scenario: Scenario,
    ) -> Steps:
        """Move one submitter on; a job is submitted once even if the note of it was refused."""
        key = (str(metadata(pod).get("uid")), said.container)
        unnoted = self._unnoted.pop(key, None)
        noted = _following(pod, said.container)
        if unnoted is not None and unnoted.run == running[1] and noted != unnoted:
            self._unnoted[key] = unnoted
            return Steps(changes=(_note(pod, unnoted),))
        run = Run(self._fleet, pod, said, now, scenario)
        steps = run.step(*running)
        if run.submitted is not None:
            self._unnoted[key] = run.submitted
        return steps

    def _env(self, pod: Object) -> Mapping[str, Mapping[str, str]]:
        names = [str(each.get("name")) for each in rows(pod, "spec.containers")]
        secrets = self._fleet.secrets(namespace_of(pod))
        return {
            name: {
                key: env_value(entry, secrets) for key, entry in container_env(pod, name).items()
            }
            for name in names
        }


class Run:
    """One submitter at one moment."""

    def __init__(
        self, fleet: Fleet, pod: Object, said: Submission, now: datetime, scenario: Scenario
    ) -> None:
        self._fleet = fleet
        self._pod = pod
        self._said = said
        self._now = now
        self._script = scenario.ray
        self.submitted: Following | None = None
        """What was submitted by this step."""

    def step(self, started_at: datetime, run: int) -> Steps:
        """Do what is next."""
        if self._said.broken:
            return self._end(1)
        following = _following(self._pod, self._said.container)
        if following is None or following.run != run:
            return self._begin(started_at, run)
        return self._follow(following)

    def _begin(self, started_at: datetime, run: int) -> Steps:
        at = self._dashboard()
        if self._said.waits_for_health:
            health = self._ask(at, "GET", "/api/gcs_healthz")
            if health.status != OK or "success" not in health.text:
                passed = (self._now - started_at) // ASK_EVERY
                return Steps(next_at=started_at + (passed + 1) * ASK_EVERY)
        name = self._submit(at)
        head = None if at is None else node_of(at.pod)
        if name is None or head is None:
            return self._end(1)
        note = Following(
            container=self._said.container,
            run=run,
            job=name,
            cluster=f"{head.namespace}/{head.cluster}",
            head=head.node_id,
        )
        self.submitted = note
        return Steps(changes=(_note(self._pod, note),))

    def _submit(self, at: Backend | None) -> str | None:
        """Submit unless it is there already; return the job's id, None if that failed."""
        wanted = self._said.submission_id
        if self._said.asks_first and wanted:
            known = self._ask(at, "GET", f"/api/jobs/{wanted}")
            if known.status == OK:
                return wanted
        reply = self._ask(at, "POST", "/api/jobs/", msgspec.json.encode(self._said.job))
        if reply.status == OK:
            return str(reply.document["submission_id"])
        return wanted if self._said.takes_over and TAKEN in reply.text else None

    def _follow(self, following: Following) -> Steps:
        if not self._said.follows:
            return self._end(0)
        namespace, _, cluster = following.cluster.partition("/")
        key: Key = (namespace, cluster)
        self._fleet.follow(key, ("pods", namespace_of(self._pod), name_of(self._pod)))
        head = self._fleet.cluster(namespace, cluster, self._script).head
        if head is None or head.node.node_id != following.head:
            return self._end(1)
        seen = self._fleet.job(key, following.job, self._now, self._script)
        if seen is None:
            return self._end(1)
        if seen.status not in TERMINAL:
            return Steps(next_at=seen.next_at)
        last = self._ask(self._dashboard(), "GET", f"/api/jobs/{following.job}")
        failed = seen.status == "FAILED" and self._said.fails_with_job
        return self._end(1 if failed or (last.status != OK and not self._said.takes_over) else 0)

    def _end(self, code: int) -> Steps:
        ended = with_exit(self._pod, self._said.container, self._now + ENDING_TAKES, code)
        return Steps(changes=(PutObject(plural="pods", object=ended),))

    def _dashboard(self) -> Backend | None:
        host, port = _host_and_port(self._said.address)
        if host in LOCAL and CLUSTER in (metadata(self._pod).get("labels") or {}):
            return Backend(pod=self._pod, port=port)
        return self._fleet.find(host, port, namespace_of(self._pod))

    def _ask(self, at: Backend | None, method: str, path: str, body: bytes = b"") -> Reply:
        if at is None:
            return REFUSED
        env = container_env(self._pod, self._said.container)
        token = env_value(env.get("RAY_AUTH_TOKEN"), self._fleet.secrets(namespace_of(self._pod)))
        headers = {"authorization": f"Bearer {token}"} if token else {}
        ask = Ask(method=method, path=path, body=body, headers=headers)
        return self._fleet.ask(at, ask, self._now, self._script)


def _host_and_port(address: str) -> tuple[str, int]:
    place = address.partition("//")[2] if "//" in address else address
    host, _, port = place.partition("/")[0].partition(":")
    return host, int(port) if port.isdigit() else PORTS["dashboard"]


def _running(pod: Object) -> dict[str, tuple[datetime, int]]:
    """Return the containers that run: since when, and which run it is."""
    found = {}
    for status in rows(pod, "status.containerStatuses"):
        started = dig(status, "state.running.startedAt")
        if started:
            found[str(status["name"])] = (moment(started), int(status.get("restartCount", 0)))
    return found


def _has_ended(pod: Object, container: str, running: Mapping[str, tuple[datetime, int]]) -> bool:
    """Tell whether this run's end is noted already and the kubelet is about to see it."""
    ends = [each for each in told_exits(pod) if each.container == container]
    return len(ends) > running[container][1]


def _followings(pod: Object) -> list[Following]:
    text = (metadata(pod).get("annotations") or {}).get(SUBMITTED)
    return msgspec.json.decode(text, type=list[Following]) if text else []


def _following(pod: Object, container: str) -> Following | None:
    return next((each for each in _followings(pod) if each.container == container), None)


def _note(pod: Object, note: Following) -> PutObject:
    others = [each for each in _followings(pod) if each.container != note.container]
    text = msgspec.json.encode([*others, note]).decode()
    return PutObject(plural="pods", object=with_note(pod, SUBMITTED, text))


def lines_of_job(
    fleet: Fleet, pod: Object, container: str, now: datetime, script: RayScript
) -> str | None:
    """Return what a submitter prints: the lines of its job; None if it is no submitter."""
    following = _following(pod, container)
    if following is None:
        return None
    namespace, _, cluster = following.cluster.partition("/")
    return fleet.printed((namespace, cluster), following.job, now, script)
