"""Names that are made from content: hashes of specs, digests of texts, ids of acts. Pure.

They change when a secret in what they are made from is replaced, and with them every place that
repeats them. Whoever redacts a history has to say which became which.
"""

import re
from collections.abc import Iterator, Mapping

from services.reconciler.manifests.rayservice.cluster import HASH
from services.reconciler.manifests.rayservice.serving import config_digest
from shared.events.decisions import Decided
from shared.events.objects import PodSeen, ResourceSeen
from shared.kernel.hashing import recreate_hash
from shared.kernel.manifests import Raw, entries_at
from shared.resources.labels import RECREATE_HASH
from shared.resources.raycluster import RayCluster
from shared.resources.rayservice import RayService
from shared.resources.reading import read

Names = dict[str, str]
"""What a name was, and what it is now."""

_OPAQUE = re.compile(r"(?<![0-9A-Za-z])(?:[0-9a-f]{16,64}|[0-9A-V]{32})(?![0-9A-Za-z])")
_STAND_IN = "redacted-"


def derived(kind: str, spec: Raw) -> tuple[str, ...]:
    """Return the names that decisions derive from a spec, always in the same order."""
    found = read(kind, {"metadata": {"name": "any"}, "spec": spec})
    if isinstance(found, RayCluster):
        return tuple(_hashes(found.spec_as_written()))
    if isinstance(found, RayService):
        config = found.spec.ray_cluster_config
        return (config_digest(found), *_hashes(config.as_written()))
    return ()


def _hashes(spec: Raw) -> Iterator[str]:
    """Yield the hash of a cluster spec, and of those that it may have grown from."""
    groups = entries_at(spec, "workerGroupSpecs")
    yield recreate_hash(spec)
    for count in range(len(groups)):
        yield recreate_hash({**spec, "workerGroupSpecs": list(groups[:count])})


def stamps_in(body: object) -> Iterator[str]:
    """Yield the hashes that an object is stamped with, or that an act remembers texts by."""
    if isinstance(body, ResourceSeen | PodSeen):
        found = (body.meta.annotations.get(name, "") for name in (HASH, RECREATE_HASH))
        yield from (stamp for stamp in found if _OPAQUE.fullmatch(stamp))
    elif isinstance(body, Decided):
        for mark in body.noted:
            yield from _OPAQUE.findall("/".join(mark.split("/", 3)[:3]))


def renamed(value: object, names: Names) -> object:
    """Return a JSON value in which every name is the new one."""
    if isinstance(value, str):
        return _OPAQUE.sub(lambda match: names.get(match[0], match[0]), value)
    if isinstance(value, Mapping):
        return {key: renamed(each, names) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [renamed(each, names) for each in value]
    return value


def learn(names: Names, before: object, now: object) -> None:
    """Add which name became which, of two values of one shape, where that is not known yet.

    Where entries stand in the order of their names they may have changed places, so a name that
    already is another's is nobody else's.
    """
    taken = {new for old, new in names.items() if old != new}
    for old, new in _texts(before, now):
        olds, news = _OPAQUE.findall(old), _OPAQUE.findall(new)
        if len(olds) == len(news):
            names |= {
                one: other
                for one, other in zip(olds, news, strict=True)
                if one not in names and other not in taken
            }


def _texts(before: object, now: object) -> Iterator[tuple[str, str]]:
    if isinstance(before, str) and isinstance(now, str):
        yield before, now
    elif isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in before.keys() & now.keys():
            yield from _texts(before[key], now[key])
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for old, new in zip(before, now, strict=True):
            yield from _texts(old, new)


def alike(redacted: object, fresh: object) -> bool:
    """Whether two values are the same but for names and stand-ins."""
    if isinstance(redacted, str) and isinstance(fresh, str):
        same = _OPAQUE.sub("#", redacted) == _OPAQUE.sub("#", fresh)
        return same or _STAND_IN in redacted
    if isinstance(redacted, Mapping) and isinstance(fresh, Mapping):
        return redacted.keys() == fresh.keys() and all(
            alike(_ordered(key, each), _ordered(key, fresh[key])) for key, each in redacted.items()
        )
    if isinstance(redacted, list) and isinstance(fresh, list):
        return len(redacted) == len(fresh) and all(map(alike, redacted, fresh))
    return redacted == fresh


def _ordered(key: str, value: object) -> object:
    """Return marks in an order that their names do not matter for; anything else as it is."""
    if key != "noted" or not isinstance(value, list):
        return value
    return sorted(value, key=lambda mark: _OPAQUE.sub("#", str(mark)))
