"""A witness of who stands behind a service: what explains a failed request, moment by moment.

Looks on from a thread of its own while a block runs. Pods that a service selects are listed, ready
or not; who lost the label or ended is not listed any more. `account` puts failed requests between
what was seen, so that a failure says whether there was anybody to ask. Moments are seconds since
the epoch, by the clock that clients have, too.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import groupby

from msgspec import Struct

from tests.support.fleet import Json

LOOK_EVERY = 0.2
NOBODY = "nobody"


class Seen(Struct, frozen=True):
    """Who stood behind the service from a moment on."""

    at: float
    who: str


class Failed(Struct, frozen=True):
    """One request without an answer."""

    at: float
    way: str
    why: str


class Witness:
    """Looks at one service."""

    def __init__(self, slices: Callable[[], list[Json]]) -> None:
        self.seen: list[Seen] = []
        self._slices = slices
        self._over = threading.Event()

    def look(self) -> None:
        """Look on until it is over, and write down what changes."""
        while not self._over.wait(LOOK_EVERY):
            try:
                who = behind(self._slices())
            except (OSError, AssertionError) as trouble:
                who = f"cannot be seen: {trouble!r}"
            if not self.seen or self.seen[-1].who != who:
                self.seen.append(Seen(time.time(), who))  # noqa: TID251 - the clock of clients

    def stop(self) -> None:
        """Look no more."""
        self._over.set()


@contextmanager
def witnessed(slices: Callable[[], list[Json]]) -> Iterator[Witness]:
    """Have a witness while the block runs; `slices` gives the endpoint slices of the service."""
    witness = Witness(slices)
    thread = threading.Thread(target=witness.look, name="witness")
    thread.start()
    try:
        yield witness
    finally:
        witness.stop()
        thread.join()


def behind(slices: Iterable[Json]) -> str:
    """Say which pods are behind a service, and how they are."""
    found = sorted(
        (str(endpoint.get("targetRef", {}).get("name")), _state(endpoint))
        for one in slices
        for endpoint in one.get("endpoints") or ()
    )
    return ", ".join(f"{pod} {state}" for pod, state in found) or NOBODY


def _state(endpoint: Json) -> str:
    said = endpoint.get("conditions", {})
    state = "ready" if said.get("ready") else "serving" if said.get("serving") else "not ready"
    return f"{state}, terminating" if said.get("terminating") else state


def account(seen: Sequence[Seen], failed: Sequence[Failed]) -> str:
    """Tell in order who stood behind the service, and which requests failed meanwhile."""
    told = [(one.at, 0, f"behind the service: {one.who}") for one in seen]
    for _, some in groupby(sorted(failed, key=lambda one: one.at), lambda one: _turn(seen, one)):
        several = list(some)
        told.append((several[0].at, 1, _failures(several)))
    return "\n".join(f"{_clock(at)} {text}" for at, _, text in sorted(told))


def _turn(seen: Sequence[Seen], one: Failed) -> int:
    """Return how many changes had been seen before a request failed."""
    return sum(each.at <= one.at for each in seen)


def _failures(some: Sequence[Failed]) -> str:
    listed = Counter((one.way, one.why) for one in some)
    words = ", ".join(f"{count} {way}: {why}" for (way, why), count in sorted(listed.items()))
    return f"{len(some)} requests failed until {_clock(some[-1].at)}: {words}"


def _clock(at: float) -> str:
    return f"{datetime.fromtimestamp(at, tz=UTC):%H:%M:%S.%f}"[:-4]
