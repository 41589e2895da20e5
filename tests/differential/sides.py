"""The two operators, each on a whole cluster of its own, ready for stories.

On the real control plane the sandbox's kubelet and scripted Ray dashboards are ordinary clients, as
they are in the end-to-end tests. Invariant: never do both operators look after one cluster.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import yaml
from msgspec import Struct

from tests.differential.book import SCENARIO
from tests.differential.gateways import make_kinds
from tests.differential.samples import node_labels
from tests.support.kubes import (
    OURS,
    Choice,
    Kube,
    Sandboxes,
    account_of,
    as_account,
    credentials,
    deploy,
    installed,
    network_of,
)
from tests.support.processes import Installation, answer_of, ending, free_port, wait_until
from tests.support.realkube import RealKube, real_kube_in
from tools.kuberay.assets import Operator, find
from tools.kuberay.flags import GATES, environment, words
from tools.realkube.assets import Missing
from tools.realkube.assets import find as find_programs
from tools.realkube.instances import Instance

KUBERAY = "kuberay"
OPERATOR = "operator"


class NotAtHandError(RuntimeError):
    """Something that has to be built first is not there; the message says what."""


class Side(Struct, frozen=True, kw_only=True):
    """An operator at work: where its cluster is, and what it measures."""

    here: Installation
    scrape: Callable[[], str]


class RealCluster:
    """A whole real control plane; pods come up in every namespace."""

    choice: Choice = "real"

    def __init__(self, real_kube: RealKube) -> None:
        self.real_kube = real_kube

    def begin(self, here: Installation, scenario: Path | None = None) -> None:
        """Make our kinds known, and start a kubelet for all of it."""
        deploy(self.real_kube)
        here.kubeconfig = self.real_kube.kubeconfig
        words_ = ["--kubeconfig", str(here.kubeconfig)]
        words_ += ["--scenario", str(scenario)] if scenario else []
        kubelet = here.add("kubelet", (sys.executable, "-m", "sandbox.outside", *words_), {})
        wait_until(lambda: "\n" in kubelet.said(), "the kubelet looks after the cluster")
        self.real_kube.wait("--for=create", "node/sandbox")
        nodes = [_node(each, called) for each, called in enumerate(node_labels())]
        if nodes:  # none where the samples are not at hand
            self.real_kube.told("apply", "-f", "-", given=yaml.safe_dump_all(nodes))

    def identity(self, here: Installation, services: Iterable[str]) -> Mapping[str, str]:
        """Return the credentials of the one service, or of those together."""
        account = account_of(services)
        own = here.folder / f"{account}.kubeconfig"
        own.write_text(credentials(self.real_kube, account))
        return {"KUBECONFIG": str(own)}


def _node(number: int, labels: dict[str, str]) -> dict[str, object]:
    metadata = {"name": f"for-samples-{number}", "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}


@contextmanager
def heliograph(folder: Path, choice: Choice) -> Iterator[Side]:
    """Run Heliograph, all services in one process."""
    with _kube(folder, choice) as kube, installed(folder, kube, scenario=_scenario(folder)) as here:
        make_kinds(here)
        operator = here.start_service(
            OPERATOR,
            "all",
            HELIOGRAPH_DASHBOARD_PROXY=network_of(here),
            HELIOGRAPH_FEATURE_GATES=",".join(GATES),
        )
        operator.wait_ready()
        yield Side(here=here, scrape=lambda: operator.asked("/metrics")[1])


@contextmanager
def kuberay(folder: Path) -> Iterator[Side]:
    """Run KubeRay on the real control plane, under an account of its own."""
    found = find()
    if not isinstance(found, Operator):
        raise NotAtHandError(found.because)
    with _own_control_plane(folder) as real_kube, ending(folder) as here:
        RealCluster(real_kube).begin(here, _scenario(folder))
        make_kinds(here)
        own = here.folder / f"{KUBERAY}.kubeconfig"
        own.write_text(_account(real_kube))
        metrics, probes = free_port(), free_port()
        flags = words(metrics=metrics, probes=probes)
        told = {**os.environ, **environment(str(own), network_of(here))}
        here.add(KUBERAY, (found.program, *flags), told)
        ready = f"http://127.0.0.1:{probes}/readyz"
        wait_until(lambda: answer_of(ready)[0] == 200, "KubeRay is ready", state=lambda: "")
        yield Side(here=here, scrape=lambda: answer_of(f"http://127.0.0.1:{metrics}/metrics")[1])


def _scenario(folder: Path) -> Path:
    path = folder / "scenario.yaml"
    path.write_text(SCENARIO)
    return path


def _account(real_kube: RealKube) -> str:
    """Make an account for KubeRay that may do everything; return its kubeconfig."""
    real_kube.told("create", "serviceaccount", KUBERAY, "-n", OURS)
    whom = f"--serviceaccount={OURS}:{KUBERAY}"
    real_kube.told("create", "clusterrolebinding", KUBERAY, "--clusterrole=cluster-admin", whom)
    token = real_kube.told("create", "token", KUBERAY, "-n", OURS, "--duration=12h").strip()
    return as_account(real_kube.kubeconfig, KUBERAY, token)


@contextmanager
def _kube(folder: Path, choice: Choice) -> Iterator[Kube]:
    if choice == "sandbox":
        yield Sandboxes()
        return
    with _own_control_plane(folder) as real_kube:
        yield RealCluster(real_kube)


@contextmanager
def _own_control_plane(folder: Path) -> Iterator[RealKube]:
    """Run a control plane that ends with the block."""
    missing = find_programs()
    if isinstance(missing, Missing):
        raise NotAtHandError(missing.because)
    try:
        with real_kube_in(folder / "realkube") as real_kube:
            yield real_kube
    finally:
        instance = Instance(folder / "realkube")
        with instance.alone():
            instance.end()
