"""What many workers do alike, in one line. Pure.

Lines of one run are summed up by group and step. A run ends with any other line, and with a pause:
so that what is summed up happened together. A lone line stays as it is, with the pod's name.
"""

from collections.abc import Iterable, Iterator
from datetime import timedelta

from msgspec.structs import replace

from heliograph.views.timeline import Moment

PAUSE = timedelta(seconds=30)
PASSING = "Running"
"""A step that says nothing where the next one is told."""
_WORDS = {
    "appeared": "{} workers of group {} appeared",
    "Running": "{} workers of group {} are Running",
    "ready": "{} workers of group {} became ready",
    "ending": "{} workers of group {} are ending",
    "gone": "{} workers of group {} are gone",
    "create": "create {} workers of group {}",
    "delete": "delete {} workers of group {}",
}


def summed_up(moments: Iterable[Moment]) -> Iterator[Moment]:
    """Tell a history with the chatter of workers in sums; in the order of each sum's last line."""
    run = Run()
    for moment in moments:
        if run.ends_with(moment):
            yield from run.flush()
        if moment.chatter:
            run.take(moment)
        else:
            yield moment
    yield from run.flush()


class Run:
    """Lines of chatter that stand together."""

    def __init__(self) -> None:
        self._alike: dict[tuple[str, str], list[Moment]] = {}
        self._last: Moment | None = None

    def ends_with(self, moment: Moment) -> bool:
        """Whether this line is no longer part of the run."""
        late = self._last is not None and moment.at - self._last.at > PAUSE
        return bool(self._alike) and (not moment.chatter or late)

    def take(self, moment: Moment) -> None:
        """Add a line of chatter."""
        self._alike.setdefault((moment.what, moment.chatter), []).append(moment)
        self._last = moment

    def flush(self) -> tuple[Moment, ...]:
        """Return the sums, and begin anew."""
        sums = [
            _sum(moments) for (_, chatter), moments in self._alike.items() if self._tells(chatter)
        ]
        self._alike, self._last = {}, None
        return tuple(sorted(sums, key=lambda one: one.sequence))

    def _tells(self, chatter: str) -> bool:
        group, _, step = chatter.rpartition("/")
        return step != PASSING or ("seen", f"{group}/ready") not in self._alike


def _sum(moments: list[Moment]) -> Moment:
    if len(moments) == 1:
        return moments[0]
    group, _, step = moments[0].chatter.rpartition("/")
    text = _WORDS[step].format(len(moments), group)
    return replace(moments[-1], text=text, count=len(moments))
