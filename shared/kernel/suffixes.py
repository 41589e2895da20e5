"""Five letters that tell names apart, derived instead of drawn.

From the alphabet that Kubernetes and KubeRay use for generated names, so that nothing can be read
into them. The same parts give the same letters.
"""

from functools import lru_cache

from shared.kernel.ids import content_id

LETTERS = "bcdfghjklmnpqrstvwxz2456789"
LENGTH = 5
COUNT = len(LETTERS) ** LENGTH


@lru_cache(maxsize=1024)
def number_of(*parts: str | int) -> int:
    """Return a number that these parts stand for."""
    return int(content_id(*parts), 16)


def suffix(number: int) -> str:
    """Write a number as five letters."""
    rest = number % COUNT
    letters = []
    for _ in range(LENGTH):
        rest, index = divmod(rest, len(LETTERS))
        letters.append(LETTERS[index])
    return "".join(letters)
