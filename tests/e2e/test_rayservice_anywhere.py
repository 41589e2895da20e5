"""RayServices on whichever Kubernetes was chosen, with the rights that we deploy.

On the real control plane pods come up by the sandbox's kubelet, and the operator reaches the
scripted dashboards through the proxy that it opens, where a listener notes what is asked. The
reconciler and the scheduler are processes of their own, so that they can die by themselves. How
long Ray takes is told by the names of applications: there is one namespace for all stories here.
"""

import time
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise

import pytest
import yaml

from tests.e2e.services.books import books_of
from tests.e2e.services.counter import MARKET, STAND, rayservice
from tests.e2e.services.crossing import Crossing, stepped
from tests.e2e.services.listening import Listener, listening
from tests.e2e.services.quiet import traces, until_quiet
from tests.e2e.story import records_of, replay_problems
from tests.support.kubes import Kube, installed, network_of
from tests.support.processes import Installation

pytestmark = [pytest.mark.xdist_group("rayservice anywhere"), pytest.mark.timeout(300)]

APART = {
    "hands": ("watcher", "executor", "status"),
    "reconciler": ("reconciler",),
    "scheduler": ("scheduler",),
}
"""Which services run in which process."""
SLOW = STAND.replace("stand", "slow")
DEPLOYS_FOR = 4.0
INTERVAL = 3
IDLE = ("idle-one", "idle-two", "idle-three")
"""RayServices that are there from the start and that nobody touches."""
QUESTIONS = 5
SERVE, HEALTH = "/api/serve/applications/", "/-/healthz"
SECOND = timedelta(seconds=1)
"""A status tells whole seconds."""
LATE = timedelta(seconds=30)
"""How long after its moment something may happen whose moment came while nobody was there."""
READY = ("True", "NonZeroServeEndpoints")
AT_REST = ("True", "SuspendComplete")
NO_UPGRADE = ("False", "NoPendingCluster")


def scenario() -> str:
    """Return how Ray fares in all stories."""
    steps = [{"status": "DEPLOYING"}, {"after": DEPLOYS_FOR, "status": "RUNNING"}]
    return yaml.safe_dump({"ray": {"apps": [{"app": "slow", "steps": steps}]}})


class Stage(Crossing):
    """The user, everything that runs, and what was asked of Ray."""

    def __init__(self, here: Installation, listener: Listener) -> None:
        super().__init__(here)
        self.listener = listener

    def kill(self, *names: str) -> None:
        """End processes at once, as a crash would."""
        for name in names:
            self.here.processes[name].kill()

    def start(self, *names: str) -> None:
        """Start processes again, and wait until they can be counted on."""
        for name in names:
            self.here.processes[name].start()
        for name in names:
            self.here.processes[name].wait_ready()

    def stop(self) -> None:
        """Stop the whole operator, as a deployment does."""
        for name in APART:
            self.here.processes[name].end()

    def gone(self, name: str) -> None:
        """Delete a RayService, and wait until nothing of it is left."""
        self.delete("rayservices", name)
        self.until(lambda: not self.left_of(name), f"nothing of {name} is left")

    def applications(self, name: str) -> dict[str, str]:
        """Return the state of every application of the active cluster."""
        told = self.told(name)["activeServiceStatus"].get("applicationStatuses", {})
        return {app: one["status"] for app, one in told.items()}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, kube: Kube) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp("services")
    (folder / "scenario.yaml").write_text(scenario())
    with (
        installed(folder, kube, scenario=folder / "scenario.yaml") as here,
        listening(network_of(here)) as listener,
    ):
        user = Stage(here, listener)
        user.make_kinds()
        for name, services in APART.items():
            here.start_service(name, *services, HELIOGRAPH_DASHBOARD_PROXY=listener.url)
        user.start(*APART)
        for name in IDLE:
            user.serve(rayservice(name))
        with user.nodding():
            yield user


def test_a_service_serves_changes_in_place_rests_and_leaves_nothing(stage: Stage) -> None:
    """RayService checklist 26, 34 and 60: on either Kubernetes."""
    stage.serve(rayservice("plain"))
    first = stage.until_running("plain")["activeServiceStatus"]["rayClusterName"]
    told = stage.conditions("plain")
    assert (told["Ready"], told["UpgradeInProgress"]) == (READY, NO_UPGRADE)
    assert stage.endpoints("plain-serve-svc")
    stage.patch("rayservices", "plain", {"spec": {"serveConfigV2": MARKET}})
    stage.until(lambda: stage.applications("plain") == {"market": "RUNNING"}, "the market is open")
    assert (stage.active("plain"), stage.listener.told_to(first)) == (first, 2)

    stage.patch("rayservices", "plain", {"spec": {"suspend": True}})
    stage.until(lambda: stage.conditions("plain").get("Suspended") == AT_REST, "it rests")
    assert (stage.clusters("plain"), stage.endpoints("plain-serve-svc")) == ([], set())
    stage.patch("rayservices", "plain", {"spec": {"suspend": False}})
    assert stage.until_running("plain")["activeServiceStatus"]["rayClusterName"] != first
    stage.gone("plain")


def test_an_upgrade_goes_on_where_it_was_after_restarts_of_the_operator(stage: Stage) -> None:
    """RayService checklist 29, 30, 33 and 36: no third cluster, no second word to the same head.

    The stay of the old cluster does not begin anew.
    """
    stage.serve(rayservice("fresh", rayClusterDeletionDelaySeconds=8))
    old = stage.until_running("fresh")["activeServiceStatus"]["rayClusterName"]
    change = {"rayClusterConfig": {"rayVersion": "2.53.0"}, "serveConfigV2": SLOW}
    stage.patch("rayservices", "fresh", {"spec": change})
    stage.until(
        lambda: stage.listener.told_to(stage.pending("fresh")), "the new one is told what to run"
    )
    new = stage.pending("fresh")
    stage.stop()
    assert stage.active("fresh") == old, "the stop came too late to be in the middle"
    stage.start(*APART)
    fewest = watched(stage, "fresh", new)
    stage.until(lambda: books_of(stage.here, "fresh").due(f"dangling/{old}"), "the old one may go")
    [due] = books_of(stage.here, "fresh").due(f"dangling/{old}")
    stage.stop()
    assert set(stage.clusters("fresh")) == {old, new}, "the stop came after the stay"
    stage.start(*APART)
    stage.until(lambda: stage.clusters("fresh") == [new], "the old cluster is gone")

    books = books_of(stage.here, "fresh")
    [sent_away] = books.sent_away(old)
    assert timedelta() <= sent_away - due < LATE
    assert books.due(f"dangling/{old}") == {due}
    assert books.made() == [old, new]
    assert (stage.listener.told_to(old), stage.listener.told_to(new)) == (1, 1)
    assert fewest > 0, "somebody was not served"
    stage.gone("fresh")


def watched(stage: Stage, name: str, cluster: str) -> int:
    """Wait until a cluster serves; return the fewest endpoints that there were meanwhile."""
    counts: list[int] = []

    def serves() -> bool:
        counts.append(len(stage.endpoints(f"{name}-serve-svc")))
        return stage.active(name) == cluster

    stage.until(serves, f"{cluster} serves")
    return min(counts)


def test_steps_keep_their_interval_while_scheduler_and_reconciler_die(stage: Stage) -> None:
    """RayService checklist 69 and 76: none is skipped, or taken twice, or early.

    That holds however long nobody was there to take it.
    """
    stage.serve(stepped("steps", maxSurgePercent=100, intervalSeconds=INTERVAL))
    old = stage.until_running("steps")["activeServiceStatus"]["rayClusterName"]
    stage.until(lambda: stage.weights("steps") == {old: 100}, "everything goes to one cluster")
    stage.patch("rayservices", "steps", {"spec": {"rayClusterConfig": {"rayVersion": "2.53.0"}}})
    stage.until(lambda: stage.weights("steps").get(old, 100) == 75, "the first step is taken")
    stage.kill("reconciler", "scheduler")
    time.sleep(1.5 * INTERVAL)
    assert stage.weights("steps")[old] == 75
    stage.start("reconciler", "scheduler")
    stage.until(lambda: stage.weights("steps")[old] == 50, "the second step is taken")
    stage.kill("reconciler", "scheduler")
    stage.start("reconciler", "scheduler")
    stage.until(lambda: old not in stage.weights("steps"), "the route leads to the new one alone")
    new = stage.active("steps")
    stage.until(lambda: stage.clusters("steps") == [new], "the old cluster is gone")

    books = books_of(stage.here, "steps")
    steps = [step for step in books.steps() if step.share]
    assert [step.share for step in steps] == [25, 50, 75, 100]
    gaps = [later.at - earlier.at for earlier, later in pairwise(steps)]
    assert all(gap > INTERVAL * SECOND - SECOND for gap in gaps), gaps
    told = books.moved_at(new)
    assert all(later - earlier >= INTERVAL * SECOND for earlier, later in pairwise(told)), told
    assert (len(told), books.made()) == (4, [old, new])
    stage.gone("steps")


async def test_services_that_serve_cost_one_question_an_interval_and_nothing_else(
    stage: Stage,
) -> None:
    """Nothing is written or said while dashboards are asked again and again, each as often."""
    clusters = [stage.until_running(name)["activeServiceStatus"]["rayClusterName"] for name in IDLE]
    await until_quiet(stage)
    before = await traces(stage, tuple(APART))
    stage.listener.heard.clear()

    def asked() -> list[int]:
        return [stage.listener.asked_of(one, SERVE) for one in clusters]

    stage.until(lambda: min(asked()) >= QUESTIONS, "everybody was asked some times")
    counts = asked()
    assert await traces(stage, tuple(APART)) == before
    assert max(counts) <= 2 * QUESTIONS, counts
    assert {one.method for one in stage.listener.heard} == {"GET"}
    assert {one.path for one in stage.listener.heard} == {SERVE, HEALTH}
    for name in IDLE:
        stage.gone(name)


async def test_everything_that_was_decided_here_is_decided_so_again(stage: Stage) -> None:
    assert replay_problems(await records_of(stage.here)) == []
