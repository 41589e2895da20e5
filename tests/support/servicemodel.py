"""Every RayService that can happen, up to a depth: all orders of what the world may do.

Breadth first over the moves of `MOVES`; after each move everybody does their part, every action is
held to the laws, and from every state that is new the story must end well once the world is kind.
`python -m tests.support.servicemodel DEPTH` explores by hand, with progress;
`python -m tests.support.servicemodel --seeds N` tells stories by chance instead (`serviceseeds`).
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import partial
from types import MappingProxyType

from services.reconciler.manifests.rayservice.cluster import HASH
from tests.support.builders import Raw
from tests.support.foldedhistory import branch
from tests.support.modelling import Progress, explore_by_hand, told
from tests.support.rayservices import service_spec
from tests.support.servicelaws import LawfulStory, ends
from tests.support.servicemoves import MOVES
from tests.support.serviceseeds import play_by_hand

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
    about = (
        ()
        if head is None
        else (
            head.label,
            head.ready,
            head.well,
            head.silent,
            head.answers,
        )
    )
    apps = tuple(sorted(head.apps.items())) if head else ()
    return seen.meta.annotations.get(HASH), bool(seen.meta.deleted_at), about, apps


def explore(
    story: LawfulStory,
    depth: int,
    *,
    kind: int = 99,
    tell: Progress = lambda *_: None,
) -> Counter[str]:
    """Go through everything that can happen; return how often each way of Ready was met.

    Down to the depth `kind` every new state is also followed to its good end.
    """
    frontier: list[tuple[LawfulStory, Path]] = [(story, ())]
    known = {outline(story)}
    met: Counter[str] = Counter()
    for level in range(depth):
        tell(level, met.total(), len(frontier))
        following: list[tuple[LawfulStory, Path]] = []
        for here, path in frontier:
            for name, there in _moves(here, path):
                met[" ".join(there.condition("Ready"))] += 1
                mark = outline(there)
                if mark not in known:
                    known.add(mark)
                    if level < kind:
                        told(partial(ends, branch(there)), (*path, name))
                    following.append((there, (*path, name)))
        frontier = following
    return met


def _moves(here: LawfulStory, path: Path) -> Iterator[tuple[str, LawfulStory]]:
    for name, move in MOVES.items():
        there = branch(here)
        if move(there):
            told(there.goes_on, (*path, name))
            yield name, there


STARTS: Mapping[str, Callable[[], LawfulStory]] = MappingProxyType(
    {
        "begun": lambda: begun(service_spec()),
        "serving": lambda: serving(service_spec()),
    }
)


def explore_named(name: str, depth: int, tell: Progress) -> str:
    """Explore from one start; return what was met, in words."""
    met = explore(STARTS[name](), depth, tell=tell)
    return f"{met.total()} steps, {dict(sorted(met.items()))}"


def main() -> None:
    """Play seeds if the command line names any, and explore to a depth otherwise."""
    if not any(word.startswith(("--seeds", "-h", "--help")) for word in sys.argv):
        explore_by_hand(explore_named, tuple(STARTS))
    parser = argparse.ArgumentParser(
        description="Tell stories of a RayService by chance, held to the laws.",
        epilog=f"Or all stories to a depth: DEPTH [{' | '.join(STARTS)}] [--workers N].",
    )
    parser.add_argument("--seeds", type=int, required=True, help="how many stories by chance")
    parser.add_argument("--first", type=int, default=0, help="the first seed (0)")
    parser.add_argument("--workers", type=int, default=2, help="how many processes (2)")
    asked = parser.parse_args()
    play_by_hand(range(asked.first, asked.first + asked.seeds), asked.workers)


if __name__ == "__main__":
    main()
