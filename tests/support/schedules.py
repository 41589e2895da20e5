"""One schedule: a seed decides who moves next, what the user wants and what breaks.

What must hold is checked where the world changes: at every call that reaches Kubernetes
(`tests.support.tiny_api`) and every act that reaches the log; at the end, when faults have
stopped, everything has to come to rest where the user wants it, and to stay there in silence.
"""

import random
from datetime import datetime, timedelta

from services.reconciler.decisions.decide import decide
from shared.actions.outcomes import Refused
from shared.aggregates.expectations import answered
from shared.aggregates.phases import phase_of
from shared.aggregates.raycluster import group_of, raycluster_state
from shared.aggregates.troubles import wish_of
from shared.aggregates.view import View, view
from shared.events import subjects
from shared.events.decisions import REFRESH, Decided
from shared.events.records import TimerFired
from shared.resources.labels import HEAD_GROUP
from tests.support.builders import CONTEXT, KEY, Raw, cluster_spec, group
from tests.support.tiny_api import TinyApi, must
from tests.support.tiny_kubernetes import ENDED, Thing
from tests.support.tiny_operator import Executor, Item, Log, Reconciler, StatusWriter, assess

Worker = Reconciler | StatusWriter | Executor

STEP = timedelta(milliseconds=80)
GROUPS = {"small": 3, "big": 2}
CHAOS_STEPS = 300
CALM_ROUNDS = 40
ROUND_STEPS = 60


class Schedule:
    """A world with one RayCluster, played from a seed."""

    def __init__(self, seed: int) -> None:
        chance = self.chance = random.Random(seed)
        self.log = Log()
        self.api = TinyApi(self.log)
        self.kube = self.api.kube
        self.queue: list[Item] = []
        self.reconcilers = [Reconciler(self.log, chance) for _ in range(2)]
        self.statuses = [StatusWriter(self.log, chance) for _ in range(2)]
        self.executors = [
            Executor(
                self.log, self.api.call, self.api.read, chance, unsure=chance.choice([0, 0.2, 0.6])
            )
            for _ in range(2)
        ]
        self.lag = chance.choice([0, 0.3, 0.9])
        self.collects = chance.choice([1.0, 0.1])
        self.poison = chance.choice([0, 0.05])
        self.everybody: list[Worker] = [*self.reconcilers, *self.statuses, *self.executors]
        self.create_cluster()

    # the user

    def create_cluster(self) -> None:
        thing = Thing(kind=KEY.kind, name=KEY.name, spec=self.some_spec(suspend=False))
        created = self.kube.create(thing)
        self.api.wish(created.uid, created.generation, created.spec)

    def some_spec(self, *, suspend: bool) -> Raw:
        groups = (
            group(name, self.chance.randint(0, most))
            for name, most in GROUPS.items()
            if name == "small" or self.chance.random() < 0.7
        )
        return cluster_spec(*groups, suspend=suspend)

    def user(self) -> None:
        cluster = self.kube.cluster
        if cluster is None:
            self.create_cluster()
        elif cluster.deleting:
            self.kube.remove(cluster)
        else:
            wishes = (self.scale, self.suspend, self.kill, self.evict, self.delete)
            self.chance.choices(wishes, weights=(5, 2, 2, 2, 1))[0](cluster)

    def change(self, cluster: Thing, spec: Raw) -> None:
        stored = self.kube.store(cluster, spec=spec, generation=cluster.generation + 1)
        self.api.wish(stored.uid, stored.generation, spec)

    def scale(self, cluster: Thing) -> None:
        self.change(cluster, self.some_spec(suspend=bool(cluster.spec["suspend"])))

    def suspend(self, cluster: Thing) -> None:
        self.change(cluster, {**cluster.spec, "suspend": not cluster.spec["suspend"]})

    def delete(self, cluster: Thing) -> None:
        if self.chance.random() < 0.5:
            self.kube.store(cluster, deleting=True)
            return
        self.kube.remove(cluster)
        if self.chance.random() < 0.7:
            self.create_cluster()

    def kill(self, cluster: Thing) -> None:
        running = [pod for pod in self.kube.owned(cluster.uid) if pod.phase == "Running"]
        if running:
            self.kube.store(self.chance.choice(running), phase=ENDED)

    def evict(self, cluster: Thing) -> None:
        kind = "pod" if self.chance.random() < 0.8 else "service"
        if there := self.kube.owned(cluster.uid, kind):
            self.kube.remove(self.chance.choice(there))

    # the machinery

    def fault(self) -> None:
        span = timedelta(seconds=self.chance.choice([2, 10, 30]))
        what = self.chance.choice(["sleep", "sleep", "wait", "crash", "forget", "quota"])
        if what == "sleep":
            self.chance.choice(self.everybody).asleep_until = self.log.now + span
        elif what == "wait":
            self.log.now += span
        elif what == "crash":
            self.chance.choice(self.executors).job = None
        elif what == "forget":
            self.chance.choice(self.reconcilers).held = None
        else:
            self.api.quota_until = self.log.now + span

    def kubelet(self) -> None:
        if not self.children():
            return
        pod, cluster = self.chance.choice(self.children()), self.kube.cluster
        if pod.deleting:
            self.kube.remove(pod)
        elif cluster is None or cluster.uid != pod.owner:
            if self.chance.random() < self.collects:
                self.kube.store(pod, deleting=True)
        elif pod.phase == "Pending":
            self.kube.store(pod, phase="Running")

    def watcher(self) -> None:
        events = self.kube.events[self.chance.choice(list(self.kube.events))]
        if events and self.chance.random() >= self.lag:
            self.log.sees(events.popleft())

    def scheduler(self) -> None:
        record = self.log.last(subjects.act(KEY))
        for due_at, timer in self.timers():
            if record and due_at <= self.log.now and isinstance(record.envelope.body, Decided):
                self.log.uid = record.envelope.uid
                self.log.fires(record.envelope.body, timer)

    def timers(self) -> list[tuple[datetime, str]]:
        """What the last act wants to be woken for and has not been, earliest first."""
        record = self.log.last(subjects.act(KEY))
        body = record.envelope.body if record else None
        wanted = body.timers if isinstance(body, Decided) else ()
        fired = {one.name: self.log.last(subjects.fired(KEY, one.name)) for one in wanted}
        pending = []
        for one in wanted:
            last = fired[one.name]
            told = last.envelope.body if last else None
            if not isinstance(told, TimerFired) or told.due_at != one.due_at:
                pending.append((one.due_at, one.name))
        return sorted(pending)

    def commit(self, act: Decided, seen: View) -> None:
        refused = {
            wish_of(action)
            for action, outcome in (answered(seen.act, seen.answer) if seen.act else ())
            if isinstance(outcome, Refused) and seen.act
            if seen.act.seen.generation == act.seen.generation
        }
        asked = {wish_of(action) for action in act.actions} - {None}
        must(not refused & asked, "what was refused is asked for again at once")
        owner = seen.own or seen.former
        must(owner, "an act for a resource that nobody ever saw")
        self.log.uid = seen.own.meta.uid if seen.own else seen.former.uid if seen.former else ""
        self.log.acts(act)
        alive = raycluster_state(seen).alive.values()
        self.api.counted[act.id] = {pod.meta.name: group_of(pod.meta) for pod in alive}
        if act.actions and self.chance.random() >= self.poison:
            self.queue.append(Item(act, self.log.uid, self.log.now))

    def step(self) -> None:
        self.log.now += STEP
        if self.chance.random() < 0.5:
            decider = self.chance.choice(self.reconcilers)
            if self.awake(decider):
                decider.step(self.commit)
        else:
            writer = self.chance.choice(self.statuses)
            if self.awake(writer):
                writer.step(self.api.patch_status)
        doer = self.chance.choice(self.executors)
        for _ in range(self.chance.choice([0, 1, 4])):
            if self.awake(doer):
                doer.step(self.queue)
        for mover, share in ((self.watcher, 0.7), (self.kubelet, 0.4), (self.scheduler, 0.3)):
            if self.chance.random() < share:
                mover()

    def awake(self, one: Worker) -> bool:
        return one.asleep_until is None or one.asleep_until <= self.log.now

    # the play

    def run(self) -> None:
        for _ in range(CHAOS_STEPS):
            self.step()
            if self.chance.random() < 0.04:
                self.user()
            if self.chance.random() < 0.03:
                self.fault()
        self.calm_down()
        self.settle()
        self.stay()
        self.replay()

    def calm_down(self) -> None:
        self.lag, self.poison, self.collects, self.api.quota_until = 0, 0, 1.0, self.log.now
        for one in self.everybody:
            one.asleep_until = None
        for executor in self.executors:
            executor.unsure = 0
        if self.kube.cluster and self.kube.cluster.deleting:
            self.kube.remove(self.kube.cluster)

    def settle(self) -> None:
        for _ in range(CALM_ROUNDS):
            for _ in range(ROUND_STEPS):
                self.step()
            if self.idle():
                if not self.unmet() and not self.log.view().expectations:
                    return
                pending = [due_at for due_at, timer in self.timers() if timer != REFRESH]
                must(pending, f"it stopped halfway: {self.unmet()}")
                self.log.now = max(self.log.now, *pending[:1])
        must(False, f"it does not come to rest: {self.unmet()}")

    def idle(self) -> bool:
        seen = self.log.view()
        following: tuple[Reconciler | StatusWriter, ...] = (*self.reconcilers, *self.statuses)
        return (
            not self.queue
            and not any(self.kube.events.values())
            and all(one.position == len(self.log.records) for one in following)
            and not any(one.held for one in following)
            and all(one.phase != "Pending" and not one.deleting for one in self.children())
            and decide(seen, CONTEXT) is None
            and assess(seen) is None
        )

    def children(self) -> list[Thing]:
        return [one for one in self.kube.things.values() if one.kind != KEY.kind]

    def unmet(self) -> str:
        """What of the user's wish is not there yet, in a sentence."""
        cluster = self.kube.cluster
        pods = [one for one in self.children() if one.kind == "pod"]
        if cluster is None:
            last = self.log.view().last_act
            left = f"{len(pods)} pods after deletion" if pods else ""
            return left or ("" if last is None or last.closing else "no closing act")
        phase = phase_of(cluster.status).partition("/")[0]
        if cluster.spec["suspend"]:
            return "" if not pods and phase == "suspended" else f"{len(pods)} pods, {phase}"
        wanted = {HEAD_GROUP: 1, **self.api.wishes[cluster.uid][cluster.generation]}
        there = {name: len(self.kube.usable(cluster.uid, name)) for name in wanted}
        services = len(self.kube.owned(cluster.uid, "service"))
        exact = len(pods) == sum(wanted.values()) and there == wanted and services == 1
        return "" if exact and phase == "active" else f"{there} of {wanted}, {services}, {phase}"

    def stay(self) -> None:
        """Everything that still wants to be woken is woken, and nothing comes of it."""
        version, acts = self.kube.version, self.log.fence(subjects.act(KEY))
        for due_at, timer in self.timers():
            if timer != REFRESH:
                self.log.now = max(self.log.now, due_at)
        for _ in range(ROUND_STEPS):
            self.step()
        must(self.kube.version == version, "Kubernetes is written to at rest")
        must(self.log.fence(subjects.act(KEY)) == acts, "something is decided at rest")

    def replay(self) -> None:
        """Every act again, from the records it says it rests on."""
        for record in self.log.records:
            act = record.envelope.body
            if isinstance(act, Decided):
                prefix = {
                    one.subject: one for one in self.log.records if one.sequence <= act.based_on
                }
                must(decide(view(KEY, prefix.values()), CONTEXT) == act, "replay decides otherwise")
