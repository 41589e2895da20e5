"""A Kubernetes for an installation, with a namespace of its own: the sandbox or the real thing.

The sandbox is a process of the installation. The real control plane is one for the whole session;
pods in its namespace come up by the sandbox's kubelet, an ordinary client. On both, every process
of the installation runs under the account and with exactly the rights that we deploy. Read next:
`tests/support/realkube.py`.
"""

import json
import sys
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

import pytest
import yaml

from tests.support.processes import (
    HELIOGRAPH,
    PATIENCE,
    Installation,
    ending,
    run,
    wait_until,
)
from tests.support.realkube import RealKube, shared_real_kube

Choice: TypeAlias = Literal["sandbox", "real"]

HOME = Path(__file__).resolve().parents[2]
CRDS = HOME / "deploy" / "crds"
MANIFESTS = HOME / "deploy" / "manifests"
ACCOUNTS = {"Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding"}
OURS = "heliograph"
"""The namespace of our accounts, and how their names begin."""
TOGETHER = "together"
"""The account of a process that runs several services: the rights of each, and no more."""
NAMESPACE = "stage"


class Kube(Protocol):
    """Gives an installation its Kubernetes."""

    choice: Choice

    def begin(self, here: Installation, scenario: Path | None = None) -> None:
        """Make a namespace in which pods come up, as the scenario tells."""

    def identity(self, here: Installation, services: Iterable[str]) -> Mapping[str, str]:
        """Return the environment that tells a process who it is and where it works."""


class Sandboxes:
    """A sandbox for each installation."""

    choice: Choice = "sandbox"
    more: Sequence[str] = ()
    """What else the sandbox is told."""

    def begin(self, here: Installation, scenario: Path | None = None) -> None:
        """Start a sandbox with our kinds."""
        crds = here.folder / "crds"
        crds.mkdir()
        (crds / "ray.yaml").write_text(run(*HELIOGRAPH, "crds").stdout)
        words = ["--kubeconfig", str(here.kubeconfig), "--crds", str(crds)]
        words += [*self.more, *(["--scenario", str(scenario)] if scenario else [])]
        here.add("sandbox", (sys.executable, "-m", "sandbox", *words), {})
        assert here.sandbox_url
        here.namespace = NAMESPACE
        space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": here.namespace}}
        given = f"{accounts()}---\n{yaml.safe_dump(space)}"
        made = here.kubectl("apply", "--server-side", "-f", "-", given=given)
        assert made.returncode == 0, made.stderr

    def identity(self, here: Installation, services: Iterable[str]) -> Mapping[str, str]:
        """Return the credentials of the one service, or of those together."""
        account = account_of(services)
        own = here.folder / f"{account}.kubeconfig"
        if not own.exists():
            own.write_text(as_account(here.kubeconfig, account, self._token(here, account)))
        return {"KUBECONFIG": str(own)}

    def _token(self, here: Installation, account: str) -> str:
        """Ask for a token over HTTP: kubectl would take longer, and needs no test here."""
        path = f"/api/v1/namespaces/{OURS}/serviceaccounts/{OURS}-{account}/token"
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        request = urllib.request.Request(  # noqa: S310 - loopback
            f"{here.sandbox_url}{path}",
            data=json.dumps(asked).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310 - loopback
            token: str = json.load(answer)["status"]["token"]
            return token


class RealNamespaces:
    """A namespace of the shared control plane for each installation."""

    choice: Choice = "real"

    def __init__(self, real_kube: RealKube) -> None:
        self.real_kube = real_kube

    def begin(self, here: Installation, scenario: Path | None = None) -> None:
        """Make a namespace, and start a kubelet for it."""
        deploy(self.real_kube)
        here.kubeconfig = self.real_kube.kubeconfig
        here.namespace = self.real_kube.new_namespace()
        words = ["--namespace", here.namespace, "--kubeconfig", str(here.kubeconfig)]
        words += ["--scenario", str(scenario)] if scenario else []
        kubelet = here.add("kubelet", (sys.executable, "-m", "sandbox.outside", *words), {})
        wait_until(lambda: "\n" in kubelet.said(), "the kubelet looks after the namespace")

    def identity(self, here: Installation, services: Iterable[str]) -> Mapping[str, str]:
        """Return the credentials of the one service, or of those together."""
        account = account_of(services)
        own = here.folder / f"{account}.kubeconfig"
        if not own.exists():
            own.write_text(credentials(self.real_kube, account))
        return {"KUBECONFIG": str(own), "WATCH_NAMESPACE": here.namespace}


@cache
def deploy(real_kube: RealKube) -> None:
    """Make our kinds and accounts known, as they are deployed; once for each test process."""
    real_kube.told("apply", "--server-side", "--force-conflicts", "-f", str(CRDS))
    real_kube.wait("--for=condition=Established", "-f", str(CRDS))
    real_kube.told("apply", "--server-side", "--force-conflicts", "-f", "-", given=accounts())


def accounts() -> str:
    """Return who each service is when it is deployed, what it may, and the account for several."""
    texts = (path.read_text() for path in sorted(MANIFESTS.rglob("*.yaml")))
    objects = [one for text in texts for one in yaml.load_all(text, yaml.CSafeLoader)]
    wanted = [one for one in objects if one["kind"] in ACCOUNTS]
    roles = [one["metadata"]["name"] for one in wanted if one["kind"] == "ClusterRole"]
    wanted += [_account(), *(_binding(role) for role in roles)]
    return yaml.safe_dump_all(sorted(wanted, key=lambda one: one["kind"] != "Namespace"))


def _account() -> dict[str, object]:
    metadata = {"name": f"{OURS}-{TOGETHER}", "namespace": OURS}
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}


def _binding(role: str) -> dict[str, object]:
    group = "rbac.authorization.k8s.io"
    subject = {"kind": "ServiceAccount", "name": f"{OURS}-{TOGETHER}", "namespace": OURS}
    return {
        "apiVersion": f"{group}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": f"{TOGETHER}-{role}"},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": role},
        "subjects": [subject],
    }


@cache
def credentials(real_kube: RealKube, account: str) -> str:
    """Return a kubeconfig for one account of the real control plane."""
    token = real_kube.told("create", "token", f"{OURS}-{account}", "-n", OURS).strip()
    return as_account(real_kube.kubeconfig, account, token)


def account_of(services: Iterable[str]) -> str:
    """Return the account of a process with these services."""
    names = tuple(services)
    return names[0] if len(names) == 1 and names[0] != "all" else TOGETHER


def as_account(administrators: Path, account: str, token: str) -> str:
    """Return a kubeconfig for one account, with no right beside its own."""
    config = yaml.safe_load(administrators.read_text())
    config["users"] = [{"name": account, "user": {"token": token}}]
    for context in config["contexts"]:
        context["context"]["user"] = account
    return json.dumps(config)


def network_of(here: Installation) -> str:
    """Return the proxy that leads to pods, as whoever runs them says."""
    pods = here.processes.get("kubelet") or here.processes["sandbox"]
    wait_until(lambda: "\n" in pods.said(), "pods can be reached")
    return str(json.loads(pods.said().splitlines()[0])["proxy"])


@contextmanager
def chosen_kube(choice: Choice, factory: pytest.TempPathFactory) -> Iterator[Kube]:
    """Give the Kubernetes that was chosen for this session; skip where it is not at hand."""
    if choice == "sandbox":
        yield Sandboxes()
        return
    with shared_real_kube(factory) as real_kube:
        yield RealNamespaces(real_kube)


def _one_server(here: Installation) -> Iterable[str]:
    here.nats.start()
    return ()


@contextmanager
def installed(
    folder: Path,
    kube: Kube,
    counts: Mapping[str, int] | None = None,
    *,
    scenario: Path | None = None,
    prepare: Callable[[Installation], Iterable[str]] = _one_server,
) -> Iterator[Installation]:
    """Run a NATS server with streams, a Kubernetes and so many services while the block runs.

    `prepare` starts what is to be the bus, and returns what `heliograph init` is told.
    """
    with ending(folder) as here:
        here.identity = lambda services: kube.identity(here, services)
        made = here.heliograph("init", *prepare(here))
        assert made.returncode == 0, made.stderr
        kube.begin(here, scenario)
        here.start_services(counts or {})
        yield here
