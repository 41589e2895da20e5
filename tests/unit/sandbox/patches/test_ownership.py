"""managedFields as a value: read, changed and written back."""

from sandbox.patches.ownership import Entry, FieldOwner, Ownership, owners_of, with_owners

NOON, LATER = "2026-01-01T12:00:00Z", "2026-01-01T13:00:00Z"
A, B = ("f:a",), ("f:b",)
ALICE = Entry(manager="alice", operation="Apply", version="v1")
BOB = Entry(manager="bob", operation="Update", version="v1", subresource="status")


def test_what_is_written_reads_back() -> None:
    owners = Ownership({ALICE: frozenset({A}), BOB: frozenset({A, B})})

    assert owners_of(with_owners({}, owners, before={}, at=NOON)) == owners


def test_only_entries_that_changed_get_a_new_time() -> None:
    before = with_owners(
        {}, Ownership({ALICE: frozenset({A}), BOB: frozenset({B})}), before={}, at=NOON
    )

    after = with_owners(
        before, Ownership({ALICE: frozenset({A}), BOB: frozenset({A})}), before=before, at=LATER
    )

    times = {item["manager"]: item["time"] for item in after["metadata"]["managedFields"]}
    assert times == {"alice": NOON, "bob": LATER}


def test_owners_without_fields_are_forgotten() -> None:
    assert with_owners({}, Ownership({ALICE: frozenset()}), before={}, at=NOON) == {"metadata": {}}


def test_an_owner_is_the_same_through_another_version_but_not_another_subresource() -> None:
    owner = FieldOwner(manager="alice", at=NOON)
    owners = Ownership({ALICE: frozenset({A})})

    assert owners.fields(owner.entry("Apply", "v2")) == frozenset({A})
    assert owners.fields(owner.entry("Update", "v1")) == frozenset()
    assert owners.holding(owner.entry("Apply", "v2"), frozenset({B})) == Ownership(
        {owner.entry("Apply", "v2"): frozenset({B})}
    )
