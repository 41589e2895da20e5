"""The command lines that make and enter namespaces. Pure.

An administrator needs no namespace of users, and everybody else gets one in which he is root; both
ways end in the same place. Numbers of processes are the machine's. Read next: node.py.
"""

from collections.abc import Sequence

from msgspec import Struct

from sandbox.addresses import RANGE

BRIDGE_ADDRESS = "10.191.255.254"
PREFIX = 10
"""All pods live in 10.128.0.0/10: see `sandbox.controllers.addresses`."""


class Rights(Struct, frozen=True, kw_only=True):
    """Who we are."""

    administrator: bool

    def new_node(self, *words: str) -> tuple[str, ...]:
        """Run something as the first process of a node: own processes, own network."""
        user = () if self.administrator else ("--user", "--map-root-user")
        return ("unshare", *user, "--net", "--pid", "--fork", "--", *words)

    def on_node(self, node: int, *words: str) -> tuple[str, ...]:
        """Run something in the network of the node."""
        return ("nsenter", *self._user(node), f"--net=/proc/{node}/ns/net", "--", *words)

    def new_pod(self, node: int, *words: str) -> tuple[str, ...]:
        """Run something on the node in a network of its own."""
        inside = (*self._user(node), f"--pid=/proc/{node}/ns/pid")
        return ("nsenter", *inside, "--", "unshare", "--net", "--", *words)

    def new_container(self, node: int, pod: int, *words: str) -> tuple[str, ...]:
        """Run something in the network of a pod, with processes and mounts of its own."""
        inside = (*self._user(node), f"--pid=/proc/{node}/ns/pid", f"--net=/proc/{pod}/ns/net")
        own = ("--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child")
        return ("nsenter", *inside, "--", "unshare", *own, "--", *words)

    def in_container(self, process: int, folder: str, *words: str) -> tuple[str, ...]:
        """Run something beside the first process of a container."""
        user = () if self.administrator else ("--user",)
        inside = ("--mount", "--uts", "--ipc", "--net", "--pid", "--root")
        chdir = ("env", f"--chdir={folder}")
        return ("nsenter", "--target", str(process), *user, *inside, "--", *chdir, *words)

    def _user(self, node: int) -> tuple[str, ...]:
        return () if self.administrator else (f"--user=/proc/{node}/ns/user",)


def node_network() -> str:
    """Write the commands that make a node's bridge; what would leave the node is refused at once.

    A way out that swallowed packets would make every program wait for its own limit. The addresses
    of services are the node's own: serviceproxy.py holds those open that lead somewhere.
    """
    return "\n".join(
        (
            "ip link set lo up",
            "ip link add br0 type bridge",
            f"ip addr add {BRIDGE_ADDRESS}/{PREFIX} dev br0",
            "ip link set br0 up",
            "ip route add unreachable default",
            f"ip route add local {RANGE} dev lo",
            "echo 1 > /proc/sys/net/ipv4/ip_forward",
        )
    )


def pod_cable(pod: int) -> str:
    """Write the commands that connect a pod to the bridge."""
    return "\n".join(
        (
            f"ip link add v{pod} type veth peer name eth0 netns {pod}",
            f"ip link set v{pod} master br0",
            f"ip link set v{pod} up",
        )
    )


def pod_network(address: str) -> str:
    """Write the commands that give a pod its address."""
    return "\n".join(
        (
            "ip link set lo up",
            f"ip addr add {address}/{PREFIX} dev eth0",
            "ip link set eth0 up",
            f"ip route add default via {BRIDGE_ADDRESS}",
        )
    )


def shell(script: str) -> Sequence[str]:
    """Run commands one after another, to the first that fails."""
    return ("sh", "-ec", script)
