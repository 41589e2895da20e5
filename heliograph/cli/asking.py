"""What every question about one object needs: which one, and help if it is unknown."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from difflib import get_close_matches
from itertools import chain

from heliograph.assembly.replaying import Read, settings_of_old
from heliograph.cli.source import reading
from heliograph.views.chronicle import RESOURCES
from shared.events.subjects import place_of
from shared.kernel.features import CRON_JOB
from shared.kernel.keys import ResourceKey, parse_key
from shared.runtime.failures import FatalError

CLOSE_MAX = 3
KINDS = tuple(RESOURCES.values())
"""Kinds that have a history of their own."""
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
    return ResourceKey(kind_of(key.kind), key.namespace, key.name)


def kind_of(text: str) -> str:
    """Read a kind as people write it."""
    kind = _ALIASES.get(text.lower(), text.lower())
    return kind if kind in _ALIASES.values() else kind.removesuffix("s")


def resource_of(text: str, command: str) -> ResourceKey:
    """Read a resource of ours; of other objects `why` tells."""
    key = key_of(text)
    if key.kind not in KINDS:
        raise FatalError(
            f"{command} is for {', '.join(KINDS)}; of a {key.kind} tells: heliograph why {key}"
        )
    return key


def unknown(args: Namespace, command: str, key: ResourceKey) -> FatalError:
    """Say that the log knows nothing of an object, and what it knows that is close."""
    known = reading(args, command, known_objects)
    near = close_to(key, known)
    advice = f"; did you mean {' or '.join(near)}?" if near else ""
    nothing = "" if known else " (it is empty)"
    if key.kind == CRON_JOB.lower() and not any(one.startswith(f"{key.kind}/") for one in known):
        gate = reading(args, command, cron_gate)
        advice += f"; {gate}" if gate else ""
    return FatalError(f"the log{nothing} knows nothing of {key}{advice}")


async def cron_gate(read: Read) -> str:
    """Say that nobody watches RayCronJobs, unless this log's last settings say otherwise."""
    last = next(reversed((await settings_of_old(read)).values()), {})
    features = last.get("features")
    if isinstance(features, dict) and CRON_JOB in features.get("enabled", ()):
        return ""
    off = "it is off here" if last else "this log does not say that it is on"
    return f"RayCronJobs are watched only with --feature-gates {CRON_JOB}=true, and {off}"


async def known_objects(read: Read) -> tuple[str, ...]:
    """Return every object that the log ever told of, as KIND/NAMESPACE/NAME."""
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
