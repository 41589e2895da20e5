"""Ids follow from a seed."""

from itertools import islice
from uuid import UUID

from sandbox.identity import generated_name, numbered_uids


def first(seed: str, count: int = 3) -> list[str]:
    uids = numbered_uids(seed)
    return list(islice(iter(uids, ""), count))


def test_the_same_seed_gives_the_same_uids() -> None:
    assert first("a") == first("a")
    assert first("a") != first("b")


def test_uids_are_different_and_well_formed() -> None:
    uids = first("a", 100)

    assert len(set(uids)) == 100
    assert {UUID(uid).version for uid in uids} == {4}


def test_completes_a_prefix_with_five_letters_within_the_limit() -> None:
    name = generated_name("w" * 80, "uid")

    assert (len(name), name[:58]) == (63, "w" * 58)
    assert generated_name("w-", "uid") == generated_name("w-", "uid")
    assert generated_name("w-", "uid") != generated_name("w-", "other")
