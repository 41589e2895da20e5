"""The witness of a service: what it makes of endpoint slices, and of requests that failed."""

import threading
from collections.abc import Iterator

from tests.e2e.services.witness import Failed, Seen, account, behind, witnessed
from tests.support.fleet import Json

REFUSED = "ConnectionRefusedError"


def endpoint(pod: str, **conditions: bool) -> Json:
    return {"targetRef": {"name": pod}, "conditions": conditions}


def test_everybody_behind_a_service_is_named_with_his_state() -> None:
    rows = [
        endpoint("worker", ready=False, serving=True, terminating=True),
        endpoint("head", ready=True, serving=True),
        endpoint("young", ready=False, serving=False),
    ]

    said = "head ready, worker serving, terminating, young not ready"
    assert behind([{"endpoints": rows}]) == said
    assert behind([{"endpoints": None}]) == behind([]) == "nobody"


def test_failures_stand_between_what_was_seen_before_and_after() -> None:
    seen = [Seen(10.0, "head ready"), Seen(20.0, "nobody"), Seen(30.0, "head ready")]
    failed = [
        Failed(22.5, "kept", REFUSED),
        Failed(21.0, "fresh", REFUSED),
        Failed(31.0, "slow", "reset"),
        Failed(22.0, "kept", REFUSED),
    ]

    assert account(seen, failed).splitlines() == [
        "00:00:10.00 behind the service: head ready",
        "00:00:20.00 behind the service: nobody",
        f"00:00:21.00 3 requests failed until 00:00:22.50: 1 fresh: {REFUSED}, 2 kept: {REFUSED}",
        "00:00:30.00 behind the service: head ready",
        "00:00:31.00 1 requests failed until 00:00:31.00: 1 slow: reset",
    ]


def test_only_changes_are_written_down_and_an_api_server_that_is_away_is_one() -> None:
    there = [{"endpoints": [endpoint("head", ready=True)]}]
    looks: Iterator[list[Json] | OSError] = iter([[], [], OSError("away"), there])
    done = threading.Event()

    def slices() -> list[Json]:
        found = next(looks, None)
        if isinstance(found, OSError):
            raise found
        if found is None:
            done.set()
        return there if found is None else found

    with witnessed(slices) as witness:
        assert done.wait(30)

    assert [one.who for one in witness.seen] == [
        "nobody",
        "cannot be seen: OSError('away')",
        "head ready",
    ]
