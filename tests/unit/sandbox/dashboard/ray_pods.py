"""A cluster with Ray pods on a clock of its own, for tests of dashboards and submitters."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sandbox.cluster import Cluster
from sandbox.controllers.rayrules import RayScript
from sandbox.controllers.scenario import Scenario
from sandbox.dashboard.names import Backend
from sandbox.dashboard.replies import Ask, Reply
from sandbox.objects import Object

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
PORTS = (("gcs", 6379), ("dashboard", 8265), ("serve", 8000))


def ray_pod(
    name: str, kind: str = "head", *, durable: bool = False, containers: Any = (), **env: str
) -> Object:
    """Make a pod as the operator does, as far as Ray's parts care."""
    ports = [{"name": port, "containerPort": number} for port, number in PORTS]
    variables = [{"name": key, "value": value} for key, value in env.items()]
    ray = {"name": f"ray-{kind}", "image": "ray:2.60", "ports": ports, "env": variables}
    return {
        "metadata": {
            "name": name,
            "namespace": "default",
            "labels": {"ray.io/cluster": "first", "ray.io/node-type": kind},
            "annotations": {"ray.io/ft-enabled": "true" if durable else "false"},
        },
        "spec": {"restartPolicy": "Always", "containers": [ray, *containers]},
    }


def head_service() -> Object:
    return {
        "metadata": {"name": "first-head-svc", "namespace": "default"},
        "spec": {
            "clusterIP": "None",
            "selector": {"ray.io/cluster": "first", "ray.io/node-type": "head"},
            "ports": [{"name": name, "port": number} for name, number in PORTS],
        },
    }


class RayCluster:
    """One RayCluster's pods in a sandbox, and the way to ask them."""

    def __init__(self, script: RayScript | None = None, *pods: Object) -> None:
        self.now = NOON
        self.sandbox = Cluster(lambda: self.now)
        self.sandbox.scenario = Scenario(ray=script or RayScript())
        self.sandbox.create("services", head_service())
        for pod in pods or (ray_pod("head"),):
            self.sandbox.create("pods", pod)

    @property
    def fleet(self) -> Any:
        return self.sandbox.controllers.fleet

    def run(self, seconds: float) -> None:
        """Let time pass, with the controllers at work."""
        until = self.now + timedelta(seconds=seconds)
        while True:
            due = self.sandbox.step()
            if due is None or due > until:
                break
            self.now = due
        self.now = until
        self.sandbox.step()

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> Reply:
        """Ask the dashboard as a client with the service's name does."""
        at = self.fleet.find("first-head-svc.default.svc.cluster.local", 8265, "default")
        return self.put(at, Ask(method=method, path=path, body=body, headers=headers))

    def ask_pod(self, pod: str, port: int | str, path: str) -> Reply:
        """Ask any port of a pod."""
        found = self.sandbox.get("pods", "default", pod)
        return self.put(Backend(pod=found, port=port), Ask(method="GET", path=path))

    def put(self, at: Backend | None, ask: Ask) -> Reply:
        assert at is not None
        reply = self.fleet.ask(at, ask, self.now, self.sandbox.scenario.ray)
        assert isinstance(reply, Reply)
        return reply

    def pod(self, name: str) -> Object:
        return self.sandbox.get("pods", "default", name)


def up(script: RayScript | None = None, *pods: Object) -> RayCluster:
    """Start a cluster and wait until it is ready."""
    cluster = RayCluster(script, *pods)
    cluster.run(2)
    return cluster
