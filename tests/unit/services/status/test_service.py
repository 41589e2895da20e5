"""A whole status service over the sandbox and a bus in memory: what it writes, what it leaves."""

import asyncio
import logging

import pytest

from sandbox.errors import ApiError
from sandbox.faults import LOSE_ANSWER, Refuse, no_faults
from services.status.conditions.raycluster import assess_raycluster
from services.status.patch import difference
from services.status.patience import LONGEST, QUIET
from services.status.reading import readable_cluster
from shared.kernel.manifests import entries_at
from tests.unit.services.status.serving import Place, Writer, served, settle, telling
from tests.unit.services.watcher.watched import DEMO, watching


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what the status service said, and nobody beside it."""
    return [one.message for one in caplog.records if one.name.startswith("services.status")]


async def test_writes_to_kubernetes_and_then_tells_the_log_what_it_became() -> None:
    place = Place()
    writer = Writer(place.cluster)
    async with served(place, writer):
        await settle()
        written = await place.statuses()

    assert writer.done == len(written) == 1
    assert written[0].resource_version == place.version()
    assert written[0].status == place.status()
    assert written[0].because == ("desiredWorkerReplicas: 0",)


async def test_every_written_status_is_what_the_log_before_it_says() -> None:
    place = Place()
    async with served(place, Writer(place.cluster)):
        await settle()
        place.add_head()
        await settle()
        place.make_head_ready()
        await settle()
        written = await place.statuses()
        views = [await place.view(body.based_on) for body in written]

    assert place.state() == "ready"
    assert len(written) == 3
    assert [
        difference(assess_raycluster(view, readable_cluster(view)), body.status)
        for view, body in zip(views, written, strict=True)
    ] == [{}, {}, {}]


async def test_writes_nothing_when_nothing_differs() -> None:
    place = Place()
    writer = Writer(place.cluster)
    async with served(place, writer):
        await settle()
        before = place.version()
        await settle(600)

    assert (writer.asked, place.version()) == (1, before)


async def test_counts_wait_for_company_and_a_state_does_not() -> None:
    place = Place()
    writer = Writer(place.cluster)
    async with served(place, writer):
        await settle()
        place.add_head()
        await settle(QUIET / 2)
        waiting = writer.done
        place.make_head_ready()
        await settle(QUIET / 10)

        assert (waiting, writer.done, place.state()) == (1, 2, "ready")
        await settle()

    assert writer.done == 2


async def test_a_change_does_not_wait_for_ever_while_things_go_on() -> None:
    place = Place()
    writer = Writer(place.cluster)
    async with served(place, writer):
        await settle()
        place.add_head()
        for number in range(9):
            place.touch(str(number))
            await settle(LONGEST / 7.5)

    assert writer.done == 2


async def test_touches_nothing_that_another_operator_cares_for() -> None:
    place = Place(managedBy="kueue.x-k8s.io/multikueue")
    writer = Writer(place.cluster)
    async with served(place, writer):
        await settle()

    assert (writer.asked, place.status()) == (0, {})


def held_by(place: Place, *finalizers: str) -> Writer:
    """The resource is being deleted, and these hold it."""
    held = {"metadata": {"finalizers": list(finalizers)}}
    place.cluster.patch("rayclusters", DEMO.namespace, DEMO.name, held)
    place.cluster.delete("rayclusters", DEMO.namespace, DEMO.name)
    return Writer(place.cluster)


async def test_writes_nothing_to_a_resource_that_is_being_deleted() -> None:
    place = Place()
    writer = held_by(place, "ray.io/gcs-ft-redis-cleanup-finalizer", "example.com/hold")
    async with served(place, writer):
        await settle()

    assert (writer.asked, place.status()) == (0, {})


async def test_says_once_whose_finalizer_alone_holds_a_deleted_resource() -> None:
    place = Place()
    writer = held_by(place, "example.com/hold")
    async with served(place, writer):
        await settle()

    (told,) = entries_at(place.status(), "conditions")
    assert writer.asked == 1
    assert (told["type"], told["status"], told["reason"]) == ("Blocked", "True", "Finalizer")
    assert str(told["message"]).startswith("finalizer example.com/hold: it is somebody else's")


async def test_waits_for_the_news_when_kubernetes_knows_more() -> None:
    place = Place()
    writer = Writer(place.cluster)

    async def somebody_is_faster() -> None:
        place.touch()

    writer.before = somebody_is_faster
    async with served(place, writer):
        await settle()
        written = await place.statuses()

    assert (writer.asked, writer.done) == (2, 1)
    assert [body.resource_version for body in written] == [place.version()]


async def test_a_write_that_comes_late_is_refused_and_the_newer_status_stands() -> None:
    place = Place()
    slow, quick = Writer(place.cluster), Writer(place.cluster)

    async def dozes() -> None:
        await asyncio.sleep(100)

    slow.before = dozes
    async with served(place, slow):
        await settle()
        place.add_head()
        place.make_head_ready()
        async with telling(place, quick, "status-1"):
            await settle(10)
            before = place.status()
            await settle(120)

    assert (before["state"], place.status()) == ("ready", before)
    assert (slow.asked, slow.done) == (1, 0)


async def test_two_services_side_by_side_agree() -> None:
    place = Place()
    one, two = Writer(place.cluster), Writer(place.cluster)
    async with served(place, one, two):
        await settle()
        place.add_head()
        await settle()
        place.make_head_ready()
        await settle()
        written = await place.statuses()
        seen = await place.view()

    versions = [body.resource_version for body in written]
    assert versions == sorted(set(versions))
    assert (place.state(), one.done + two.done) == ("ready", 3)
    assert (seen.status, seen.status_version) == (place.status(), place.version())


async def test_a_crash_between_kubernetes_and_log_reads_right() -> None:
    place = Place()
    writer, heir = Writer(place.cluster), Writer(place.cluster)

    async def dies() -> None:
        await place.server.clients["status-0"].close()

    writer.after = dies
    async with watching(place.cluster, place.server):
        async with telling(place, writer):
            await settle()
        async with telling(place, heir, "status-1"):
            await settle()
        written, seen = await place.statuses(), await place.view()

    assert (writer.done, heir.asked, written) == (1, 0, [])
    assert (seen.status, seen.status_version) == (place.status(), place.version())


async def test_an_answer_that_gets_lost_is_found_in_the_news() -> None:
    place = Place()
    writer = Writer(place.cluster)

    async def breaks() -> None:
        place.cluster.faults = lambda request: LOSE_ANSWER if request.subresource else None

    writer.before = breaks
    async with served(place, writer):
        await settle()

    assert place.status()["desiredWorkerReplicas"] == 0
    assert (writer.asked, writer.done) == (1, 0)


async def test_tries_again_when_kubernetes_did_not_answer(caplog: pytest.LogCaptureFixture) -> None:
    place = Place()
    writer = Writer(place.cluster)
    refusal = Refuse(error=ApiError.too_many_requests())
    place.cluster.faults = lambda request: refusal if request.subresource else None
    with caplog.at_level(logging.WARNING, "services.status"):
        async with served(place, writer):
            await settle()
            assert writer.done == 0
            place.cluster.faults = no_faults
            await settle()

    assert writer.done == 1
    assert set(said(caplog)) == {"status not written"}


async def test_tries_again_after_a_conflict_of_which_no_news_comes() -> None:
    place = Place()
    writer = Writer(place.cluster)
    refusals = iter((Refuse(error=ApiError.conflict("rayclusters", "sample")),))
    place.cluster.faults = lambda request: next(refusals, None) if request.subresource else None
    async with served(place, writer):
        await settle(20)

    assert (writer.asked, writer.done) == (2, 1)


async def test_conflicts_of_which_no_news_ever_come_are_tried_ever_more_rarely() -> None:
    place = Place()
    writer = Writer(place.cluster)
    refusal = Refuse(error=ApiError.conflict("rayclusters", "sample"))
    place.cluster.faults = lambda request: refusal if request.subresource else None
    async with served(place, writer):
        await settle(120)

    assert 4 <= writer.asked <= 6


async def test_says_what_kubernetes_refuses_and_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    place = Place()
    writer = Writer(place.cluster)
    refusal = Refuse(error=ApiError.bad_request("this is no status"))
    place.cluster.faults = lambda request: refusal if request.subresource else None
    with caplog.at_level(logging.WARNING, "services.status"):
        async with served(place, writer):
            await settle()
            place.cluster.faults = no_faults
            place.add_head()
            await settle()

    assert said(caplog) == ["status refused"]
    assert (writer.asked, writer.done) == (2, 1)


async def test_says_why_nothing_is_assessed() -> None:
    place = Place()
    async with telling(place) as service:
        assert service.trouble() == "its partitions are not loaded"
        await settle(1)
        assert service.trouble() == "the watchers have not listed everything"
        async with watching(place.cluster, place.server):
            await settle()
            assert service.trouble() is None
