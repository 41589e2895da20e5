"""Bring a server to what `shared.bus.declarations` says, and never take history away by accident.

Asking again changes nothing. A setting that would drop records or copies (a lower age, size, count
or number of replicas) is refused with every such setting named, unless shrinking is allowed.
"""

from collections.abc import Iterator, Mapping
from secrets import token_hex
from typing import Any, Literal

from msgspec import Struct

from shared.bus.connection import Connection
from shared.bus.declarations import LOG, Config, Installation, consumers, streams
from shared.bus.errors import NotThere

INSTALLATION = "heliograph-installation"
LIMITS = ("max_age", "max_bytes", "max_msgs_per_subject", "num_replicas")
_UNLIMITED = float("inf")


class Prepared(Struct, frozen=True):
    """What was done about one stream or consumer."""

    name: str
    done: Literal["created", "updated", "unchanged"]


class Shrink(Struct, frozen=True):
    """One setting that would take something away."""

    stream: str
    setting: str
    now: int
    asked: int


class ShrinkRefusedError(Exception):
    """The asked settings would drop history."""

    def __init__(self, shrinks: tuple[Shrink, ...]) -> None:
        lines = (f"{one.stream}.{one.setting}: {one.now} -> {one.asked}" for one in shrinks)
        super().__init__("would drop history: " + ", ".join(lines))
        self.shrinks = shrinks


class _Info(Struct, frozen=True):
    config: dict[str, Any]


async def init(
    connection: Connection,
    chosen: Installation,
    *,
    installation: str | None = None,
    allow_shrink: bool = False,
) -> tuple[Prepared, ...]:
    """Create or update every stream and consumer; refuse to shrink before touching anything."""
    wanted = {str(one["name"]): one for one in streams(chosen)}
    present = {name: await _config(connection, f"STREAM.INFO.{name}") for name in wanted}
    shrinks = tuple(
        shrink for name, one in wanted.items() for shrink in _shrinks(present[name], one)
    )
    if shrinks and not allow_shrink:
        raise ShrinkRefusedError(shrinks)
    identity = _identity(present) or installation or token_hex(8)
    made = [
        await _prepare_stream(connection, present[name], _completed(one, chosen), identity)
        for name, one in wanted.items()
    ]
    made += [await _prepare_consumer(connection, one) for one in consumers()]
    return tuple(made)


def _completed(config: Config, chosen: Installation) -> Config:
    if config["name"] != LOG or chosen.first_sequence <= 1:
        return config
    return {**config, "first_seq": chosen.first_sequence}


def _identity(present: Mapping[str, Mapping[str, Any] | None]) -> str | None:
    metadata = (config.get("metadata") or {} for config in present.values() if config)
    return next((one[INSTALLATION] for one in metadata if INSTALLATION in one), None)


def _shrinks(now: Mapping[str, Any] | None, asked: Config) -> Iterator[Shrink]:
    for setting in LIMITS if now else ():
        held, wanted = int((now or {}).get(setting, 0)), int(str(asked.get(setting, 0)))
        if _size(wanted) < _size(held):
            yield Shrink(stream=str(asked["name"]), setting=setting, now=held, asked=wanted)


def _size(limit: int) -> float:
    return limit if limit > 0 else _UNLIMITED


async def _prepare_stream(
    connection: Connection, now: Mapping[str, Any] | None, asked: Config, identity: str
) -> Prepared:
    name = str(asked["name"])
    if now is None:
        config = {**asked, "metadata": {INSTALLATION: identity}}
        await connection.api(f"STREAM.CREATE.{name}", config, _Info)
        return Prepared(name, "created")
    asked = {key: value for key, value in asked.items() if key != "first_seq"}
    if agrees(now, asked):
        return Prepared(name, "unchanged")
    await connection.api(f"STREAM.UPDATE.{name}", {**now, **asked}, _Info)
    return Prepared(name, "updated")


async def _prepare_consumer(connection: Connection, asked: Config) -> Prepared:
    name = str(asked["name"])
    now = await _config(connection, f"CONSUMER.INFO.{LOG}.{name}")
    if now is not None and agrees(now, asked):
        return Prepared(name, "unchanged")
    body = {"stream_name": LOG, "config": {**(now or {}), **asked}}
    await connection.api(f"CONSUMER.CREATE.{LOG}.{name}", body, _Info)
    return Prepared(name, "created" if now is None else "updated")


async def _config(connection: Connection, verb: str) -> dict[str, Any] | None:
    try:
        return (await connection.api(verb, None, _Info)).config
    except NotThere:
        return None


def agrees(now: object, asked: object) -> bool:
    """Tell whether everything asked is so; the server adds defaults of its own."""
    if isinstance(asked, Mapping):
        return isinstance(now, Mapping) and all(
            agrees(now.get(key), value) for key, value in asked.items()
        )
    if isinstance(asked, list):
        return isinstance(now, list) and len(now) == len(asked) and all(map(agrees, now, asked))
    return now == asked or (not now and not asked)
