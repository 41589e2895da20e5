"""Bytes of a watch to happenings."""

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.kube.kinds import POD, RAYCLUSTER
from shared.kube.lines import Lines
from shared.kube.projection import projection_of
from shared.ports.cluster import ClusterRefusal, ClusterUnavailable, ExpiredVersion, Happening


def line(type_: str, raw: object) -> bytes:
    return msgspec.json.encode({"type": type_, "object": raw}) + b"\n"


def pod(version: int, **more: object) -> dict[str, object]:
    return {"metadata": {"name": "head", "resourceVersion": str(version)}, **more}


def pods() -> Lines:
    return Lines(projection_of(POD))


def test_an_event_is_given_when_its_line_is_whole() -> None:
    lines = pods()
    whole = line("ADDED", pod(5))

    assert lines.feed(whole[:20]) == ()
    assert lines.feed(whole[20:]) == (Happening(type="ADDED", object=pod(5)),)


def test_what_nobody_needs_is_not_read() -> None:
    container = {"name": "ray", "env": [{"name": "PASSWORD", "value": "hunter2"}]}
    raw = pod(5, kind="Pod", spec={"containers": [container], "volumes": [{"name": "tmp"}]})

    assert pods().feed(line("ADDED", raw)) == (
        Happening(type="ADDED", object=pod(5, spec={"containers": [{"name": "ray"}]})),
    )


def test_a_resource_is_read_whole_without_the_fields_that_are_managed() -> None:
    entry = {"manager": "kubectl", "time": "2030-01-01T12:00:00Z"}
    metadata = {"name": "demo", "managedFields": [{**entry, "fieldsV1": {"f:spec": {}}}]}
    spec = {"rayVersion": "2.46.0", "anything": [{"at": "all"}]}

    batch = Lines(projection_of(RAYCLUSTER)).feed(
        line("MODIFIED", {"metadata": metadata, "spec": spec})
    )

    slim = {"metadata": {"name": "demo", "managedFields": [entry]}, "spec": spec}
    assert batch == (Happening(type="MODIFIED", object=slim),)


def test_a_bookmark_brings_a_version() -> None:
    raw = {"metadata": {"resourceVersion": "9"}}

    assert pods().feed(line("BOOKMARK", raw)) == (Happening(type="BOOKMARK", object=raw),)


def test_an_oddly_typed_object_is_given_whole_and_does_not_end_the_watch() -> None:
    odd = pod(5, status={"phase": 7})

    assert pods().feed(line("ADDED", odd) + line("ADDED", pod(6))) == (
        Happening(type="ADDED", object=odd),
        Happening(type="ADDED", object=pod(6)),
    )


@pytest.mark.parametrize(
    ("code", "kind"),
    [(410, ExpiredVersion), (500, ClusterUnavailable), (403, ClusterRefusal)],
)
def test_an_error_ends_the_stream_after_what_came_before(code: int, kind: type[Exception]) -> None:
    lines = pods()
    status = {"kind": "Status", "code": code, "reason": "Because", "message": "so", "metadata": {}}

    batch = lines.feed(line("ADDED", pod(5)) + line("ERROR", status) + line("ADDED", pod(6)))

    assert batch == (Happening(type="ADDED", object=pod(5)),)
    assert isinstance(lines.error, kind)


@pytest.mark.parametrize("text", [b"upstream timed out\n", b'{"type":"ADDED"}\n', b"[]\n"])
def test_what_is_no_event_tells_nothing(text: bytes) -> None:
    lines = pods()

    with pytest.raises(ClusterUnavailable):
        lines.feed(text)


@given(st.lists(st.integers(0, 400), max_size=6))
def test_it_does_not_matter_how_the_network_cuts(cuts: list[int]) -> None:
    whole = b"".join(line("MODIFIED", pod(version)) for version in range(4)) + b"\n"
    places = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
    lines = pods()

    cut = [each for start, end in pairwise(places) for each in lines.feed(whole[start:end])]

    assert tuple(cut) == pods().feed(whole)
