"""Three NATS servers that keep one log together, each killable."""

from pathlib import Path

from shared.bus.server import NatsServer
from tests.support.processes import Installation, free_port

SIZE = 3


class NatsCluster:
    """The servers; the first is the installation's own, so that readers find it."""

    def __init__(self, folder: Path) -> None:
        routes = [free_port() for _ in range(SIZE)]
        known = ", ".join(f'"nats://127.0.0.1:{port}"' for port in routes)
        self.servers = [
            NatsServer(
                folder / f"nats-{number}",
                port=free_port(),
                sync_interval="always",
                more=(
                    f"server_name: nats-{number}",
                    f"cluster {{ name: heliograph, listen: 127.0.0.1:{port}, routes: [{known}] }}",
                ),
            )
            for number, port in enumerate(routes)
        ]

    @property
    def url(self) -> str:
        """Where clients connect: to any of them."""
        return ",".join(server.url for server in self.servers)

    def begin(self, here: Installation) -> tuple[str, ...]:
        """Start all, as the bus of an installation; return what its streams are made with."""
        here.nats = self.servers[0]
        for server in self.servers:
            server.start()
        here.nats_url = self.url
        return ("--log-replicas", str(SIZE))

    def close(self) -> None:
        """End all that run."""
        for server in self.servers:
            server.kill()
