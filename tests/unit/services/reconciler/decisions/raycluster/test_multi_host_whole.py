"""Whatever happens to the pods of a multi-host group, no act makes or removes part of a replica."""

from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from shared.actions.objects import Action, ConfirmObject, CreateObject, DeleteObject
from shared.actions.outcomes import Done, Gone, Outcome, Unknown
from shared.aggregates.raycluster import raycluster_state
from shared.aggregates.view import View
from shared.events.decisions import Decided
from shared.events.objects import PodSeen
from tests.support.builders import QUOTA, cluster_spec, deleting, failed, gone, group, resource
from tests.support.replicas import HOST, INDEX, NAME, as_made, creations, removed, sized

HOSTS = 3
STEPS = ("decide", "show", "fail", "vanish", "delete", "resize", "name", "wake")


class Cluster:
    """A cluster that executes acts badly and shows pods late; `alive` is what is really there."""

    def __init__(self, chance: st.DataObject) -> None:
        self.chance = chance
        self.plot = sized(2, hosts=HOSTS)
        self.wanted = 2
        self.lucky = False
        self.alive: dict[str, PodSeen] = {}
        self.unshown: dict[str, PodSeen] = {}
        self.version = 6000
        self.generation = 1

    def draw(self, *options: str) -> str:
        return options[0] if self.lucky else self.chance.draw(st.sampled_from(options))

    def happens(self, step: str) -> None:
        shown = sorted(set(self.alive) - set(self.unshown))
        self.version += 1
        match step:
            case "decide":
                self.decides()
            case "wake":
                self.wakes()
            case "resize" | "name":
                self.asks(self.draw(*shown) if step == "name" and shown else "nobody")
            case "show" if self.unshown:
                self.shows(self.draw(*sorted(self.unshown)))
            case "fail" | "vanish" | "delete" if shown:
                self.loses(self.draw(*shown), step)

    def decides(self) -> None:
        view, act = self.plot.view(), self.plot.decides()
        if act is None:
            return
        makes_whole_replicas(act, view)
        removes_whole_replicas(act, view)
        self.plot.acts(act)
        if act.actions and self.draw("answer", "answer", "silence") == "answer":
            self.plot.answers(act, *(self.answers(action) for action in act.actions))

    def answers(self, action: Action) -> Outcome:
        self.version += 1
        luck = self.draw("done", "done", "done", "lost", "refused")
        if luck == "refused":
            return QUOTA
        match action:
            case CreateObject():
                pod = as_made(action, self.version)
                self.alive[action.name] = self.unshown[action.name] = pod
            case DeleteObject() if action.name in self.alive:
                self.unshown[action.name] = self.alive.pop(action.name)
            case ConfirmObject() if action.name not in self.alive:
                return Gone(resource_version=self.version)
        uid = f"uid-of-{getattr(action, 'name', '')}"
        going = isinstance(action, DeleteObject)
        answer = Done(uid=uid, resource_version=self.version, deleting=going)
        return Unknown(error="lost") if luck == "lost" else answer

    def shows(self, name: str) -> None:
        pod = self.unshown.pop(name)
        living = self.alive.get(name)
        if living is None:
            self.plot.sees(gone(pod, version=self.version))
            return
        meta = replace(living.meta, resource_version=self.version)
        self.plot.sees(replace(living, meta=meta))

    def loses(self, name: str, how: str) -> None:
        pod = self.alive[name]
        changed = replace(pod, meta=replace(pod.meta, resource_version=self.version))
        if how == "fail":
            self.alive[name] = failed(changed)
            self.plot.sees(self.alive[name])
            return
        del self.alive[name]
        self.plot.sees(deleting(changed) if how == "delete" else gone(pod, version=self.version))

    def asks(self, named: str) -> None:
        self.generation += 1
        self.wanted = self.wanted if self.lucky else self.chance.draw(st.integers(0, 4))
        strategy = {"workersToDelete": [named]}
        spec = cluster_spec(group("small", self.wanted, numOfHosts=HOSTS, scaleStrategy=strategy))
        self.plot.sees(resource(spec, generation=self.generation, version=self.version))

    def wakes(self) -> None:
        act = self.plot.view().act
        for timer in act.timers if act else ():
            if act and timer.name != "refresh":
                self.plot.fires(act, timer.name)

    def calms_down(self) -> None:
        """From now on everything succeeds and is shown."""
        self.lucky = True
        for _ in range(12):
            while self.unshown:
                self.happens("show")
            self.happens("wake")
            self.happens("decide")


def makes_whole_replicas(act: Decided, view: View) -> None:
    made = defaultdict(list)
    for action in creations(act.actions):
        made[action.labels[NAME], action.labels[INDEX]].append(action.labels[HOST])
    there = {pod.meta.labels.get(NAME) for pod in raycluster_state(view).pods.values()}

    assert all(hosts == [str(number) for number in range(HOSTS)] for hosts in made.values())
    assert len({index for _, index in made}) == len({name for name, _ in made}) == len(made)
    assert not there & {name for name, _ in made}


def removes_whole_replicas(act: Decided, view: View) -> None:
    state, going = raycluster_state(view), set(removed(act.actions))
    waiting = {trouble.name for trouble in act.troubles if trouble.verb == "delete"}
    touched = {state.alive[name].meta.labels[NAME] for name in going}
    whole = {name for name, pod in state.alive.items() if pod.meta.labels.get(NAME) in touched}
    unseen = [entry.labels.get(NAME) for entry in view.expectations if entry.name in state.coming]

    assert len(removed(act.actions)) == len(going)
    assert whole - waiting <= going
    assert not touched & set(unseen)


@settings(max_examples=60)
@given(st.data(), st.lists(st.sampled_from(STEPS), max_size=40))
def test_no_act_makes_or_removes_part_of_a_replica(chance: st.DataObject, steps: list[str]) -> None:
    cluster = Cluster(chance)
    for step in steps:
        cluster.happens(step)
        cluster.happens("decide")


@settings(max_examples=30)
@given(st.data(), st.lists(st.sampled_from(STEPS), max_size=25))
def test_in_the_end_there_are_the_wanted_replicas(chance: st.DataObject, steps: list[str]) -> None:
    cluster = Cluster(chance)
    for step in steps:
        cluster.happens(step)
    cluster.happens("resize")
    cluster.calms_down()
    hosts = defaultdict(list)
    for pod in cluster.alive.values():
        hosts[pod.meta.labels[INDEX], pod.meta.labels[NAME]].append(pod.meta.labels[HOST])

    assert len(hosts) == len({index for index, _ in hosts}) == cluster.wanted
    assert all(sorted(numbers) == ["0", "1", "2"] for numbers in hosts.values())
