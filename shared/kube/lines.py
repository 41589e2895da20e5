"""Cut what a watch sends into events: bytes in, `Happening`s out. No I/O.

Invariant: the same bytes give the same happenings, however the network cuts them. A line that is
an ERROR ends the stream with what its status means; everything before it is given first.
"""

from collections.abc import Iterator

import msgspec

from shared.kube.errors import meaning_of, read_status
from shared.kube.projection import WHOLE, Projection
from shared.ports.cluster import ClusterUnavailable, Happening

LONGEST_LINE = 16 << 20


class _Anything(msgspec.Struct, frozen=True):
    type: str
    object: msgspec.Raw


_ANYTHING = msgspec.json.Decoder(_Anything)


class Lines:
    """The events of one watch connection; keeps the end of the last chunk until its line ends."""

    def __init__(self, projection: Projection) -> None:
        self._decoder = projection.line
        self._rest = b""
        self.error: Exception | None = None
        """Why the server ended the watch, once it said so."""

    def feed(self, chunk: bytes) -> tuple[Happening, ...]:
        """Take what the network brought and return the events that it completes."""
        *whole, self._rest = (self._rest + chunk if self._rest else chunk).split(b"\n")
        if len(self._rest) > LONGEST_LINE:
            raise ClusterUnavailable("a watch event is larger than any object can be")
        return tuple(self._happenings(whole))

    def _happenings(self, lines: list[bytes]) -> Iterator[Happening]:
        for line in lines:
            if not line or self.error is not None:
                continue
            happening = self._happening(line)
            if happening is not None:
                yield happening

    def _happening(self, line: bytes) -> Happening | None:
        try:
            read = self._decoder.decode(line)
        except msgspec.ValidationError:
            return self._odd(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise ClusterUnavailable("a watch event is not JSON") from problem
        if read.type == "ERROR":
            return self._odd(line)
        return Happening(type=read.type, object=read.object)

    def _odd(self, line: bytes) -> Happening | None:
        try:
            anything = _ANYTHING.decode(line)
            if anything.type != "ERROR":
                return Happening(type=anything.type, object=WHOLE.line.decode(line).object)
        except msgspec.ValidationError as problem:
            raise ClusterUnavailable("a watch event has no type or no object") from problem
        status = read_status(anything.object)
        self.error = (
            ClusterUnavailable("the watch ended with an error that is no Kubernetes status")
            if status is None
            else meaning_of(status)
        )
        return None
