"""A RayService whose traffic moves in steps, with real processes and a gateway that only nods."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise

import pytest
import yaml

from tests.e2e.jobs.desk import PATIENCE, operated
from tests.e2e.services.books import books_of
from tests.e2e.services.counter import MARKET
from tests.e2e.services.crossing import Crossing, stepped
from tests.e2e.story import closed_books, replay_problems
from tests.e2e.test_rayservice import INCREMENTAL, SAMPLES
from tests.support.processes import Installation
from tests.support.steppingmodel import BEGINNING, changes

PACES = ((100, 100, 1), (50, 50, 2), (25, 50, 1), (25, 30, 1), (15, 70, 2), (20, 20, 1))
"""How far traffic moves at once, how far capacity does, and how many seconds lie between."""
pytestmark = [pytest.mark.xdist_group("rayservice"), pytest.mark.timeout(400)]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with operated(tmp_path_factory.mktemp("steps")) as installation:
        Crossing(installation).make_kinds()
        yield installation


def test_traffic_moves_in_steps_and_nobody_is_sent_into_the_void(here: Installation) -> None:
    """RayService checklist 76: both versions are there while it moves; the new text at the end."""
    desk = Crossing(here, "steps")
    with desk.nodding():
        desk.serve(stepped())
        old = desk.until_running("fruit")["activeServiceStatus"]["rayClusterName"]
        desk.until(lambda: desk.weights("fruit") == {old: 100}, "everything goes to one cluster")
        change = {"rayClusterConfig": {"rayVersion": "2.53.0"}, "serveConfigV2": MARKET}
        desk.patch("rayservices", "fruit", {"spec": change})
        shares: list[int] = []

        def through() -> bool:
            weights = desk.weights("fruit")
            assert sum(weights.values()) == 100
            for cluster, weight in weights.items():
                assert weight == 0 or desk.endpoints(f"{cluster}-serve-svc"), weights
            shares.append(weights.get(old, 0))
            return old not in weights

        desk.until(through, "the route leads to the new cluster alone")
        status = desk.until_running("fruit")
        steps = list(dict.fromkeys(shares))
        assert all(earlier - later <= 50 for earlier, later in pairwise(steps)), steps
        assert len(steps) > 2, steps
        assert set(status["activeServiceStatus"]["applicationStatuses"]) == {"market"}
        desk.until(lambda: desk.get("rayclusters", old) is None, "the old cluster is gone")


def test_every_pace_steps_as_specified(here: Installation) -> None:
    """RayService checklist 69, 70 and 76: six upgrades at once, each at its own pace."""
    desk = Crossing(here, "paces")
    names = {f"at-{pace[0]}-{pace[1]}": pace for pace in PACES}
    with desk.nodding():
        for name, (step, surge, pause) in names.items():
            options = {"stepSizePercent": step, "maxSurgePercent": surge, "intervalSeconds": pause}
            desk.serve(stepped(name, **options))
        old = {
            name: desk.until_running(name)["activeServiceStatus"]["rayClusterName"]
            for name in names
        }
        begin = {name: {cluster: 100} for name, cluster in old.items()}
        desk.until(lambda: all(desk.weights(name) == begin[name] for name in names), "routes lead")
        change = {"spec": {"rayClusterConfig": {"rayVersion": "2.53.0"}}}
        for name in names:
            desk.patch("rayservices", name, change)
        desk.until(lambda: all(old[name] not in desk.weights(name) for name in names), "all moved")

    for name, pace in names.items():
        went_as_specified(here, name, *pace)


def went_as_specified(here: Installation, name: str, step: int, surge: int, pause: int) -> None:
    """Compare what the log says of an upgrade with a model that knows none of our code."""
    books, wanted = books_of(here, name, "paces"), list(changes(BEGINNING, step, surge, back=False))
    [_, new] = books.made()
    shares = [each.share for each in books.steps() if each.share]
    assert shares == list(dict.fromkeys(traffic for *_, traffic in wanted if traffic)), name
    model = iter([BEGINNING, *wanted])
    assert all(each in model for each in books.percents()), (name, books.percents())
    gaps = [later - earlier for earlier, later in pairwise(books.moved_at(new))]
    assert min(gaps, default=timedelta(seconds=pause)) >= timedelta(seconds=pause), (name, gaps)


def test_a_revert_half_way_ends_where_it_began(here: Installation) -> None:
    """RayService checklist 77: back to the original cluster, and the other one goes."""
    desk = Crossing(here, "revert")
    with desk.nodding():
        desk.serve(stepped(intervalSeconds=2))
        old = desk.until_running("fruit")["activeServiceStatus"]["rayClusterName"]
        desk.patch("rayservices", "fruit", {"spec": {"rayClusterConfig": {"rayVersion": "2.53.0"}}})
        desk.until(lambda: 0 < desk.weights("fruit").get(old, 100) < 100, "some of it has moved")
        desk.patch("rayservices", "fruit", {"spec": {"rayClusterConfig": {"rayVersion": "2.52.0"}}})
        desk.until(
            lambda: desk.conditions("fruit").get("RollbackInProgress", ("", ""))[0] == "True",
            "the status says that it goes back",
        )
        desk.until(lambda: desk.weights("fruit") == {old: 100}, "the route leads back alone")
        desk.until(lambda: len(desk.all("rayclusters")) == 1, "the other cluster is gone")
        assert desk.told("fruit")["activeServiceStatus"]["rayClusterName"] == old
        assert "RollbackInProgress" not in desk.conditions("fruit")


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="needs ../shared/data/kuberay-samples")
def test_the_sample_serves_through_its_gateway(here: Installation) -> None:
    """RayService checklist 84: the sample of an upgrade in steps, as it stands."""
    desk = Crossing(here, "sample")
    each = yaml.safe_load_all((SAMPLES / INCREMENTAL).read_text())
    [service] = [one for one in each if one and one["kind"] == "RayService"]
    name = desk.serve(service)
    active = desk.until_running(name)["activeServiceStatus"]

    desk.until(lambda: desk.weights(name) == {active["rayClusterName"]: 100}, "there is a route")
    assert active["targetCapacity"] == 100


async def test_the_log_replays_to_the_same_decisions(here: Installation) -> None:
    """What was decided of a service in steps is decided again from the log alone."""
    desk = Crossing(here, "again")
    with desk.nodding():
        name = desk.serve(stepped())
        desk.until_running(name)
        old = desk.told(name)["activeServiceStatus"]["rayClusterName"]
        desk.patch("rayservices", name, {"spec": {"rayClusterConfig": {"rayVersion": "2.53.0"}}})
        desk.until(lambda: old not in desk.weights(name), "the new cluster has taken over")
    desk.delete("rayservices", name)

    assert replay_problems(await closed_books(here, "again", PATIENCE)) == []
