"""Bytes to record and back.

JSON, readable with any NATS client. A lifecycle event is stored the way everybody gets it, as a
CloudEvent, and read into the same envelope as every other record. Encoding is canonical for one
value: fields in their declared order, mappings sorted by key, so that equal values give equal bytes
and a replay can compare them.
"""

import msgspec

from shared.events.cloudevents import is_event, life_in, read
from shared.events.envelope import SCHEMA, Envelope, Record
from shared.events.subjects import place_of
from shared.events.upcasting import upcast
from shared.ports.event_log import Message

_ENCODER = msgspec.json.Encoder(order="deterministic")
_DECODER = msgspec.json.Decoder(Envelope)
_OURS = f'{{"schema":{SCHEMA},'.encode()
"""How every record begins that this version writes: no second look is needed."""


class _Probe(msgspec.Struct):
    schema: int


_PROBE = msgspec.json.Decoder(_Probe)


class UnreadableRecordError(ValueError):
    """A message of the log that cannot be read as a record by this version."""


def encode(value: object) -> bytes:
    """Return the canonical bytes of a record, a body or a part of one."""
    return _ENCODER.encode(value)


def decode(message: Message) -> Record:
    """Read a message of the log; raise `UnreadableRecordError` with a sentence if that fails."""
    try:
        told = bool(message.headers) and is_event(message.headers)
        envelope = _life(message) if told else _envelope(message.data)
    except (msgspec.MsgspecError, ValueError, KeyError, RecursionError) as problem:
        raise UnreadableRecordError(
            f"record {message.sequence} on {message.subject} cannot be read: {problem}"
        ) from problem
    return Record(
        sequence=message.sequence, at=message.at, subject=message.subject, envelope=envelope
    )


def _life(message: Message) -> Envelope:
    event = read(message.headers, message.data)
    place = place_of(message.subject)
    return Envelope(
        schema=SCHEMA,
        id=event.id,
        body=life_in(event),
        code=event.codeversion,
        written_at=event.recordedtime,
        key=place.key if place else None,
        uid=event.resourceuid,
        cause=int(event.basedon),
    )


def _envelope(data: bytes) -> Envelope:
    if data.startswith(_OURS) or _PROBE.decode(data).schema == SCHEMA:
        return _DECODER.decode(data)
    return msgspec.convert(upcast(msgspec.json.decode(data), to=SCHEMA), Envelope)
