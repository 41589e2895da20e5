"""The node that pods run on: namespaces of its own, a bridge, and one network per pod.

Nothing of it touches the machine's own network. An anchor holds each namespace open and ends when
we do, however that happens; the node's anchor takes every process of every pod with it. Read next:
anchor.py, commands.py.
"""

import asyncio
import socket
import sys
from contextlib import AsyncExitStack
from pathlib import Path

from sandbox.ray import commands
from sandbox.ray.commands import Rights, shell

ANCHOR = str(Path(__file__).with_name("anchor.py"))
NUMBER_SIZE = 16
TAKES = 30.0


class NodeError(RuntimeError):
    """A namespace or network that could not be made."""


class Anchor:
    """The holder of some namespaces, seen from outside."""

    def __init__(self, process: asyncio.subprocess.Process, lead: socket.socket, pid: int) -> None:
        self.pid = pid
        self._process = process
        self._lead = lead

    def socket(self) -> socket.socket:
        """Return a fresh TCP socket that belongs to the network held."""
        self._lead.sendall(b"?")
        _, found, *_ = socket.recv_fds(self._lead, 1, 1)
        if not found:
            raise OSError("the network is gone")
        return socket.socket(fileno=found[0])

    async def end(self) -> None:
        """Let go."""
        self._lead.close()
        await self._process.wait()


async def anchored(words: tuple[str, ...]) -> Anchor:
    """Start an anchor by a command line that makes its namespaces, and wait until it holds them."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=theirs.fileno(),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    ours.setblocking(False)
    try:
        async with asyncio.timeout(TAKES):
            said = await asyncio.get_running_loop().sock_recv(ours, NUMBER_SIZE)
    except TimeoutError as late:
        raise NodeError("an anchor did not come up") from late
    if not said:
        told = await process.stderr.read() if process.stderr else b""
        raise NodeError(f"a namespace cannot be made: {told.decode(errors='replace').strip()}")
    ours.setblocking(True)
    ours.settimeout(TAKES)
    return Anchor(process, ours, int(said))


class Node:
    """One node; `close` ends everything on it."""

    def __init__(self, rights: Rights, anchor: Anchor) -> None:
        self.rights = rights
        self.anchor = anchor

    async def connect(self, address: str) -> Anchor:
        """Make a pod's network, with its address; the pod ends when its anchor does."""
        words = self.rights.new_pod(self.anchor.pid, sys.executable, "-I", ANCHOR)
        on_node = self.rights.on_node
        async with AsyncExitStack() as undoing:
            pod = await anchored(words)
            undoing.push_async_callback(pod.end)
            await run(*on_node(self.anchor.pid, *shell(commands.pod_cable(pod.pid))))
            in_pod = ("nsenter", f"--net=/proc/{pod.pid}/ns/net", "--")
            words = (*in_pod, *shell(commands.pod_network(address)))
            await run(*(words if self.rights.administrator else on_node(self.anchor.pid, *words)))
            undoing.pop_all()
        return pod

    async def close(self) -> None:
        """End every process of every pod, and the networks with them."""
        await self.anchor.end()


async def open_node(rights: Rights) -> Node:
    """Make a node."""
    anchor = await anchored(rights.new_node(sys.executable, "-I", ANCHOR))
    node = Node(rights, anchor)
    await run(*rights.on_node(anchor.pid, *shell(commands.node_network())))
    return node


async def run(*words: str) -> None:
    """Run a command to its end; what it complains of is an error."""
    process = await asyncio.create_subprocess_exec(
        *words,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    _, told = await process.communicate()
    if process.returncode != 0:
        raise NodeError(f"{words[-1].splitlines()[0]}: {told.decode(errors='replace').strip()}")
