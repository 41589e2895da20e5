"""Ids without chance: a seed and a count make every uid and every generated name.

Invariant: the same seed gives the same ids in the same order, so a simulation repeats exactly.
A process that wants unguessable ids passes an unguessable seed.
"""

from collections.abc import Callable
from hashlib import sha256
from itertools import count
from typing import TypeAlias

SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
SUFFIX_LENGTH = 5
NAME_MAX = 63

Uids: TypeAlias = Callable[[], str]


def numbered_uids(seed: str) -> Uids:
    """Return a source of uids that follows from the seed alone."""
    numbers = count()

    def next_uid() -> str:
        digest = sha256(f"{seed}/{next(numbers)}".encode()).hexdigest()
        parts = (digest[:8], digest[8:12], f"4{digest[13:16]}", f"a{digest[17:20]}", digest[20:32])
        return "-".join(parts)

    return next_uid


def generated_name(prefix: str, uid: str) -> str:
    """Complete a `generateName` prefix with a suffix made from the uid."""
    number = int(sha256(uid.encode()).hexdigest(), 16)
    letters = []
    for _ in range(SUFFIX_LENGTH):
        number, index = divmod(number, len(SUFFIX_LETTERS))
        letters.append(SUFFIX_LETTERS[index])
    return prefix[: NAME_MAX - SUFFIX_LENGTH] + "".join(letters)
