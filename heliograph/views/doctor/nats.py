"""The NATS server and the streams: what is said of them. Pure."""

import re
from collections.abc import Iterator
from datetime import timedelta

from heliograph.views.doctor.checks import Area, Check
from heliograph.views.doctor.facts import Account, Bus, Difference, Server, Stream, Unknown
from heliograph.views.waits import span_words

AREA = Area("NATS")
STREAMS = Area("streams")
OLDEST = (2, 14)
"""Older servers cannot let a consumer begin again, or keep schedules less well."""
TESTED = (2, 15)
SKEW_MOST = timedelta(seconds=2)
NEARLY = 0.8
FULL = 0.95
INIT = "heliograph init"
_PURPOSE = {
    "RAYLOG": "it is the log: without it nothing is decided or done",
    "RAYTIME": "timers are kept there: deadlines, retries and schedules would not come",
    "RAYPUB": "lifecycle events are kept there: subscribers would hear nothing",
    "KV_raymembers": "heartbeats and leases stand there: no service could share the work",
}


def server_checks(bus: Bus) -> Iterator[Check]:
    """Judge the server: reachable, version, JetStream, clock, limits."""
    server = bus.server
    if isinstance(server, Unknown):
        yield AREA.wrong(
            "connection",
            server.why,
            "without NATS nothing is decided or done; running Ray goes on",
            f"see that nats-server runs and can be reached from here at {bus.where}",
            "heliograph doctor --nats-url nats://HOST:4222 (or NATS_URL) if it is elsewhere",
        )
        return
    yield AREA.well("connection", f"answers at {bus.where}")
    yield _version(server.version)
    yield _jetstream(server)
    yield _clock(server.skew)
    if server.jetstream:
        yield from _account(bus.account)


def _version(version: str) -> Check:
    found = re.match(r"v?(\d+)\.(\d+)", version)
    if found is None:
        return AREA.unknown("version", f"the server calls itself {version!r}")
    number = (int(found[1]), int(found[2]))
    tested = f"{TESTED[0]}.{TESTED[1]}"
    if number < OLDEST:
        return AREA.wrong(
            "version",
            f"{version} is too old",
            "it cannot keep timers or rewind consumers as the services ask it to",
            f"upgrade nats-server to {tested} (one server after another, then look again)",
        )
    if number < TESTED:
        return AREA.warning(
            "version",
            f"{version}; {tested} is what is tested",
            "it should work, and nobody has seen it do so",
            f"upgrade nats-server to {tested}",
        )
    newer = "" if number == TESTED else f" (newer than {tested}, which is tested)"
    return AREA.well("version", f"{version}{newer}")


def _jetstream(server: Server) -> Check:
    if server.jetstream:
        where = f", in cluster {server.cluster}" if server.cluster else ", a single server"
        return AREA.well("JetStream", f"on{where}")
    return AREA.wrong(
        "JetStream",
        "off",
        "the log is a stream of JetStream: there can be none",
        'put `jetstream { store_dir: "/data", sync_interval: 1s }` into its configuration',
    )


def _clock(skew: timedelta | None) -> Check:
    if skew is None:
        return AREA.unknown("clock", "the server did not say what time it is")
    if abs(skew) <= SKEW_MOST:
        return AREA.well("clock", "agrees with the one here")
    side = "ahead of" if skew > timedelta() else "behind"
    return AREA.warning(
        "clock",
        f"{span_words(abs(skew))} {side} the one here",
        "timers and records follow the server's clock: `--since 2h` and ages are off by that much",
        "let both machines keep time (chrony, systemd-timesyncd)",
    )


def _account(account: Account | Unknown) -> Iterator[Check]:
    if isinstance(account, Unknown):
        yield AREA.unknown("limits", account.why)
        return
    used = (
        ("storage", account.storage, account.storage_most, True),
        ("streams", account.streams, account.streams_most, False),
        ("consumers", account.consumers, account.consumers_most, False),
    )
    told = [_limit(*each) for each in used if each[2] > 0]
    yield from told or [AREA.well("limits", f"none set; {amount(account.storage)} stored")]


def _limit(what: str, used: int, most: int, sized: bool) -> Check:  # noqa: FBT001 - a row of a table
    shown = f"{amount(used)} of {amount(most)}" if sized else f"{used} of {most}"
    says = f"{shown} {what} used"
    if used >= most * NEARLY:
        tell = AREA.wrong if used >= most * FULL else AREA.warning
        return tell(
            f"limit of {what}",
            says,
            "at the limit the server refuses writes, and everything stands still",
            f"raise the account's limit of {what}, or keep less (heliograph init --log-retention)",
        )
    return AREA.well(f"limit of {what}", says)


def stream_checks(bus: Bus) -> Iterator[Check]:
    """Judge every declared stream."""
    clustered = isinstance(bus.server, Server) and bool(bus.server.cluster)
    for name, stream in bus.streams.items():
        if isinstance(stream, Unknown):
            yield STREAMS.unknown(name, stream.why)
        elif not stream.there:
            why = _PURPOSE.get(name, "it is declared")
            yield STREAMS.wrong(name, "is not there", why, INIT)
        else:
            yield from _stream(stream, clustered=clustered)


def _stream(stream: Stream, *, clustered: bool) -> Iterator[Check]:
    found = [*differences(STREAMS, stream.name, stream.differences), *_room(stream)]
    if stream.behind:
        found.append(
            STREAMS.warning(
                stream.name,
                f"the copy on {', '.join(stream.behind)} is not current",
                "should the leader be lost now, there are fewer copies than you asked for",
                "see whether that server runs: nats server report jetstream",
            )
        )
    if clustered and stream.copies == 1:
        found.append(
            STREAMS.warning(
                stream.name,
                "one copy, in a cluster of servers",
                "with the one server that has it the installation stands still",
                "heliograph init --log-replicas 3",
            )
        )
    yield from found or [STREAMS.well(stream.name, _size(stream))]


def _size(stream: Stream) -> str:
    copies = "1 copy" if stream.copies == 1 else f"{stream.copies} copies"
    return f"as declared; {stream.messages:,} records, {amount(stream.bytes)}, {copies}"


def differences(area: Area, name: str, found: tuple[Difference, ...]) -> Iterator[Check]:
    """Say what `heliograph init` would change, of a stream or a consumer."""
    ours = [each for each in found if not each.chosen]
    if ours:
        yield area.wrong(
            name,
            f"is not as declared: {_told(ours)}",
            "records may be lost, refused or not passed on",
            f"{INIT} (it changes just that, and refuses to drop history)",
        )
    chosen = [each for each in found if each.chosen]
    if chosen:
        yield area.warning(
            name,
            f"is not as the settings here say: {_told(chosen)}",
            "init with these settings would change it",
            "say the same here as there (--log-retention, --events-retention, --log-replicas)",
            f"or {INIT}, if the settings here are right",
        )


def _told(found: list[Difference]) -> str:
    return "; ".join(f"{each.setting} is {each.now}, asked {each.asked}" for each in found)


def _room(stream: Stream) -> Iterator[Check]:
    if stream.bytes_most > 0 and stream.bytes >= stream.bytes_most * NEARLY:
        yield STREAMS.warning(
            stream.name,
            f"{amount(stream.bytes)} of at most {amount(stream.bytes_most)}",
            "the oldest records go before their time, those of resources that live among them",
            f"let it be larger: nats stream edit {stream.name} --max-bytes=-1",
        )
    if stream.consumers_most > 0 and stream.consumers >= stream.consumers_most * NEARLY:
        yield STREAMS.warning(
            stream.name,
            f"{stream.consumers} of at most {stream.consumers_most} consumers",
            "no other process will be able to read it",
            f"see whose they are: nats consumer report {stream.name}",
        )


def amount(size: int) -> str:
    """Say how many bytes, roughly."""
    left = float(size)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if left < 1024:  # noqa: PLR2004 - what the units count by
            return f"{left:.0f} {unit}" if unit == "B" else f"{left:.1f} {unit}"
        left /= 1024
    return f"{left:.1f} TiB"
