"""A user at a desk: applies RayJobs, looks at them, writes what Ray will do, and waits.

One desk has a namespace of its own. It speaks plain HTTP to the sandbox, so that a look costs
little. What Ray will do is a scenario of the sandbox; desks of one installation share it, and each
adds rules that speak of its own namespace only.
"""

import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from sandbox.outside.connection import read_kubeconfig
from tests.support.fleet import RAY, Json
from tests.support.kubes import Sandboxes, installed
from tests.support.processes import Installation, Process

PATIENCE = 90.0
LOOK_EVERY = 0.15
GROUPS = {"rayjobs": RAY, "raycronjobs": RAY, "rayclusters": RAY, "jobs": "/apis/batch/v1"}
RBAC = "/apis/rbac.authorization.k8s.io/v1"
PLURALS = {
    "RayJob": "rayjobs",
    "RayCronJob": "raycronjobs",
    "RayCluster": "rayclusters",
    "ConfigMap": "configmaps",
    "ServiceAccount": "serviceaccounts",
    "Role": "roles",
    "RoleBinding": "rolebindings",
}
OPERATOR = "operator"
_RULES: dict[str, dict[str, list[Json]]] = {}
"""What was scripted, by sandbox and part of the script."""


class Desk:
    """One user, one namespace."""

    def __init__(self, here: Installation, namespace: str = "") -> None:
        """Sit down in a new namespace, or in that of the installation."""
        self.here = here
        self.namespace = namespace or here.namespace
        self._access = read_kubeconfig(here.kubeconfig)
        self._url = self._access.url
        if namespace:
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
            self.ask("POST", "/api/v1/namespaces", body)

    def ask(self, method: str, path: str, body: object = None, kind: str = "json") -> Json:
        """Ask the API server; an error of it is an error of the test."""
        headers = {"Content-Type": f"application/{kind}"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - loopback
            f"{self._url}{path}", data=data, method=method, headers=headers
        )
        try:
            with urllib.request.urlopen(  # noqa: S310 - loopback
                request, timeout=PATIENCE, context=self._trust
            ) as answer:
                return json.loads(answer.read() or b"{}")  # type: ignore[no-any-return]
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise AssertionError(f"{method} {path}: {refusal.read().decode()}") from refusal

    @cached_property
    def _trust(self) -> ssl.SSLContext | None:
        """Whom to trust and who we are, where the API server wants to know."""
        if not self._url.startswith("https:"):
            return None
        context = ssl.create_default_context(cadata=self._access.authority.decode())
        own = self.here.folder / "user.pem"
        own.touch(mode=0o600)
        own.write_bytes(self._access.certificate + b"\n" + self._access.key)
        context.load_cert_chain(own)
        return context

    def create(self, manifest: Mapping[str, Any]) -> str:
        """Create an object; return its name."""
        path = self._path(PLURALS[manifest["kind"]])
        made = self.ask("POST", path, manifest)
        return str(made["metadata"]["name"])

    def get(self, plural: str, name: str) -> Json | None:
        """Return an object as it stands; None if it is not there."""
        return next((one for one in self.all(plural) if one["metadata"]["name"] == name), None)

    def all(self, plural: str) -> list[Json]:
        """Return every object of a kind."""
        found: list[Json] = self.ask("GET", self._path(plural))["items"]
        return found

    def patch(self, plural: str, name: str, change: Mapping[str, Any]) -> None:
        """Change an object."""
        self.ask("PATCH", f"{self._path(plural)}/{name}", change, "merge-patch+json")

    def delete(self, plural: str, name: str) -> None:
        """Delete an object."""
        self.ask("DELETE", f"{self._path(plural)}/{name}")

    def script(self, part: str, **rule: object) -> None:
        """Say what happens here: to `jobs`, `answers`, `heads` or `pods`; later rules win."""
        parts = _RULES.setdefault(self._url, {})
        parts.setdefault(part, []).insert(0, {"namespace": self.namespace, **rule})
        self._play(parts)

    def forget(self, part: str) -> None:
        """Take back what was said of this namespace."""
        parts = _RULES.setdefault(self._url, {})
        parts[part] = [one for one in parts.get(part, []) if one["namespace"] != self.namespace]
        self._play(parts)

    def _play(self, parts: Mapping[str, list[Json]]) -> None:
        ray = {part: rules for part, rules in parts.items() if part != "pods"}
        self.ask("PUT", "/sandbox/scenario", {"ray": ray, "rules": parts.get("pods", [])})

    def ray(self, cluster: str, method: str, path: str, body: object = None) -> Json:
        """Ask a cluster's dashboard, through the API server."""
        service = f"{cluster}-head-svc:8265"
        return self.ask(method, f"{self._path('services')}/{service}/proxy{path}", body)

    def status(self, name: str, plural: str = "rayjobs") -> Json:
        """Return the status of a resource; empty if it is not there or has none."""
        found: Json = (self.get(plural, name) or {}).get("status", {})
        return found

    def phase(self, name: str) -> str:
        """Return the phase of a RayJob."""
        return str(self.status(name).get("jobDeploymentStatus", ""))

    def until_phase(self, name: str, *phases: str, within: float = PATIENCE) -> Json:
        """Wait until a RayJob is in one of these phases; return its status."""
        self.until(lambda: self.phase(name) in phases, f"{name} is {' or '.join(phases)}", within)
        return self.status(name)

    def until(self, holds: Callable[[], object], wish: str, within: float = PATIENCE) -> None:
        """Wait until something holds; if in vain, say how all jobs stand."""
        deadline = time.monotonic() + within
        while not holds():
            if time.monotonic() > deadline:
                raise AssertionError(
                    f"waited {within:.0f} s in vain until {wish}\n{self.picture()}"
                )
            time.sleep(LOOK_EVERY)

    def picture(self) -> str:
        """Return every RayJob's status and timeline, for a test that failed."""
        lines = []
        for job in self.all("rayjobs"):
            name = job["metadata"]["name"]
            told = self.here.heliograph("timeline", f"rayjob/{self.namespace}/{name}").stdout
            lines.append(f"{name}: {json.dumps(job.get('status', {}))}\n{told}")
        return "\n".join(lines)

    def timeline(self, name: str, kind: str = "rayjob") -> str:
        """Return the history of a resource, as a user reads it."""
        return self.here.heliograph("timeline", f"{kind}/{self.namespace}/{name}").stdout

    def events(self, name: str) -> list[tuple[str, str]]:
        """Return reason and message of every Event about an object."""
        found = self.ask("GET", f"/apis/events.k8s.io/v1/namespaces/{self.namespace}/events")
        return [
            (str(one.get("reason")), str(one.get("note")))
            for one in found["items"]
            if one.get("regarding", {}).get("name") == name
        ]

    def _path(self, plural: str) -> str:
        group = RBAC if plural in {"roles", "rolebindings"} else GROUPS.get(plural, "/api/v1")
        return f"{group}/namespaces/{self.namespace}/{plural}"


@contextmanager
def operated(folder: Path, **environment: str) -> Iterator[Installation]:
    """Run NATS, a sandbox, and all services in one process while the block runs."""
    with installed(folder, Sandboxes()) as here:
        start_operator(here, **environment)
        yield here


def start_operator(here: Installation, **environment: str) -> Process:
    """Start all services in one process, and wait until they can be counted on."""
    process = here.processes.get(OPERATOR)
    if process is None:
        environment = {"HELIOGRAPH_USE_KUBERNETES_PROXY": "true", **environment}
        process = here.start_service(OPERATOR, "all", **environment)
    process.start()
    process.wait_ready()
    return process
