"""Objects that come back from the log look to a watcher as they looked then."""

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from heliograph.simulator.restoring import asked_for, newest_version, restored
from services.watcher.translate.facts import seen
from shared.aggregates.view import View, view
from shared.events.envelope import Record
from shared.events.objects import ObjectGone, ObjectSeen, PodSeen, ResourceSeen
from shared.events.subjects import place_of
from shared.kernel.manifests import entries_at, mapping_at, text_at
from shared.kube.kinds import KINDS
from tests.contract.test_histories import HISTORIES, KEY, records_of


def view_at(name: str, sequence: int) -> View:
    records = [one for one in records_of(name) if one.sequence <= sequence]
    return view(KEY, [one for one in records if _is_first(one)])


def _is_first(record: Record) -> bool:
    place = place_of(record.subject)
    return place is not None and place.key == KEY


def moments(name: str) -> Iterator[View]:
    """Every fifth moment at which the cluster was there."""
    last = records_of(name)[-1].sequence
    for sequence in range(5, last + 1, 5):
        found = view_at(name, sequence)
        if found.own is not None:
            yield found


def plain(body: ObjectSeen) -> ObjectSeen:
    """Leave out what the log does not keep: who changed it, and the sources of its status."""
    meta = replace(body.meta, changed_by="", resource_version=0)
    if isinstance(body, ResourceSeen):
        return replace(body, meta=meta, status={})
    return replace(body, meta=meta)


@pytest.mark.parametrize("name", HISTORIES)
def test_a_watcher_sees_what_it_saw(name: str) -> None:
    asked = asked_for(records_of(name))
    for found in moments(name):
        back = {
            (one.kind, text_at(one.object, "metadata", "name")): seen(KINDS[one.kind], one.object)
            for one in restored([found], asked)
        }
        known = {
            name: body for name, body in found.children.items() if not isinstance(body, ObjectGone)
        }
        assert found.own is not None
        known[KEY.kind, KEY.name] = found.own

        assert {name: plain(body) for name, body in back.items()} == {
            name: plain(body) for name, body in known.items()
        }


def test_pods_are_made_of_what_was_asked_for() -> None:
    found = view_at("worker-failed", 30)

    pods = [
        one.object
        for one in restored([found], asked_for(records_of("worker-failed")))
        if one.kind == "pod"
    ]

    assert len(pods) == 3
    for pod in pods:
        (first, *_) = entries_at(pod, "spec", "containers")
        assert text_at(first, "image") == "ray:2"


def test_pods_whose_act_is_forgotten_have_their_containers_all_the_same() -> None:
    found = view_at("worker-failed", 30)
    seen_pods = [body for body in found.children.values() if isinstance(body, PodSeen)]

    pods = [one.object for one in restored([found], {}) if one.kind == "pod"]

    names = [text_at(pod, "spec", "containers", 0, "name") for pod in pods]
    assert names == [pod.ray_container for pod in seen_pods]


def test_owners_that_nobody_knows_are_left_out() -> None:
    found = view_at("worker-failed", 30)
    stranger = replace(found, key=replace(KEY, name="other"), own=None)

    back = restored([stranger], {})

    assert back
    assert all("ownerReferences" not in mapping_at(one.object, "metadata") for one in back)


def test_the_newest_version_is_that_of_the_last_write() -> None:
    records = records_of("worker-failed")

    assert newest_version(records) >= max(
        one.envelope.body.meta.resource_version
        for one in records
        if isinstance(one.envelope.body, PodSeen)
    )
    assert newest_version(()) == 1
