"""What the log does not say yet: a list compared with what the log holds.

Pure. Invariants: an older version never covers a newer one; a tombstone is written only for what a
complete list does not show although it was seen no later than that list; comparing again once
everything is written finds nothing. A record that will age out soon is written again as it stands.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from msgspec import Struct

from services.watcher.translate.facts import Fact, tombstone


class Known(Struct, frozen=True, kw_only=True):
    """What the last record of a subject tells; `sequence` is the fence for the next."""

    sequence: int
    version: int
    uid: str
    gone: bool
    at: datetime


class Wanted(Struct, frozen=True, kw_only=True):
    """A fact to be written. `refresh`: the log holds it already, but not for much longer."""

    fact: Fact
    refresh: bool = False


Inventory = Mapping[str, Known]


def is_news(fact: Fact, known: Known | None) -> bool:
    """Whether a fact tells more than the log does."""
    if known is None:
        return True
    if known.gone and fact.gone and known.uid == fact.uid:
        return False
    return fact.version > known.version


def differences(
    inventory: Inventory,
    listed: Iterable[Fact],
    *,
    resource_version: int,
    stale_before: datetime,
) -> Iterator[Wanted]:
    """Yield what must be written so that the log says what a complete list of a kind says."""
    present = set()
    for fact in listed:
        present.add(fact.subject)
        known = inventory.get(fact.subject)
        if is_news(fact, known):
            yield Wanted(fact=fact)
        elif known is not None and _ages(fact, known, stale_before):
            yield Wanted(fact=fact, refresh=True)
    for subject, known in inventory.items():
        if subject not in present and not known.gone and known.version <= resource_version:
            lost = tombstone(subject, uid=known.uid, resource_version=resource_version)
            if lost is not None:
                yield Wanted(fact=lost)


def _ages(fact: Fact, known: Known, stale_before: datetime) -> bool:
    same = (fact.uid, fact.version) == (known.uid, known.version) and not known.gone
    return same and known.at < stale_before
