"""managedFields as a value: read, changed and written back."""

from sandbox.objects import Object
from sandbox.patches.ownership import Entry, FieldOwner, Ownership, owners_of, with_owners

NOON, LATER = "2026-01-01T12:00:00Z", "2026-01-01T13:00:00Z"
A, B = ("f:a",), ("f:b",)
ALICE = Entry(manager="alice", operation="Apply", version="v1")
BOB = Entry(manager="bob", operation="Update", version="v1", subresource="status")


def test_what_is_written_reads_back() -> None:
    owners = Ownership({ALICE: frozenset({A}), BOB: frozenset({A, B})})

    assert owners_of(with_owners({}, owners, before={}, at=NOON)) == owners


def test_only_the_writer_gets_a_new_time() -> None:
    held = {ALICE: frozenset({A, B}), BOB: frozenset({B})}
    before = with_owners({}, Ownership(held), before={}, at=NOON)

    taken = Ownership({ALICE: frozenset({A}), BOB: frozenset({A, B})})
    after = with_owners(before, taken, before=before, at=LATER, writer=BOB)

    times = {item["manager"]: item["time"] for item in after["metadata"]["managedFields"]}
    assert times == {"alice": NOON, "bob": LATER}


def test_the_oldest_of_many_updaters_are_put_together() -> None:
    entries = [
        Entry(manager=f"m{number:02}", operation="Update", version="v1") for number in range(12)
    ]
    obj: Object = {}
    for number, entry in enumerate(entries):
        owners = owners_of(obj).holding(entry, frozenset({(f"f:{number}",)}))
        at = f"2026-01-01T12:00:{number:02}Z"
        obj = with_owners(obj, owners, before=obj, at=at, writer=entry)

    fields = {row["manager"]: row["fieldsV1"] for row in obj["metadata"]["managedFields"]}
    assert len(fields) == 10
    assert fields["ancient-changes"] == {"f:0": {}, "f:1": {}, "f:2": {}}


def test_owners_without_fields_are_forgotten() -> None:
    assert with_owners({}, Ownership({ALICE: frozenset()}), before={}, at=NOON) == {"metadata": {}}


def test_an_applier_is_the_same_through_another_version_an_updater_is_not() -> None:
    owner = FieldOwner(manager="alice", at=NOON)
    updater = owner.entry("Update", "v1")
    owners = Ownership({ALICE: frozenset({A}), updater: frozenset({B})})

    assert owners.fields(owner.entry("Apply", "v2")) == frozenset({A})
    assert owners.fields(owner.entry("Update", "v2")) == frozenset()
    assert owners.holding(owner.entry("Apply", "v2"), frozenset({B})) == Ownership(
        {owner.entry("Apply", "v2"): frozenset({B}), updater: frozenset({B})}
    )
