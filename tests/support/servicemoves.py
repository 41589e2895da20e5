"""What the world may do to a RayService, one move at a time."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from shared.events.decisions import WAKE
from tests.support.builders import Raw, cluster_spec, group
from tests.support.rayservices import MARKET, STAND, other_version
from tests.support.servicestory import ServiceStory

Move = Callable[[ServiceStory], bool]
"""Changes the world; False if it cannot happen now."""

ENDLESS = frozenset({"refresh", WAKE, "retry"})
"""Timers that the world's own moves stand for."""
FIRST = cluster_spec(group("small", 1))
GROWN = cluster_spec(group("small", 1), group("large", 1))
DELETES = "the user deletes"


def headless(story: ServiceStory) -> list[str]:
    """Clusters without a head that may get one, the newest first."""
    found = [name for name, one in story.clusters.items() if one.meta.deleted_at is None]
    return [name for name in reversed(found) if name not in story.heads]


def newest(story: ServiceStory) -> str:
    """The newest of the named clusters that has a head."""
    names = (story.pending, story.active)
    return next((name for name in names if name and name in story.heads), "")


def _head_up(story: ServiceStory) -> bool:
    names = headless(story)
    if names:
        story.passes(11)
        story.head_comes_up(names[0])
    return bool(names)


def _head_lost(story: ServiceStory) -> bool:
    name = newest(story)
    if name:
        story.head_is_lost(name)
    return bool(name)


def _apps(status: str) -> Move:
    def move(story: ServiceStory) -> bool:
        name = newest(story)
        apps = story.heads[name].apps if name else {}
        if not apps or set(apps.values()) == {status}:
            return False
        story.apps_are(status, name)
        return True

    return move


def _forgets(story: ServiceStory) -> bool:
    name = newest(story)
    if not name or not story.heads[name].apps:
        return False
    story.heads[name].apps.clear()
    return True


def _active_unwell(story: ServiceStory) -> bool:
    head = story.heads.get(story.active)
    if head is None or not head.well:
        return False
    head.well = False
    return True


def _active_silent(story: ServiceStory) -> bool:
    head = story.heads.get(story.active)
    if head is None or head.silent:
        return False
    head.silent = True
    return True


def _dashboard(*, answers: bool) -> Move:
    def move(story: ServiceStory) -> bool:
        name = newest(story)
        if not name or story.heads[name].answers is answers:
            return False
        story.heads[name].answers = answers
        return True

    return move


def _wish(field: str, value: object) -> Move:
    def move(story: ServiceStory) -> bool:
        own = story.own
        if own is None or own.meta.deleted_at or own.spec.get(field) == value:
            return False
        story.wishes(**{field: value})
        return True

    return move


def _gone_by_hand(which: str) -> Move:
    def move(story: ServiceStory) -> bool:
        name = story.active if which == "active" else story.pending
        if name not in story.clusters:
            return False
        story.remove_cluster(name)
        return True

    return move


def _delete(story: ServiceStory) -> bool:
    if story.own is None or story.own.meta.deleted_at:
        return False
    story.is_deleted()
    return True


def _timer(story: ServiceStory) -> bool:
    view = story.view()
    due = sorted(
        (timer.due_at, timer.name)
        for timer in (view.act.timers if view.act else ())
        if timer.name not in view.woken and timer.name not in ENDLESS
    )
    if not due or view.act is None:
        return False
    story.fires(view.act, due[0][1])
    return True


SIDEWAYS: Raw = {"type": "Sideways"}


def moves(first: Raw, other: Raw, grown: Raw, strategy: Raw | None) -> Mapping[str, Move]:
    """Return the moves of a world in which these are the specs of clusters that a user writes."""
    return MappingProxyType(
        {
            "a head comes up": _head_up,
            "a head is lost": _head_lost,
            "applications run": _apps("RUNNING"),
            "applications are unhealthy": _apps("UNHEALTHY"),
            "Serve forgets": _forgets,
            "the active head is unwell": _active_unwell,
            "the dashboard hangs": _dashboard(answers=False),
            "the dashboard is back": _dashboard(answers=True),
            "the spec is A": _wish("rayClusterConfig", first),
            "the spec is B": _wish("rayClusterConfig", other),
            "the spec is A with more workers": _wish("rayClusterConfig", grown),
            "the stand is served": _wish("serveConfigV2", STAND),
            "the market is served": _wish("serveConfigV2", MARKET),
            "the user suspends": _wish("suspend", True),
            "the user resumes": _wish("suspend", None),
            "the user breaks the spec": _wish("upgradeStrategy", SIDEWAYS),
            "the user repairs the spec": _wish("upgradeStrategy", strategy),
            "the active cluster is deleted": _gone_by_hand("active"),
            "the pending cluster is deleted": _gone_by_hand("pending"),
            DELETES: _delete,
            "a timer goes off": _timer,
        }
    )


MOVES: Mapping[str, Move] = MappingProxyType(
    {
        **moves(FIRST, other_version(), GROWN, None),
        # Not above: chance would tell other stories under the seeds that found something.
        "the active head is silent": _active_silent,
    }
)
