"""The laws that every RayService is held to: invariants 31, 32, 34, 35 and 36 of the design.

A `LawfulStory` checks each action as it is carried out, and that every status stays in its state or
takes a way of the table; `ends` checks that all ends well once the world is kind.
"""

from datetime import datetime, timedelta

from services.reconciler.manifests.rayservice.cluster import HASH
from services.status.conditions.rayservice.table import state_of
from shared.actions.objects import (
    Action,
    ConfigureServe,
    CreateObject,
    DeleteObject,
    PatchObject,
)
from shared.actions.outcomes import Outcome
from shared.events.decisions import Decided
from shared.kernel.hashing import recreate_hash
from shared.kernel.manifests import mapping_at, texts_at
from tests.support.builders import Raw
from tests.support.moves import SERVICE_MOVES, may_follow
from tests.support.rayservices import SERVE_SVC
from tests.support.servicemoves import headless
from tests.support.servicestory import ServiceStory
from tests.support.steppingstory import SteppingStory

DELAY = timedelta(seconds=60)
STEPS_MAX = 6


class LawfulStory(ServiceStory):
    """A RayService of which no action may break a law."""

    def __init__(self, spec: Raw) -> None:
        self.left: dict[str, datetime] = {}
        """Since when clusters are no longer named."""
        self.removed: dict[str, datetime] = {}
        """When clusters were deleted that are no longer named."""
        super().__init__(spec)
        self.strategy = spec.get("upgradeStrategy")

    def perform(self, act: Decided, action: Action) -> Outcome:
        named = {self.active, self.pending} - {""}
        match action:
            case CreateObject(kind="raycluster"):
                self._made(act, action, named)
            case DeleteObject(kind="raycluster"):
                self._removed(action, named)
            case CreateObject(kind="service", name=name) if name == SERVE_SVC:
                self._led(texts_at(act.manifests[action.manifest], "spec", "selector"))
            case PatchObject(kind="service", name=name) if name == SERVE_SVC:
                self._led(texts_at(action.patch, "spec", "selector"))
            case ConfigureServe():
                assert action.cluster in self.may_be_told(), "told the wrong cluster"
            case _:
                pass
        return super().perform(act, action)

    def status_tells(self) -> None:
        before = {self.active, self.pending}
        super().status_tells()
        after = {self.active, self.pending}
        self.left |= dict.fromkeys(before - after - {""}, self.now)
        assert len(set(self.clusters) - set(self.left)) <= 2, "31: active and pending, no more"

    def writes_status(self, status: Raw, version: int) -> None:
        before, after = state_of(self.status), state_of(status)
        super().writes_status(status, version)
        assert may_follow(SERVICE_MOVES, before, after), f"36: {before} to {after}"

    def led_to(self, name: str) -> bool:
        """Whether requests are led to a cluster."""
        return self.leads_to == name

    def may_be_told(self) -> set[str]:
        """The clusters that may be told what to run."""
        return {self.pending or self.active}

    def _made(self, act: Decided, action: CreateObject, named: set[str]) -> None:
        assert action.name in named, "31: made under a name that nobody told"
        active = self.clusters.get(self.active)
        if active is None or active.meta.deleted_at or action.name == self.active:
            return
        stamp = texts_at(act.manifests[action.manifest], "metadata", "annotations")[HASH]
        assert stamp != active.meta.annotations[HASH], "35: an unchanged spec made a cluster"

    def _removed(self, action: DeleteObject, named: set[str]) -> None:
        going = self.own is not None and self.own.meta.deleted_at is not None
        if going or self.condition("Suspending")[0] == "True":
            return
        assert action.name not in named, "34: a cluster that is needed was deleted"
        assert self.now >= self.left[action.name] + DELAY, "34: it was deleted early"
        if self.condition("Ready")[1] != "InitializingTimeout":
            assert not self.led_to(action.name), "34: requests are still led to it"
        self.removed[action.name] = self.now

    def _led(self, selector: dict[str, str]) -> None:
        assert self.pods_behind(selector["ray.io/cluster"]), "32: nobody takes requests there"


def ends(story: LawfulStory) -> None:
    """Law 36: with a kind world and a sensible wish the newest spec is served, and nothing else."""
    own = story.own
    if own is None:
        return
    if own.meta.deleted_at is None:
        story.wishes(suspend=None, upgradeStrategy=story.strategy)
    for _ in range(STEPS_MAX):
        before = len(story.records)
        _be_kind(story)
        story.goes_on()
        story.time_passes(400)
        if len(story.records) == before:
            break
    if story.own is None:
        return
    assert own.meta.deleted_at is None, "36: it is not gone"
    assert story.condition("Ready") == ("True", "NonZeroServeEndpoints"), "36: it does not serve"
    assert (story.pending, list(story.clusters)) == ("", [story.active]), "36: clusters are left"
    config = mapping_at(story.own.spec, "rayClusterConfig")
    stamp = story.clusters[story.active].meta.annotations[HASH]
    assert stamp == recreate_hash(config), "36: an old spec is served"
    wished = str(story.own.spec["serveConfigV2"])
    assert all(name in wished for name in story.apps()), "36: an old configuration is served"
    if isinstance(story, SteppingStory):
        assert story.percents == (100, -1, 100, -1), f"36: it runs {story.percents} percent"


def _be_kind(story: LawfulStory) -> None:
    """Bring up every head, let everything answer and run, refuse and hold nothing."""
    story.refuses.clear()
    release(story)
    for name in headless(story):
        story.passes(11)
        story.head_comes_up(name)
    for name, head in story.heads.items():
        head.answers, head.silent, head.failure = True, False, ""
        head.well = bool(head.apps)
        head.apps = dict.fromkeys(head.apps, "RUNNING")
        if not head.ready:
            head.ready = True
            story.head_tells(name)
    if isinstance(story, SteppingStory) and not story.programmed:
        story.gateway_is(programmed=True)


def release(story: ServiceStory) -> None:
    """Whoever held clusters lets them go."""
    story.held.clear()
    for name in [name for name, one in story.clusters.items() if one.meta.deleted_at]:
        story.remove_cluster(name)
