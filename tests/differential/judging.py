"""Heliograph's tellings against KubeRay's recorded ones: what is explained, and what is not."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from tests.differential import golden
from tests.differential.comparing import Difference, Telling, differences
from tests.differential.explained import explanation_of


class Verdict(Struct, frozen=True, kw_only=True):
    """What was compared, and what came of it."""

    stories: int
    steps: int
    heard: int
    """Steps whose Events were compared, too."""
    explained: Mapping[str, int]
    unexplained: Sequence[Difference]

    def told(self) -> str:
        """Say it in a few lines."""
        known = [f"  {count:5} {name}" for name, count in sorted(self.explained.items())]
        total = sum(self.explained.values())
        head = f"{self.stories} stories, {self.steps} steps compared, {self.heard} with Events; "
        head += "differences: "
        head += f"{total} explained by {len(known)} entries, {len(self.unexplained)} unexplained"
        return "\n".join((head, *known))


def gathered(found: Iterable[Difference]) -> list[tuple[Difference, int]]:
    """Return differences of one place and kind once, with how often they were met."""
    first: dict[str, Difference] = {}
    counts: Counter[str] = Counter()
    for each in found:
        key = repr((each.place, each.theirs, each.ours)).replace(each.story, "<story>")
        first.setdefault(key, each)
        counts[key] += 1
    return [(first[key], count) for key, count in counts.most_common()]


def judge(ours: Mapping[str, list[Telling]]) -> Verdict:
    """Compare with what is recorded; a story that was never recorded is not explained."""
    recorded = {
        name: told
        for family in golden.families()
        for name, told in golden.read(family).stories.items()
    }
    explained: Counter[str] = Counter()
    heard = 0
    unexplained: list[Difference] = []
    for name in sorted(ours):
        theirs = recorded.get(name, [])
        if len(theirs) != len(ours[name]):
            unexplained.append(_never_recorded(name))
            continue
        pairs = zip(theirs, ours[name], strict=True)
        heard += sum(one.heard and other.heard for one, other in pairs)
        for each in differences(name, theirs, ours[name]):
            why = explanation_of(each)
            if why is None:
                unexplained.append(each)
            else:
                explained[why.name] += 1
    steps = sum(len(told) for told in ours.values())
    return Verdict(
        stories=len(ours), steps=steps, heard=heard, explained=explained, unexplained=unexplained
    )


def _never_recorded(story: str) -> Difference:
    told = "never recorded: `python -m tests.differential kuberay --record` does it"
    return Difference(story=story, step="all", place="recorded", theirs=told, ours="played")
