"""What the API server does not keep: fields of a status that the installed schema does not know.

An older custom resource definition drops them without a word. Written again and again they would
cost a write for each look. So what did not stay is remembered for a resource, value by value, and
not asked for again until it is another.
"""

from collections.abc import Iterator, Mapping

from shared.kernel.keys import ResourceKey

Changes = Mapping[str, object]
Path = tuple[str, ...]


class Dropped:
    """What did not stay, by resource."""

    def __init__(self) -> None:
        self._known: dict[ResourceKey, dict[Path, object]] = {}

    def hopeless(self, key: ResourceKey, patch: Changes) -> bool:
        """Whether everything in a patch was tried already and did not stay."""
        known = self._known.get(key)
        if known is None:
            return False
        return all(path in known and known[path] == value for path, value in leaves(patch))

    def learn(self, key: ResourceKey, missing: Changes) -> tuple[str, ...]:
        """Note what a write left out; return the paths that are new."""
        found = dict(leaves(missing))
        former = self._known.pop(key, {})
        if found:
            self._known[key] = found
        return tuple(".".join(path) for path in found if path not in former)

    def forget(self, key: ResourceKey) -> None:
        """Drop what is known of a resource that is gone."""
        self._known.pop(key, None)


def leaves(patch: Changes, at: Path = ()) -> Iterator[tuple[Path, object]]:
    """Yield every value of a patch with its path; lists are values."""
    for key, value in patch.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, (*at, key))
        else:
            yield (*at, key), value
