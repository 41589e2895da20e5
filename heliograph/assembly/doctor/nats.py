"""What NATS tells: the server, streams, consumers, who is here, what the last acts say."""

import asyncio
from datetime import datetime, timedelta

from msgspec import json
from msgspec.structs import replace

from heliograph.assembly.adapters import shown
from heliograph.assembly.doctor.asking import told
from heliograph.views.doctor import facts
from heliograph.views.doctor.acts import FILTERS, ActBook
from heliograph.views.doctor.facts import Acts, Bus, Consumer, Difference, Stream, Unknown
from heliograph.views.doctor.work import COURIER, taken
from heliograph.views.waits import span_words
from shared.bus import inspection
from shared.bus.connection import Connection
from shared.bus.declarations import (
    LOG,
    MEMBER_ROOT,
    NEWS,
    Config,
    Installation,
    consumers,
    streams,
)
from shared.bus.inspection import ConsumerInfo, StreamInfo
from shared.bus.jetstream import JetStreamBus
from shared.bus.leases import LEASE, TENANCY, Book
from shared.events.codec import decode
from shared.events.modes import ModeChosen
from shared.events.records import KindListed
from shared.events.subjects import ALL_SYNCS, MODE, decode_token
from shared.kernel.instants import read_instant
from shared.ports.clock import Clock
from shared.ports.event_log import Batch, FromSnapshot

SPANS = frozenset({"max_age", "duplicate_window", "subject_delete_marker_ttl", "ack_wait"})
"""Settings that the server counts in nanoseconds."""
LOOKS = 5
BETWEEN_LOOKS = 0.2
"""A hand that was filled asks again a moment later: nobody is told missing at a glance."""


class BusDoctor:
    """Asks one server, as patiently as it was told to."""

    def __init__(
        self, connection: Connection, chosen: Installation, clock: Clock, seconds: float
    ) -> None:
        self._connection = connection
        self._bus = JetStreamBus(connection)
        self._chosen = chosen
        self._clock = clock
        self._seconds = seconds

    async def close(self) -> None:
        """Leave the server."""
        await self._connection.close()

    async def server(self) -> facts.Server:
        """Say who answers, and how far its clock is ahead of ours."""
        said = self._connection.server
        skew = await told(self._skew(), self._seconds)
        return facts.Server(
            version=str(said.get("version", "")),
            jetstream=bool(said.get("jetstream")),
            cluster=str(said.get("cluster") or ""),
            skew=None if isinstance(skew, Unknown) else skew,
        )

    async def _skew(self) -> timedelta | None:
        before = self._clock.now()
        info = await inspection.stream(self._connection, LOG)
        after = self._clock.now()
        theirs = read_instant(info.ts) if info else None
        return theirs - before - (after - before) / 2 if theirs else None

    async def whole(self, where: str, server: facts.Server) -> Bus:
        """Ask everything that can be asked of this server."""
        found = Bus(where=shown(where), server=server)
        if not server.jetstream:
            return found
        names = [str(one["name"]) for one in self._declared]
        async with asyncio.TaskGroup() as group:
            account = group.create_task(told(self._account(), self._seconds))
            kept = [
                group.create_task(told(self._stream(one), self._seconds)) for one in self._declared
            ]
        streams_found = dict(zip(names, [each.result() for each in kept], strict=True))
        found = replace(found, account=account.result(), streams=streams_found)
        missing = any(isinstance(one, Stream) and not one.there for one in streams_found.values())
        return found if missing else await self._work(found, server.skew or timedelta())

    async def _work(self, found: Bus, skew: timedelta) -> Bus:
        """Ask what stands in the streams, side by side."""
        names = [str(one["name"]) for one in consumers()]
        async with asyncio.TaskGroup() as group:
            hands = [
                group.create_task(told(self._consumer(one), self._seconds)) for one in consumers()
            ]
            couriers = group.create_task(told(self._couriers(), self._seconds))
            presence = group.create_task(told(self._presence(), self._seconds))
            listed = group.create_task(told(self._listed(), self._seconds))
            acts = group.create_task(told(self._acts(skew), self._seconds))
            shadow = group.create_task(told(self._shadow(), self._seconds))
        return replace(
            found,
            consumers=dict(zip(names, [each.result() for each in hands], strict=True)),
            couriers=couriers.result(),
            presence=presence.result(),
            listed=listed.result(),
            acts=acts.result(),
            shadow=shadow.result(),
        )

    @property
    def _declared(self) -> tuple[Config, ...]:
        return streams(self._chosen)

    async def _account(self) -> facts.Account:
        info = await inspection.account(self._connection)
        return facts.Account(
            storage=info.storage,
            storage_most=info.limits.max_storage,
            streams=info.streams,
            streams_most=info.limits.max_streams,
            consumers=info.consumers,
            consumers_most=info.limits.max_consumers,
        )

    async def _stream(self, asked: Config) -> Stream:
        name = str(asked["name"])
        info = await inspection.stream(self._connection, name)
        return stream_of(info, asked) if info else Stream(name=name, there=False)

    async def _consumer(self, asked: Config) -> Consumer:
        name = str(asked["name"])
        info = await inspection.consumer(self._connection, LOG, name)
        for _ in range(LOOKS):
            if info is None or taken(info.num_waiting, info.num_ack_pending):
                break
            await asyncio.sleep(BETWEEN_LOOKS)
            info = await inspection.consumer(self._connection, LOG, name)
        if info is None:
            return Consumer(name=name, there=False)
        return await self._counted(LOG, info, differences(info.config, asked))

    async def _counted(
        self, stream: str, info: ConsumerInfo, found: tuple[Difference, ...] = ()
    ) -> Consumer:
        return Consumer(
            name=info.name,
            differences=found,
            hands=info.num_waiting,
            pending=info.num_pending,
            held=info.num_ack_pending,
            redelivered=info.num_redelivered,
            paused=info.paused,
            oldest_at=await self._oldest(stream, info),
        )

    async def _oldest(self, stream: str, info: ConsumerInfo) -> datetime | None:
        """Return when the first message came that was never given to a hand."""
        subject = str(info.config.get("filter_subject") or "")
        if not info.num_pending or not subject:
            return None
        after = info.delivered.stream_seq
        found = await inspection.first_after(self._connection, stream, after, subject)
        return found.at if found else None

    async def _couriers(self) -> tuple[Consumer, ...]:
        found = await inspection.consumers(self._connection, NEWS)
        ours = [each for each in found if each.name.startswith(COURIER)]
        return tuple([await self._counted(NEWS, each) for each in ours])

    async def _presence(self) -> facts.Presence:
        members: dict[str, list[str]] = {}
        book = Book()
        async for message in self._bus.presence.read((f"{MEMBER_ROOT}.*.*",), FromSnapshot()):
            service, name = map(decode_token, message.subject.split(".")[-2:])
            if service in {LEASE, TENANCY}:
                book.learn(Batch(messages=(message,), synced=False))
            elif not message.gone:
                members.setdefault(service, []).append(name)
        return facts.Presence(
            members={service: tuple(names) for service, names in members.items()},
            leases=tuple(
                facts.Lease(what=decode_token(kind), holder=claim.value)
                for kind, claim in book.held().items()
            ),
        )

    async def _listed(self) -> tuple[facts.Listed, ...]:
        found = [each async for each in self._bus.log.read((ALL_SYNCS,), FromSnapshot())]
        bodies = [(each.at, decode(each).envelope.body) for each in found if not each.gone]
        return tuple(
            facts.Listed(kind=body.kind, session=body.session, at=at)
            for at, body in bodies
            if isinstance(body, KindListed)
        )

    async def _acts(self, skew: timedelta) -> Acts:
        book = ActBook()
        async for message in self._bus.log.read(FILTERS, FromSnapshot()):
            book.take(message)
        return book.tell(self._clock.now() + skew)

    async def _shadow(self) -> bool | None:
        last = await self._bus.log.last(MODE)
        body = decode(last).envelope.body if last else None
        return body.shadow if isinstance(body, ModeChosen) else None


def stream_of(info: StreamInfo, asked: Config) -> Stream:
    """Return what matters of a stream."""
    return Stream(
        name=str(asked["name"]),
        differences=differences(info.config, asked),
        messages=info.state.messages,
        bytes=info.state.bytes,
        bytes_most=int(info.config.get("max_bytes", -1)),
        consumers=info.state.consumer_count,
        consumers_most=int(info.config.get("max_consumers", -1)),
        copies=int(info.config.get("num_replicas", 1)),
        behind=tuple(one.name for one in info.cluster.replicas if one.offline or not one.current),
    )


def differences(now: Config, asked: Config) -> tuple[Difference, ...]:
    """Say what `init` would change in words of settings."""
    return tuple(
        Difference(
            setting=each.setting,
            now=_spoken(each.setting, each.now),
            asked=_spoken(each.setting, each.asked),
            chosen=each.limit,
        )
        for each in inspection.drifts(now, asked)
    )


def _spoken(setting: str, value: object) -> str:
    if setting in SPANS and isinstance(value, int):
        return span_words(timedelta(microseconds=value // 1000)) if value else "without end"
    return "not set" if value is None else json.encode(value).decode()
