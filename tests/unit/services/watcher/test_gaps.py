"""A list compared with what the log holds."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from services.watcher.gaps import Known, Wanted, differences, is_news
from services.watcher.translate.facts import Fact
from shared.events.objects import Meta, ObjectGone, PodSeen
from shared.events.subjects import observed
from shared.kernel.keys import ResourceKey

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
LONG_AGO = NOON - timedelta(days=3)
STALE = NOON - timedelta(days=2)
DEMO = ResourceKey(kind="raycluster", namespace="prod", name="demo")
NAMES = ("a", "b", "c", "d")

Log = Mapping[str, Known]


def seen(name: str, version: int, uid: str = "u-1") -> Fact:
    meta = Meta(name=name, namespace="prod", uid=uid, resource_version=version)
    return Fact(subject=observed(DEMO, "pod", name), key=DEMO, body=PodSeen(meta=meta))


def gone(name: str, version: int, uid: str = "u-1") -> Fact:
    body = ObjectGone(kind="pod", name=name, uid=uid, resource_version=version)
    return Fact(subject=observed(DEMO, "pod", name), key=DEMO, body=body)


def known(fact: Fact, *, at: datetime = NOON, sequence: int = 1) -> Known:
    return Known(sequence=sequence, version=fact.version, uid=fact.uid, gone=fact.gone, at=at)


def log(*facts: Fact, at: datetime = NOON) -> dict[str, Known]:
    return {fact.subject: known(fact, at=at) for fact in facts}


def compared(inventory: Log, *listed: Fact, version: int = 100) -> list[Wanted]:
    return list(differences(inventory, listed, resource_version=version, stale_before=STALE))


def test_writes_what_the_log_has_never_heard_of() -> None:
    assert compared({}, seen("a", 5)) == [Wanted(fact=seen("a", 5))]


def test_writes_what_has_changed() -> None:
    assert compared(log(seen("a", 5)), seen("a", 6)) == [Wanted(fact=seen("a", 6))]


def test_writes_nothing_that_is_there_already() -> None:
    assert compared(log(seen("a", 5)), seen("a", 5)) == []


def test_never_covers_a_newer_version() -> None:
    assert compared(log(seen("a", 5)), seen("a", 4)) == []


def test_buries_what_the_list_does_not_show() -> None:
    assert compared(log(seen("a", 5)), version=7) == [Wanted(fact=gone("a", 7))]


def test_does_not_bury_what_is_newer_than_the_list() -> None:
    assert compared(log(seen("a", 8)), version=7) == []


def test_does_not_bury_twice() -> None:
    assert compared(log(gone("a", 5)), version=7) == []


def test_another_object_of_the_same_name_follows_a_tombstone() -> None:
    again = seen("a", 6, uid="u-2")

    assert compared(log(gone("a", 5)), again) == [Wanted(fact=again)]


def test_writes_again_what_would_age_out() -> None:
    inventory = log(seen("a", 5), at=LONG_AGO)

    assert compared(inventory, seen("a", 5)) == [Wanted(fact=seen("a", 5), refresh=True)]


def test_lets_tombstones_age_out() -> None:
    assert compared(log(gone("a", 5), at=LONG_AGO)) == []


def test_a_second_tombstone_of_one_uid_is_no_news() -> None:
    assert not is_news(gone("a", 9), known(gone("a", 5)))


facts = st.builds(
    lambda name, version, uid, dead: (gone if dead else seen)(name, version, uid),
    st.sampled_from(NAMES),
    st.integers(1, 50),
    st.sampled_from(["u-1", "u-2"]),
    st.booleans(),
)
inventories = st.lists(facts, unique_by=lambda fact: fact.subject).map(lambda each: log(*each))
listings = st.lists(facts.filter(lambda fact: not fact.gone), unique_by=lambda fact: fact.subject)


def written(inventory: Log, wanted: list[Wanted]) -> dict[str, Known]:
    return {**inventory, **{each.fact.subject: known(each.fact) for each in wanted}}


@given(inventories, listings)
def test_comparing_again_finds_nothing(inventory: Log, listed: list[Fact]) -> None:
    after = written(inventory, compared(inventory, *listed))

    assert compared(after, *listed) == []


@given(inventories, listings)
def test_versions_only_grow(inventory: Log, listed: list[Fact]) -> None:
    after = written(inventory, compared(inventory, *listed))

    assert all(after[subject].version >= before.version for subject, before in inventory.items())


@given(listings, listings)
def test_afterwards_the_log_says_what_the_list_says(before: list[Fact], now: list[Fact]) -> None:
    newer = [later(fact) for fact in now]
    inventory = log(*before)

    after = written(inventory, compared(inventory, *newer, version=100))

    alive = {subject: entry.version for subject, entry in after.items() if not entry.gone}
    assert alive == {fact.subject: fact.version for fact in newer}


def later(fact: Fact) -> Fact:
    """Return the same object at a version above all others."""
    name = next(name for name in NAMES if fact.subject == observed(DEMO, "pod", name))
    return seen(name, fact.version + 50)
