"""What of a RayJob's story matters for what can follow, as one short mark.

Two stories with the same mark go on in the same way: the mark has everything that deciders, status
and the world look at. Moments are told from now on, names of attempts, versions and uids by their
order, since nobody looks at more of them; versions only while something is awaited, for nobody
compares them else. Left out is only what is never read again: texts and manifests of the last act,
its number, tombstones of former attempts, and Ray once the job is over.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from hashlib import blake2b

import msgspec
from msgspec.structs import replace

from shared.actions.objects import Action
from shared.aggregates.expectations import answered
from shared.aggregates.rayjob import OVER, rayjob_state
from shared.aggregates.troubles import troubles
from shared.aggregates.view import View
from shared.events.decisions import Decided
from shared.events.objects import ObjectGone
from shared.kernel.manifests import text_at
from tests.support.joblaws import LawfulJob
from tests.support.jobmoves import ENDLESS

_ORDERED = re.compile(
    r"(?P<moment>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)"
    r"|(?P<uid>uid-of-[a-z-]+(?:-[a-z0-9]{5})?-\d+)"
    r"|(?P<name>train-[a-z0-9]{5}\b)"
    r'|"(?:generation|observedGeneration)":(?P<generation>\d+)'
    r'|"resource_version":(?P<version>\d+)'
)
_encode = msgspec.json.Encoder(order="deterministic").encode


def outline(story: LawfulJob) -> bytes:
    """Return the mark of a state."""
    view = story.view()
    parts = (
        _own(view),
        _act(view),
        _sights(view),
        view.woken,
        view.expectations,
        troubles(view),
        text_at(view.life.body.data, "state", "phase") if view.life else "",
        (story.stage, () if story.phase in OVER else (view.told, _world(story))),
    )
    text = _plain(_encode(parts).decode(), story.now, versions=bool(view.expectations))
    return blake2b(text.encode(), digest_size=12).digest()


def _own(view: View) -> object:
    own = view.own
    if own is None:
        return view.former is None
    meta = replace(own.meta, created_at=None)
    return meta, own.spec, dict(view.status)


def _act(view: View) -> object:
    act: Decided | None = view.act
    if act is None:
        return None
    pairs = [
        (_asked(action), type(outcome).__name__) for action, outcome in answered(act, view.answer)
    ]
    timers = [one.name if one.name in ENDLESS else one for one in act.timers]
    kept = (act.seen, act.wants, act.noted, act.troubles, act.refusals, act.closing)
    return pairs, timers, kept


def _asked(action: Action) -> tuple[str, ...]:
    return type(action).__name__, getattr(action, "kind", ""), getattr(action, "name", "")


def _sights(view: View) -> list[object]:
    name = rayjob_state(view).cluster_name if view.own else ""
    return list(_children(view, name))


def _children(view: View, name: str) -> Iterator[object]:
    for (kind, called), seen in view.children.items():
        if kind != "raycluster" or called == name or not isinstance(seen, ObjectGone):
            yield kind, seen


def _world(story: LawfulJob) -> object:
    ray = story.dashboard
    strangers = [one for one in story.clusters.values() if not one.meta.owners]
    return (strangers, story.heads, ray.jobs, ray.answers, ray.refuses)


def _plain(text: str, now: datetime, *, versions: bool) -> str:
    """Tell moments from now on, and everything that only has an order by its order."""
    order: dict[str, str] = {}
    ranked = ("generation", "version") if versions else ("generation",)
    ranks = {kind: _ranks(kind, text) for kind in ranked}

    def told(found: re.Match[str]) -> str:
        kind, word = str(found.lastgroup), found[found.lastgroup or 0]
        if kind == "moment":
            return str(datetime.fromisoformat(word).replace(tzinfo=now.tzinfo) - now)
        if kind in ("uid", "name"):
            return order.setdefault(word, f"#{len(order)}")
        return f"{kind}:{ranks[kind][word] if kind in ranks else 0}"

    return _ORDERED.sub(told, text)


_RANKED = {
    "generation": re.compile(r'"(?:generation|observedGeneration)":(\d+)'),
    "version": re.compile(r'"resource_version":(\d+)'),
}


def _ranks(kind: str, text: str) -> dict[str, int]:
    numbers = sorted(set(_RANKED[kind].findall(text)), key=int)
    return {number: rank for rank, number in enumerate(numbers)}
