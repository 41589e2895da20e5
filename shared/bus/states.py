"""Which stream this is and where it ends, as its leader says."""

from collections.abc import Mapping

from msgspec import Struct

from shared.bus.connection import Connection
from shared.bus.streams import INSTALLATION
from shared.ports.event_log import LogEnd


class _Config(Struct, frozen=True):
    metadata: Mapping[str, str] | None = None


class _State(Struct, frozen=True):
    first_seq: int
    last_seq: int


class Led(Struct, frozen=True):
    """Who leads a stream or a consumer; a single server has no name of a cluster."""

    name: str = ""
    leader: str = ""


class _Info(Struct, frozen=True):
    config: _Config
    created: str
    state: _State
    cluster: Led | None = None


class Standing(Struct, frozen=True, kw_only=True):
    """Where a stream ends, and the server that knows."""

    end: LogEnd
    leader: str | None
    """None if there is one server only; empty while several choose."""


async def read_standing(connection: Connection, stream: str) -> Standing:
    """Ask for a stream's state; a stream made anew has another identity, whoever made it."""
    info = await connection.api(f"STREAM.INFO.{stream}", None, _Info)
    installation = (info.config.metadata or {}).get(INSTALLATION, "")
    end = LogEnd(
        identity=f"{installation}@{info.created}",
        first=max(1, info.state.first_seq),
        last=info.state.last_seq,
    )
    several = info.cluster if info.cluster and info.cluster.name else None
    return Standing(end=end, leader=several.leader if several else None)


async def read_end(connection: Connection, stream: str) -> LogEnd:
    """Ask where a stream ends."""
    return (await read_standing(connection, stream)).end
