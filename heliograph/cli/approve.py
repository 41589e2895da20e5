"""`heliograph approve SCOPE --for SPAN`: allow more deletions than the budget, for a while."""

import asyncio
import getpass
import sys
from argparse import ArgumentParser, Namespace
from datetime import timedelta
from socket import gethostname

from heliograph.assembly.adapters import CODE, open_bus
from heliograph.cli.asking import known_objects, resource_of, unknown
from heliograph.cli.flags import BUS, add_flags
from heliograph.cli.run import settings_of
from heliograph.cli.source import reading
from heliograph.cli.when import span_of
from shared.bus.commit import Committed, commit
from shared.events import subjects
from shared.events.approvals import FLEET, Approved, namespace_scope, resource_scope
from shared.events.codec import encode
from shared.events.envelope import SCHEMA, Envelope
from shared.kernel.ids import content_id
from shared.kernel.keys import parse_key
from shared.ports.event_log import Bus, Entry
from shared.runtime.clock import SystemClock
from shared.runtime.failures import Exit, FatalError
from shared.runtime.kinds import show

LONGEST = timedelta(days=7)
NAMESPACE = "namespace"


def add_arguments(parser: ArgumentParser) -> None:
    """Name what is approved, for how long and why."""
    parser.add_argument(
        "scope",
        metavar="SCOPE",
        help="fleet, namespace/NAME, or KIND/NAMESPACE/NAME: where nothing is held back.",
    )
    parser.add_argument(
        "--for",
        dest="span",
        metavar="SPAN",
        default="1h",
        help="How long: 30m, 1h, 2d (default 1h).",
    )
    parser.add_argument(
        "--because", metavar="TEXT", default="", help="Why, for whoever asks later."
    )
    parser.epilog = (
        "Example: heliograph approve namespace/research --for 2h --because 'the project has ended' "
        "(exit code 2 if the log knows nobody there)"
    )
    add_flags(parser, "the log", BUS)


def run(args: Namespace) -> int:
    """Write the approval to the log."""
    scope, span = scope_of(args.scope), lasting(args.span)
    _refuse_unknown(args, scope)
    asyncio.run(_approve(args, scope, span))
    sys.stdout.write(f"{scope}: nothing is held back for {show(span)}\n")
    return Exit.DONE


def scope_of(text: str) -> str:
    """Read a scope as people write it."""
    if text == FLEET:
        return FLEET
    kind, _, name = text.partition("/")
    if kind == NAMESPACE and name and "/" not in name:
        return namespace_scope(name)
    try:
        key = parse_key(text)
    except ValueError as problem:
        raise FatalError(
            f"{text!r} is no scope: it is fleet, namespace/NAME or KIND/NAMESPACE/NAME"
        ) from problem
    return resource_scope(resource_of(str(key), "approve"))


def lasting(text: str) -> timedelta:
    """Read how long, which must be short enough to be meant."""
    span = span_of("--for", text)
    if span > LONGEST:
        raise FatalError(f"--for: {text!r} is longer than {LONGEST.days} days")
    return span


def _refuse_unknown(args: Namespace, scope: str) -> None:
    """Refuse a scope in which the log knows nobody: it would be a slip of the pen."""
    if scope == FLEET or asyncio.run(_is_known(args, scope)):
        return
    asked = Namespace(**vars(args), capsule=None)
    kind, _, name = scope.partition("/")
    if kind != NAMESPACE:
        raise unknown(asked, "approve", parse_key(scope))
    found = reading(asked, "approve", known_objects)
    namespaces = sorted({one.split("/")[1] for one in found})
    there = ", ".join(namespaces) or "none"
    raise FatalError(f"the log knows nothing in namespace {name} (there is {there})")


async def _is_known(args: Namespace, scope: str) -> bool:
    kind, _, name = scope.partition("/")
    subject = f"ray.*.*.{subjects.encode_token(name)}.*.>"
    if kind != NAMESPACE:
        subject = subjects.own(parse_key(scope))
    async with open_bus(settings_of(args).bus, "approve") as bus:
        return await bus.log.last(subject) is not None


async def _approve(args: Namespace, scope: str, span: timedelta) -> None:
    async with open_bus(settings_of(args).bus, "approve") as bus:
        await approve(bus, scope, span, args.because)


async def approve(bus: Bus, scope: str, span: timedelta, because: str) -> None:
    """Write an approval; it counts from the moment at which the log has it."""
    seconds = round(span.total_seconds())
    body = Approved(scope=scope, seconds=seconds, by=_somebody(), because=because)
    subject = subjects.approval(scope)
    last = await bus.log.last(subject)
    fence = last.sequence if last else 0
    identity = content_id(subject, fence, seconds)
    now = SystemClock().now()
    envelope = Envelope(schema=SCHEMA, id=identity, body=body, code=CODE, written_at=now)
    entry = Entry(subject=subject, id=identity, data=encode(envelope), fence=fence)
    if not isinstance(await commit(bus.log, entry), Committed):
        raise FatalError("somebody else approved something at the same time; look, and try again")


def _somebody() -> str:
    """Say who approves, as well as this machine knows."""
    try:
        return f"{getpass.getuser()}@{gethostname()}"
    except (KeyError, OSError):
        return gethostname()
