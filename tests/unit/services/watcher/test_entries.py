"""Facts as entries of the log, and messages as what is known."""

from datetime import UTC, datetime

from services.watcher.entries import LARGEST, TooLarge, entry_of, known_of
from services.watcher.gaps import Known
from services.watcher.translate.facts import Fact
from shared.events.codec import decode
from shared.events.envelope import SCHEMA, Envelope
from shared.events.objects import Meta, ObjectGone, ResourceSeen
from shared.events.subjects import own
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Entry, Message

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
DEMO = ResourceKey(kind="raycluster", namespace="prod", name="demo")
GONE = ObjectGone(kind="raycluster", name="demo", uid="u-1", resource_version=9)


def seen(version: int = 5, spec: dict[str, object] | None = None) -> Fact:
    meta = Meta(name="demo", namespace="prod", uid="u-1", resource_version=version)
    body = ResourceSeen(meta=meta, api_version="ray.io/v1", spec=spec or {})
    return Fact(subject=own(DEMO), key=DEMO, body=body)


def entry(fact: Fact, *, fence: int = 0, repeated: bool = False) -> Entry:
    made = entry_of(fact, fence=fence, repeated=repeated, code="1.0", now=NOON)
    assert isinstance(made, Entry)
    return made


def message(made: Entry, sequence: int = 17) -> Message:
    return Message(
        sequence=sequence, at=NOON, subject=made.subject, headers=made.headers, data=made.data
    )


def test_an_entry_reads_back_as_the_fact() -> None:
    made = entry(seen(), fence=3)

    assert decode(message(made)).envelope == Envelope(
        schema=SCHEMA,
        id=made.id,
        body=seen().body,
        code="1.0",
        written_at=NOON,
        key=DEMO,
        uid="u-1",
    )
    assert (made.subject, made.fence) == (own(DEMO), 3)


def test_headers_tell_what_is_known_without_the_body() -> None:
    made = entry(Fact(subject=own(DEMO), key=DEMO, body=GONE))

    assert made.headers == {"Ray-RV": "9", "Ray-UID": "u-1", "Ray-Gone": "1"}
    assert known_of(message(made)) == Known(sequence=17, version=9, uid="u-1", gone=True, at=NOON)


def test_a_message_without_headers_is_older_than_anything() -> None:
    stranger = Message(sequence=3, at=NOON, subject=own(DEMO))

    assert known_of(stranger) == Known(sequence=3, version=0, uid="", gone=False, at=NOON)


def test_the_same_fact_has_the_same_id_whoever_writes_it() -> None:
    assert entry(seen(), fence=3).id == entry(seen(), fence=4).id
    assert entry(seen(5)).id != entry(seen(6)).id


def test_what_is_repeated_on_purpose_has_another_id() -> None:
    ids = {
        entry(seen(), fence=3).id,
        entry(seen(), fence=3, repeated=True).id,
        entry(seen(), fence=4, repeated=True).id,
    }

    assert len(ids) == 3


def test_what_is_too_large_is_left_out_and_not_cut_short() -> None:
    huge = seen(spec={"text": "x" * LARGEST})

    made = entry_of(huge, fence=0, code="1.0", now=NOON)

    assert isinstance(made, TooLarge)
    assert made.subject == own(DEMO)
    assert made.size > LARGEST
