"""Every RayService that can happen, up to a depth: all orders of what the world may do.

Breadth first over the moves of `MOVES`; after each move everybody does their part, every action is
held to the laws, and from every state that is new the story must end well once the world is kind.
`python -m tests.support.servicemodel DEPTH` explores by hand, with progress.
"""

import copy
import sys
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import partial
from itertools import count
from types import MappingProxyType

from services.reconciler.manifests.rayservice.cluster import HASH
from tests.support.builders import Raw
from tests.support.rayservices import service_spec
from tests.support.servicelaws import LawfulStory, ends
from tests.support.servicemoves import MOVES
from tests.support.serviceworld import Numbers

Path = tuple[str, ...]


def begun(spec: Raw) -> LawfulStory:
    """A RayService that has a cluster without a head."""
    story = LawfulStory(spec)
    story.goes_on()
    return story


def serving(spec: Raw) -> LawfulStory:
    """A RayService that serves."""
    story = begun(spec)
    story.serves()
    return story


def outline(story: LawfulStory) -> Hashable:
    """Return what of a state matters for what can follow."""
    view, own = story.view(), story.own
    order = {name: index for index, name in enumerate(story.clusters)}
    return (
        tuple(story.condition(type_) for type_ in ("Ready", "Suspending", "Suspended")),
        (order.get(story.active), order.get(story.pending), order.get(story.leads_to)),
        (bool(story.active), bool(story.pending)),
        own is None or (bool(own.meta.deleted_at), str(own.spec)),
        tuple(_cluster(story, name) for name in story.clusters),
        tuple(story.slices.items()) != (),
        tuple(sorted(timer.name.partition("/")[0] for timer in view.act.timers))
        if view.act
        else (),
        len(view.woken),
    )


def _cluster(story: LawfulStory, name: str) -> Hashable:
    seen, head = story.clusters[name], story.heads.get(name)
    about = () if head is None else (head.label, head.ready, head.well, head.answers)
    apps = tuple(sorted(head.apps.items())) if head else ()
    return seen.meta.annotations.get(HASH), bool(seen.meta.deleted_at), about, apps


def explore(
    story: LawfulStory,
    depth: int,
    *,
    kind: int = 99,
    tell: Callable[[int, int], None] = lambda *_: None,
) -> Counter[str]:
    """Go through everything that can happen; return how often each way of Ready was met.

    Down to the depth `kind` every new state is also followed to its good end.
    """
    frontier: list[tuple[LawfulStory, Path]] = [(story, ())]
    known = {outline(story)}
    met: Counter[str] = Counter()
    for level in range(depth):
        tell(level, len(frontier))
        following: list[tuple[LawfulStory, Path]] = []
        for here, path in frontier:
            for name, there in _moves(here, path):
                met[" ".join(there.condition("Ready"))] += 1
                mark = outline(there)
                if mark not in known:
                    known.add(mark)
                    if level < kind:
                        _told(partial(ends, branch(there)), (*path, name))
                    following.append((there, (*path, name)))
        frontier = following
    return met


def _moves(here: LawfulStory, path: Path) -> Iterator[tuple[str, LawfulStory]]:
    for name, move in MOVES.items():
        there = branch(here)
        if move(there):
            _told(there.goes_on, (*path, name))
            yield name, there


def _told(part: Callable[[], None], path: Path) -> None:
    """Do a part; a law that is broken is told with the way that led there."""
    try:
        part()
    except AssertionError as problem:
        raise AssertionError(f"{problem}: {' -> '.join(path)}") from problem


def branch(story: LawfulStory) -> LawfulStory:
    """Return the same story, to be told otherwise from here on."""
    other = copy.copy(story)
    other.__dict__ = {key: _copied(key, value) for key, value in story.__dict__.items()}
    other.__dict__["_sequences"] = count(len(story.records) + 1)
    return other


def _copied(key: str, value: object) -> object:
    if key == "heads" and isinstance(value, dict):
        return {name: copy.copy(head) for name, head in value.items()}
    if isinstance(value, list | dict | set):
        return value.copy()
    return copy.copy(value) if isinstance(value, Numbers) else value


STARTS: Mapping[str, Callable[[], LawfulStory]] = MappingProxyType(
    {
        "begun": lambda: begun(service_spec()),
        "serving": lambda: serving(service_spec()),
    }
)


def main() -> None:
    depth = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    for name, start in STARTS.items():
        began = time.monotonic()
        met = explore(start(), depth, tell=lambda *so_far: print("  depth, states:", *so_far))
        spent = time.monotonic() - began
        print(f"{name}: {sum(met.values())} steps in {spent:.0f} s, {dict(sorted(met.items()))}")


if __name__ == "__main__":
    main()
