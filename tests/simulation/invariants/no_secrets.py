"""No value of a Secret that is drawn reaches the log, a status or anything else we write."""

from base64 import b64encode
from collections.abc import Iterator

import msgspec

from sandbox.history import WatchEvent
from sandbox.requests import Request
from shared.events.envelope import Record
from shared.kernel.manifests import name_of, texts_at
from tests.simulation.invariants.invariant import Invariant, Scene

SECRETS = "secrets"


class NoSecrets(Invariant):
    """What is written while there are Secrets, letter by letter."""

    def __init__(self, scene: Scene) -> None:
        super().__init__(scene)
        self._values: dict[bytes, str] = {}
        """Every value that was drawn, as it is and as it is kept, and the name of its Secret."""

    def asked(self, who: str, request: Request) -> Iterator[str]:
        """Learn what executors draw."""
        if request.verb == "create" and request.resource == SECRETS:
            for value in filter(None, texts_at(request.body, "stringData").values()):
                for shape in (value.encode(), b64encode(value.encode())):
                    self._values[shape] = name_of(request.body or {})
        return iter(())

    def committed(self, resource: str, change: WatchEvent) -> Iterator[str]:
        if self._values:
            yield from self._found(change.object, f"{resource} {name_of(change.object)}")

    def recorded(self, record: Record) -> Iterator[str]:
        if self._values:
            yield from self._found(record.envelope, record.subject)

    def _found(self, written: object, where: str) -> Iterator[str]:
        data = msgspec.json.encode(written)
        for value, name in self._values.items():
            if value in data:
                yield f"17: a value of Secret {name} is in {where}"
