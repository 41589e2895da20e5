"""Luck for jitter, as an argument: a seeded `random.Random` makes any run repeatable.

Only the shell may have it; decisions never do.
"""

from random import Random, SystemRandom

SYSTEM_CHANCE: Random = SystemRandom()
