"""Yesterday's records, read with today's eyes.

Every record type ever written stays decodable. When a schema number rises, add a step here that
turns the raw record of the old number into one of the next; steps are applied in turn. A record of
a number above ours is from newer code: it is not guessed at (`NewerRecordError`), and whoever
meets it leaves the resource to newer workers.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

Raw = dict[str, object]
Step = Callable[[Raw], Raw]

STEPS: Mapping[int, Step] = MappingProxyType({})
"""From which schema number each step leads on."""


class NewerRecordError(ValueError):
    """The record was written by newer code than ours."""


def upcast(raw: Raw, *, to: int, steps: Mapping[int, Step] = STEPS) -> Raw:
    """Bring a raw record up to the wanted schema number."""
    found = raw.get("schema")
    if not isinstance(found, int):
        raise ValueError("the record has no schema number")  # noqa: TRY004 - it is bad data
    if found > to:
        raise NewerRecordError(f"the record has schema {found}, this version reads up to {to}")
    for number in range(found, to):
        raw = {**steps[number](raw), "schema": number + 1}
    return raw
