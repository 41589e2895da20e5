"""Who owns which partition: everything is owned, fairly, and little moves."""

from collections import Counter
from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from shared.kernel.ownership import assign, owned_by

PARTITIONS = 64
names = st.text("abcdefghij0123456789-", min_size=1, max_size=12)
crews = st.sets(names, min_size=1, max_size=20)


@given(crews)
def test_every_partition_has_one_owner_among_the_living(members: set[str]) -> None:
    owners = assign(PARTITIONS, members)

    assert sorted(owners) == list(range(PARTITIONS))
    assert set(owners.values()) <= members


@given(crews)
def test_nobody_owns_more_than_a_fair_share(members: set[str]) -> None:
    shares = Counter(assign(PARTITIONS, members).values())

    assert max(shares.values()) <= ceil(PARTITIONS / len(members))


@given(crews)
def test_the_shares_of_all_members_are_the_whole(members: set[str]) -> None:
    shares = [owned_by(member, PARTITIONS, members) for member in members]

    assert sum(len(share) for share in shares) == PARTITIONS
    assert frozenset[int]().union(*shares) == frozenset(range(PARTITIONS))


@given(st.lists(names, min_size=1, max_size=8, unique=True))
def test_everybody_comes_to_the_same_result(members: list[str]) -> None:
    assert assign(PARTITIONS, members) == assign(PARTITIONS, [*reversed(members), *members])


def test_who_comes_or_goes_moves_on_average_less_than_twice_its_share() -> None:
    ratios = []
    for number in range(200):
        members = [f"crew-{number}-{place}" for place in range(2 + number % 9)]
        before, after = assign(PARTITIONS, members[1:]), assign(PARTITIONS, members)
        moved = sum(before[part] != after[part] for part in range(PARTITIONS))
        ratios.append(moved / ceil(PARTITIONS / len(members)))

    assert sum(ratios) / len(ratios) < 2


def test_nobody_owns_anything_when_nobody_is_there() -> None:
    assert assign(PARTITIONS, []) == {}


def test_three_share_evenly() -> None:
    shares = Counter(assign(PARTITIONS, ["a", "b", "c"]).values())

    assert sorted(shares.values()) == [21, 21, 22]
