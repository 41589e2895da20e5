"""Storms on real parts: a proxy with weather before the API server, cut cables, stopped processes.

Real services, real nats-server, and the API server of `--kube`. Twenty RayClusters come, change and
go; whatever fell on them, everything converges and no law is broken (`tests/e2e/churning.py`).
"""

import asyncio
import os
import signal
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from random import Random

import pytest

from tests.e2e.churning import Strike, chosen_seed, pause, survive
from tests.support.cables import Cable, cable_to
from tests.support.faultproxy import Asked, Fate, KubeProxy, Weather, calm, kube_proxy, through
from tests.support.kubes import Kube, installed
from tests.support.processes import EACH_TWICE, Installation
from tests.support.realkube import LATER

pytestmark = [pytest.mark.xdist_group("faults"), pytest.mark.timeout(300)]
STORM = (2.0, 5.0)
STRIKES = 2
TOO_LONG = (6.0, 12.0)
"""Longer than a lease: whoever was stopped must find out that it holds nothing any more."""


class Stormy:
    """A Kubernetes whose services reach it through the proxy only."""

    def __init__(self, kube: Kube, proxy: KubeProxy) -> None:
        self._kube = kube
        self._proxy = proxy
        self.choice = kube.choice

    def begin(self, here: Installation, scenario: Path | None = None) -> None:
        """Begin as the one behind it does."""
        self._kube.begin(here, scenario)
        self._proxy.lead_to(here.kubeconfig)

    def identity(self, here: Installation, services: Iterable[str]) -> Mapping[str, str]:
        """Return who a process is, and the way through the proxy."""
        told = dict(self._kube.identity(here, services))
        return {**told, "KUBECONFIG": str(through(self._proxy, Path(told["KUBECONFIG"])))}


@pytest.fixture(scope="module")
def proxy() -> Iterator[KubeProxy]:
    if os.environ.get(LATER):
        pytest.skip("storms have their turn later, on the real control plane")
    with kube_proxy() as made:
        yield made


@pytest.fixture(scope="module")
def here(
    tmp_path_factory: pytest.TempPathFactory, kube: Kube, proxy: KubeProxy
) -> Iterator[Installation]:
    with installed(tmp_path_factory.mktemp("faults"), Stormy(kube, proxy), EACH_TWICE) as made:
        yield made


def short_watches(chance: Random) -> Weather:
    """Let every watch end soon."""
    return lambda asked: Fate(watch_for=chance.uniform(0.1, 1.5)) if asked.watch else Fate()


def expired_watches(chance: Random) -> Weather:
    """Let every watch end soon, and be too old to go on."""

    def weather(asked: Asked) -> Fate:
        if not asked.watch:
            return Fate()
        if chance.random() < 0.3:
            return Fate(code=410)
        return Fate(watch_for=chance.uniform(0.1, 1.5), expires=True)

    return weather


def lost_answers(chance: Random) -> Weather:
    """Do what is asked for, and often say nothing."""
    return lambda asked: Fate(lost=asked.writes and chance.random() < 0.4)


def overload(chance: Random) -> Weather:
    """Turn much away, in every way that a busy API server knows."""

    def weather(asked: Asked) -> Fate:
        refused = not asked.watch and chance.random() < 0.5
        return Fate(code=chance.choice((429, 429, 500, 503, 504)) if refused else 0)

    return weather


def molasses(chance: Random) -> Weather:
    """Let everything take its time."""
    return lambda _: Fate(delay=chance.uniform(0.05, 1.0))


def outage(chance: Random) -> Weather:
    """Let nothing through, and break what is open."""
    del chance
    return lambda _: Fate(cut=True)


WEATHERS = {
    "short watches": short_watches,
    "expired watches": expired_watches,
    "lost answers": lost_answers,
    "overload": overload,
    "molasses": molasses,
    "outage": outage,
}


def storm(proxy: KubeProxy, weather: Weather, chance: Random) -> Strike:
    """Bad weather for a while."""

    async def strike() -> None:
        await pause(chance)
        await asyncio.to_thread(proxy.change, weather)
        await asyncio.sleep(chance.uniform(*STORM))
        await asyncio.to_thread(proxy.change, calm)

    return strike


@pytest.mark.parametrize("name", WEATHERS)
async def test_everything_converges_whatever_the_weather(
    here: Installation, proxy: KubeProxy, name: str
) -> None:
    seed = chosen_seed()
    chance = Random(f"{seed}/strikes")
    proxy.met.clear()

    await survive(here, storm(proxy, WEATHERS[name](chance), chance), seed, STRIKES)

    print("met:", proxy.met)
    assert proxy.met, "the storm fell on nobody"


def stopping(here: Installation, service: str, chance: Random) -> Strike:
    """Stop one process for longer than its leases last; it goes on as if nothing had been."""

    async def strike() -> None:
        await pause(chance)
        victim = chance.choice(here.members(service))
        print("stopped", victim.name)
        victim.signal(signal.SIGSTOP)
        await asyncio.sleep(chance.uniform(*TOO_LONG))
        victim.signal(signal.SIGCONT)

    return strike


@pytest.mark.parametrize("service", ["watcher", "reconciler", "executor"])
async def test_whoever_was_stopped_does_no_harm_afterwards(
    here: Installation, service: str
) -> None:
    seed = chosen_seed()

    await survive(here, stopping(here, service, Random(f"{seed}/strikes")), seed, 1)


@pytest.fixture(scope="module")
def cabled(
    tmp_path_factory: pytest.TempPathFactory, kube: Kube, proxy: KubeProxy
) -> Iterator[tuple[Installation, Cable]]:
    """An installation whose services reach NATS over a cable."""
    del proxy
    with (
        installed(tmp_path_factory.mktemp("cabled"), kube) as made,
        cable_to(int(made.nats.url.rpartition(":")[2])) as cable,
    ):
        made.nats_url = f"nats://127.0.0.1:{cable.port}"
        made.start_services(EACH_TWICE)
        yield made, cable


async def test_services_that_lose_nats_and_still_see_kubernetes_come_back(
    cabled: tuple[Installation, Cable],
) -> None:
    here, cable = cabled
    seed = chosen_seed()
    chance = Random(f"{seed}/strikes")

    async def strike() -> None:
        await pause(chance)
        await asyncio.to_thread(cable.pull)
        await asyncio.sleep(chance.uniform(*STORM))
        await asyncio.to_thread(cable.plug)

    await survive(here, strike, seed, STRIKES)


async def test_a_nats_server_that_stalls_holds_everything_up_and_nothing_more(
    cabled: tuple[Installation, Cable],
) -> None:
    here, _ = cabled
    seed = chosen_seed()
    chance = Random(f"{seed}/strikes")

    async def strike() -> None:
        await pause(chance)
        os.kill(here.nats.pid, signal.SIGSTOP)
        await asyncio.sleep(chance.uniform(*TOO_LONG))
        os.kill(here.nats.pid, signal.SIGCONT)

    await survive(here, strike, seed, 1)
