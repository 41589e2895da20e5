"""Status fields that the installed schema does not know are asked for once, not for ever."""

import logging
from typing import Any

import pytest

from services.status.dropped import Dropped, leaves
from shared.kernel.manifests import thawed
from tests.unit.services.status.serving import Place, Writer, served, settle
from tests.unit.services.watcher.watched import DEMO


def older(place: Place) -> None:
    """Install a definition that does not know two of the status' fields."""
    name = "rayclusters.ray.io"
    definition: Any = thawed(place.cluster.get("customresourcedefinitions", None, name))
    for version in definition["spec"]["versions"]:
        status = version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]
        status.pop("desiredWorkerReplicas", None)
        status.pop("observedGeneration", None)
    place.cluster.update("customresourcedefinitions", definition)


async def test_a_field_that_does_not_stay_is_written_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    place = Place()
    older(place)
    writer = Writer(place.cluster)
    with caplog.at_level(logging.WARNING, "services.status"):
        async with served(place, writer):
            await settle(600)
            before = writer.asked
            place.add_head()
            place.make_head_ready()
            await settle(600)

    told = [one for one in caplog.records if "does not know" in one.message]
    assert (before, place.state()) == (1, "ready")
    assert writer.asked <= before + 2
    assert "desiredWorkerReplicas" not in place.status()
    assert len(told) == 1
    assert "desiredWorkerReplicas" in str(told[0].__dict__["fields"])


def test_another_value_is_tried_again() -> None:
    dropped = Dropped()
    dropped.learn(DEMO, {"a": {"b": 1}})

    assert dropped.hopeless(DEMO, {"a": {"b": 1}})
    assert not dropped.hopeless(DEMO, {"a": {"b": 2}})
    assert not dropped.hopeless(DEMO, {"a": {"b": 1}, "state": "ready"})
    assert dropped.learn(DEMO, {"a": {"b": 2}}) == ()
    dropped.forget(DEMO)
    assert not dropped.hopeless(DEMO, {"a": {"b": 2}})


def test_lists_and_empty_objects_are_values() -> None:
    assert dict(leaves({"a": [1], "b": {}, "c": {"d": None}})) == {
        ("a",): [1],
        ("b",): {},
        ("c", "d"): None,
    }
