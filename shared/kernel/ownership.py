"""Who owns which partition, given who is alive: the same for everybody who knows the same.

Rendezvous hashing with a cap: of all pairs of partition and member the highest scores win, each
partition once, no member above its fair share. So the shares are balanced, and who comes or goes
moves little more than its own share.
"""

from collections.abc import Collection, Mapping
from functools import lru_cache
from hashlib import blake2b
from math import ceil
from types import MappingProxyType


def assign(partitions: int, members: Collection[str]) -> Mapping[int, str]:
    """Return the owner of each partition; nobody owns anything when nobody is there."""
    return _assign(partitions, tuple(sorted(set(members))))


def owned_by(member: str, partitions: int, members: Collection[str]) -> frozenset[int]:
    """Return the partitions of one member."""
    owners = assign(partitions, members)
    return frozenset(number for number, owner in owners.items() if owner == member)


@lru_cache(maxsize=64)
def _assign(partitions: int, members: tuple[str, ...]) -> Mapping[int, str]:
    if not members:
        return MappingProxyType({})
    cap = ceil(partitions / len(members))
    pairs = (
        (score(member, number), number, member)
        for member in members
        for number in range(partitions)
    )
    owners: dict[int, str] = {}
    shares = dict.fromkeys(members, 0)
    for _, number, member in sorted(pairs, reverse=True):
        if number not in owners and shares[member] < cap:
            owners[number] = member
            shares[member] += 1
    return MappingProxyType(dict(sorted(owners.items())))


@lru_cache(maxsize=65536)
def score(member: str, partition: int) -> int:
    """Return how much a member is drawn to a partition."""
    digest = blake2b(f"{member}/{partition}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")
