"""Kubernetes itself: the sandbox cluster, its controllers on virtual time, and who is told.

Controllers act a moment after each change. They can be held up, which makes garbage collection,
kubelets and everything else slow at once.
"""

import asyncio
from collections.abc import Callable, Iterable
from datetime import datetime
from random import Random

from msgspec.structs import replace

from heliograph.simulator.living import live
from sandbox.cluster import Cluster
from sandbox.controllers.rayrules import AnswerRule
from sandbox.controllers.scenario import PodRule, Scenario
from sandbox.history import WatchEvent
from sandbox.identity import numbered_uids
from sandbox.objects import Object
from shared.kernel.manifests import controller_of, text_at
from tests.simulation.gateways import KINDS_OF_STEPS, GatewayController
from tests.simulation.kinds import PLURALS, in_steps
from tests.simulation.kinds import RAYCLUSTERS as RAYCLUSTERS  # noqa: PLC0414 - by this name
from tests.simulation.scripts import script
from tests.support.definitions import thin_definitions

CRDS = "customresourcedefinitions.apiextensions.k8s.io"
JOBS = "jobs.batch"
TOLD = (*PLURALS.values(), "pods", "services", JOBS)
"""What everybody who looks on is told of; of gateways and routes, too, where there are any."""
REACTIONS = (0.05, 0.2, 0.5)
"""How long controllers take to notice a change, in seconds."""
NAMESPACE = "default"


class Nature:
    """One Kubernetes cluster that lives by itself."""

    def __init__(self, seed: int, clock: Callable[[], datetime], chance: Random) -> None:
        rule = PodRule(
            schedule_after=chance.choice((0.0, 0.5)),
            init_after=0.0,
            run_after=chance.choice((0.1, 1.0, 4.0)),
            ready_after=chance.choice((0.1, 1.0)),
            terminate_after=chance.choice((0.1, 1.0, 6.0)),
        )
        self.scenario = Scenario(otherwise=rule, ray=script())
        """How pods and Ray fare while nothing is broken."""
        self.reaction = chance.choice(REACTIONS)
        self.cluster = Cluster(clock, numbered_uids(f"seed {seed}"), scenario=self.scenario)
        for definition in thin_definitions():
            self.cluster.create(CRDS, definition)
        self.gateways = GatewayController(self.cluster, seed) if in_steps(seed) else None
        self.told = TOLD if self.gateways is None else (*TOLD, *KINDS_OF_STEPS)
        self.held_up_until = 0.0
        self._clock = clock
        self._changed = asyncio.Event()
        self._told = dict.fromkeys(self.told, self.cluster.state.store.revision)

    def wake(self) -> None:
        """Let the controllers look again, as after a change of the scenario."""
        self._changed.set()

    def befall(self, *rules: PodRule) -> None:
        """Let something befall the pods that fit, until the world is mended."""
        scenario = self.cluster.scenario
        self.cluster.scenario = replace(scenario, rules=(*rules, *scenario.rules))
        self.wake()

    def answer(self, *rules: AnswerRule) -> None:
        """Let dashboards answer so; with no rules, truthfully."""
        scenario = self.cluster.scenario
        self.cluster.scenario = replace(scenario, ray=replace(scenario.ray, answers=rules))
        self.wake()

    def mend(self) -> None:
        """Let everything go well from now on."""
        self.held_up_until = 0.0
        self.cluster.scenario = self.scenario
        if self.gateways is not None:
            self.gateways.mend()
        self.wake()

    def tell(self, listener: Callable[[str, WatchEvent], None]) -> None:
        """Show the listener every commit that could concern us."""

        def news() -> None:
            self._changed.set()
            for resource in self.told:
                events = self.cluster.state.store.history(resource).after(self._told[resource])
                for event in events:
                    self._told[resource] = event.revision
                    listener(resource, event)

        self.cluster.state.store.listen(news)

    def objects(self, resource: str) -> tuple[Object, ...]:
        """Return what is there of a kind, by name."""
        found = self.cluster.state.store.objects(resource)
        return tuple(sorted(found, key=lambda obj: str(obj["metadata"]["name"])))

    def owned(self, resource: str, uid: str) -> tuple[Object, ...]:
        """Return what is there of a kind and controlled by this uid."""
        return tuple(
            obj for obj in self.objects(resource) if text_at(controller_of(obj), "uid") == uid
        )

    def find_uid(self, uid: str) -> Object | None:
        """Return the object of this uid, if it is there."""
        return self.cluster.state.store.find_uid(uid)

    async def live(self) -> None:
        """Let the controllers work until cancelled."""
        loop = asyncio.get_running_loop()
        await live(
            self._changed,
            self.cluster.step,
            self._clock,
            lambda: max(self.reaction, self.held_up_until - loop.time()),
        )


def names(objects: Iterable[Object]) -> list[str]:
    """Return the names of some objects."""
    return [str(obj["metadata"]["name"]) for obj in objects]
