"""What every question about one object needs: which one, until when, and help if it is unknown."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from datetime import datetime
from difflib import get_close_matches
from itertools import chain

from heliograph.assembly.capsules import read_manifest
from heliograph.assembly.replaying import Read
from heliograph.cli.source import reading
from heliograph.views.bounds import Bound
from heliograph.views.clocktime import spoken_bound
from shared.events.subjects import place_of
from shared.kernel.keys import ResourceKey, parse_key
from shared.runtime.clock import SystemClock
from shared.runtime.failures import FatalError

CLOSE_MAX = 3
WHEN = (
    "a sequence (4711), a moment (2030-01-01T03:12Z), a time of day (03:12, UTC), a span ago (2h)"
)
_ALIASES = {
    "po": "pod",
    "svc": "service",
    "pvc": "persistentvolumeclaim",
    "ing": "ingress",
    "sa": "serviceaccount",
    "netpol": "networkpolicy",
    "ingresses": "ingress",
    "networkpolicies": "networkpolicy",
}


def add_object(parser: ArgumentParser, what: str) -> None:
    """Ask for one object."""
    parser.add_argument("resource", metavar="KIND/NAMESPACE/NAME", help=what)


def key_of(text: str) -> ResourceKey:
    """Read an object as people write it: kinds also in the plural, and by kubectl's short names."""
    try:
        key = parse_key(text)
    except ValueError as problem:
        raise FatalError(str(problem)) from problem
    kind = _ALIASES.get(key.kind, key.kind)
    if kind not in _ALIASES.values() and kind.endswith("s"):
        kind = kind.removesuffix("s")
    return ResourceKey(kind, key.namespace, key.name)


def now_of(args: Namespace) -> datetime:
    """Return the present: of a capsule, its end."""
    ended = read_manifest(args.capsule).span.ended_at if args.capsule is not None else None
    return ended or SystemClock().now()


def bound_of(args: Namespace, flag: str, text: str | None) -> Bound | None:
    """Read a bound that a flag gives, if it does."""
    if text is None:
        return None
    try:
        return spoken_bound(text, now_of(args))
    except ValueError as problem:
        raise FatalError(f"{flag}: {problem}") from problem


def unknown(args: Namespace, command: str, key: ResourceKey) -> FatalError:
    """Say that the log knows nothing of an object, and what it knows that is close."""
    known = reading(args, command, _known)
    near = close_to(key, known)
    advice = f"; did you mean {' or '.join(near)}?" if near else ""
    nothing = "" if known else " (it is empty)"
    return FatalError(f"the log{nothing} knows nothing of {key}{advice}")


async def _known(read: Read) -> tuple[str, ...]:
    places = [place_of(message.subject) async for message in read(("ray.*.*.*.*.obs.*.*",))]
    found = (
        f"{place.rest[0]}/{place.key.namespace}/{place.rest[1]}"
        for place in places
        if place is not None
    )
    return tuple(dict.fromkeys(found))


def close_to(key: ResourceKey, known: Sequence[str]) -> tuple[str, ...]:
    """Return the objects that may be meant: of the same name elsewhere, of a name that is alike."""
    same = [one for one in known if one.rpartition("/")[2] == key.name]
    near = sorted(known, key=lambda one: one.startswith(f"{key.kind}/{key.namespace}/"))
    here = {one.rpartition("/")[2]: one for one in near if one.startswith(f"{key.kind}/")}
    alike = [here[name] for name in get_close_matches(key.name, here, n=CLOSE_MAX)]
    return tuple(dict.fromkeys(chain(same, alike)))[:CLOSE_MAX]
