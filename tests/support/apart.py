"""Three NATS servers, each on a network of its own, so that the network between them can be cut.

The servers stand where the sandbox's pods would: on a bridge that is in no network of the machine's
(`sandbox/ray/node.py`). Clients reach each over a port of the loopback address and a socket that
was made at the bridge. A cut is silent: nothing is refused and nothing is closed, packets are gone.
"""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from sandbox.ray.commands import shell
from sandbox.ray.node import Anchor, Node, NodeError, open_node, run
from sandbox.ray.permission import rights
from shared.bus.server import NatsServer
from tests.support.backstage import Backstage, backstage
from tests.support.cables import Cable, Ends
from tests.support.natscluster import SIZE, NatsCluster, membership

ADDRESSES = tuple(f"10.128.0.{number + 1}" for number in range(SIZE))
CLIENTS, ROUTES = 4222, 6222
HEARD_WITHIN = 1.0


class Housed(NatsServer):
    """A server in a network of its own, and the cable to it."""

    def __init__(self, folder: Path, number: int, home: Anchor, stage: "Stage") -> None:
        routes = [f"{address}:{ROUTES}" for address in ADDRESSES]
        more = membership(number, routes)
        super().__init__(folder, port=CLIENTS, sync_interval="always", more=more)
        self.host = ADDRESSES[number]
        self.home = home
        self._stage = stage
        self._cable = Cable(stage.back, lambda: stage.reach(self.host))
        self._cable.plug()

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"nats://127.0.0.1:{self._cable.port}"

    def close(self) -> None:
        """End it, and its cable."""
        self.kill()
        self._cable.pull()

    def _command(self, config: Path) -> tuple[str, ...]:
        return self._stage.inside(self.home, *super()._command(config))


class Stage:
    """The bridge, and the ways into every network on it."""

    def __init__(self, back: Backstage, node: Node) -> None:
        self.back = back
        self._node = node

    def inside(self, home: Anchor, *words: str) -> tuple[str, ...]:
        """Return how something is run in the network of a server."""
        there = ("nsenter", f"--net=/proc/{home.pid}/ns/net", "--", *words)
        return self._node.rights.on_node(self._node.anchor.pid, *there)

    async def reach(self, host: str) -> Ends:
        """Connect from the bridge to a server."""
        made = self._node.anchor.socket()
        made.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(made, (host, CLIENTS))
        except OSError:
            made.close()
            raise
        return await asyncio.open_connection(sock=made)

    def link(self, home: Anchor, state: str) -> None:
        """Set the link of a server `up` or `down`."""
        words = shell(f"ip link set v{home.pid} {state}")
        self.back.do(run(*self._node.rights.on_node(self._node.anchor.pid, *words)))

    def connects(self, home: Anchor, host: str) -> bool:
        """Tell whether a server can open a connection to another."""
        asked = f"import socket; socket.create_connection(('{host}', {ROUTES}), {HEARD_WITHIN})"
        try:
            self.back.do(run(*self.inside(home, sys.executable, "-I", "-c", asked)))
        except NodeError:
            return False
        return True

    def peers(self, home: Anchor, verb: str, *others: str) -> None:
        """Let packets to other servers vanish (`add`), or go their way (`del`)."""
        words = shell("\n".join(f"ip route {verb} blackhole {other}" for other in others))
        self.back.do(run(*self.inside(home, *words)))


class Apart(NatsCluster):
    """The servers, and the network between them."""

    def __init__(self, stage: Stage, servers: list[Housed]) -> None:
        super().__init__(servers)
        self._stage = stage
        self._housed = servers

    def cut_off(self, server: NatsServer) -> None:
        """Let nobody reach a server, and let it reach nobody."""
        self._stage.link(self._house(server).home, "down")

    def cut_from_peers(self, server: NatsServer) -> None:
        """Let a server and the others lose each other, while clients reach all."""
        self._part(self._house(server), "add")

    def cut_everybody(self) -> None:
        """Let every server lose every other, while clients reach all."""
        self.cut_from_peers(self._housed[0])
        first, second = self._housed[1:]
        self._stage.peers(first.home, "add", second.host)
        self._stage.peers(second.home, "add", first.host)

    def mend(self) -> None:
        """Let everybody reach everybody."""
        for each in self._housed:
            self._stage.link(each.home, "up")
            for other in self._housed:
                if other is not each:
                    with suppress(NodeError):
                        self._stage.peers(each.home, "del", other.host)

    def reaches(self, server: NatsServer, other: NatsServer) -> bool:
        """Tell whether packets of a server reach another, and come back."""
        return self._stage.connects(self._house(server).home, other.host)

    def close(self) -> None:
        """End all that run."""
        for each in self._housed:
            each.close()

    def _part(self, alone: Housed, verb: str) -> None:
        others = [each for each in self._housed if each is not alone]
        self._stage.peers(alone.home, verb, *(other.host for other in others))
        for other in others:
            self._stage.peers(other.home, verb, alone.host)

    def _house(self, server: NatsServer) -> Housed:
        [found] = (each for each in self._housed if each is server)
        return found


@contextmanager
def apart(folder: Path) -> Iterator[Apart]:
    """Give each server a network; everything is ended after the block."""
    with backstage() as back, ExitStack() as undoing:
        node = back.do(open_node(rights()))
        undoing.callback(lambda: back.do(node.close()))
        stage, servers = Stage(back, node), list[Housed]()
        for number, address in enumerate(ADDRESSES):
            home = back.do(node.connect(address))
            undoing.callback(_end, back, home)
            servers.append(Housed(folder / f"nats-{number}", number, home, stage))
        cluster = Apart(stage, servers)
        undoing.callback(cluster.close)
        yield cluster


def _end(back: Backstage, home: Anchor) -> None:
    back.do(home.end())
