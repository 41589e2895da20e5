"""An operator that acts, and a shadow beside it with a log of its own and the rights we deploy."""

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.jobs.desk import OPERATOR, Desk, start_operator
from tests.support.kubes import MANIFESTS, OURS, Sandboxes, as_account, installed
from tests.support.noting import Door, noting
from tests.support.processes import (
    HELIOGRAPH,
    Installation,
    Process,
    Said,
    ending,
    free_port,
    run,
    wait_until,
)

SHADOW = "shadow"
WITHIN = "8s"
CHANGED = """
import sys
from services.reconciler.decisions.raycluster import decide as rules, unhealthy
others = tuple(one for one in rules.PODS if one.__module__ != unhealthy.__name__)
assert len(others) == len(rules.PODS) - 1
rules.PODS = others
from heliograph.cli.app import main
sys.exit(main(sys.argv[1:]))
"""
"""An operator that leaves pods alone which cannot recover."""


class Beside:
    """The acting installation, the shadow's, and the door through which the shadow sees."""

    def __init__(self, here: Installation, there: Installation, door: Door) -> None:
        self.here = here
        self.there = there
        self.door = door

    def parity(self, *arguments: str) -> Said:
        """Ask how the two compare."""
        return self.there.heliograph("parity", "--within", WITHIN, *arguments)

    def told(self, *arguments: str) -> dict[str, Any]:
        """Return how the two compare, once nothing is too fresh to tell."""
        found: dict[str, Any] = {}

        def settled() -> bool:
            said = self.parity("-o", "json", *arguments)
            assert said.returncode in (0, 1, 2), said.stderr
            found.update(json.loads(said.stdout))
            return bool(found["percent"] is not None and not found["undecided"])

        wait_until(settled, "everything is old enough to be compared")
        return found


@contextmanager
def shadowed(folder: Path, *, changed: bool = False) -> Iterator[Beside]:
    """Run both on one sandbox; `changed` gives the acting one other rules."""
    with (
        installed(folder, Sandboxes()) as here,
        ending(folder / SHADOW) as there,
        noting(here.sandbox_url) as door,
    ):
        _start_shadow(here, there, door)
        if changed:
            start_changed(here)
        else:
            start_operator(here)
        yield Beside(here, there, door)


def start_changed(here: Installation) -> Process:
    """Start an operator with one rule left out."""
    script = here.folder / "changed.py"
    script.write_text(CHANGED)
    environment = {
        **here.environment,
        **here.identity(("all",)),
        "HELIOGRAPH_MEMBER_ID": OPERATOR,
        "HELIOGRAPH_HTTP_PORT": str(free_port()),
        "HELIOGRAPH_USE_KUBERNETES_PROXY": "true",
    }
    process = here.add(OPERATOR, (sys.executable, str(script), "run", "all"), environment)
    process.wait_ready()
    return process


def _start_shadow(here: Installation, there: Installation, door: Door) -> None:
    there.folder.mkdir()
    there.nats.start()
    made = there.heliograph("init")
    assert made.returncode == 0, made.stderr
    there.kubeconfig.write_text(_onlooker(here, door))
    environment = {"HELIOGRAPH_USE_KUBERNETES_PROXY": "true"}
    own = {"HELIOGRAPH_MEMBER_ID": SHADOW, "HELIOGRAPH_HTTP_PORT": str(free_port())}
    there.add(
        SHADOW,
        (*HELIOGRAPH, "run", "all", "--shadow"),
        {**there.environment, **environment, **own},
    ).wait_ready()


def _onlooker(here: Installation, door: Door) -> str:
    """Return a kubeconfig with the rights of a shadow, through the door."""
    given = yaml.safe_dump_all(_rights(here.folder / "manifests"))
    made = here.kubectl("apply", "--server-side", "-f", "-", given=given)
    assert made.returncode == 0, made.stderr
    path = f"/api/v1/namespaces/{OURS}/serviceaccounts/{OURS}-{SHADOW}/token"
    asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = Desk(here).ask("POST", path, asked)["status"]["token"]
    config = yaml.safe_load(as_account(here.kubeconfig, SHADOW, token))
    config["clusters"][0]["cluster"] = {"server": door.url}
    return json.dumps(config)


def _rights(folder: Path) -> list[dict[str, Any]]:
    """Render what we deploy with the component, and give all of its roles to one account."""
    shutil.copytree(MANIFESTS, folder)
    whole = folder / "kustomization.yaml"
    page = yaml.safe_load(whole.read_text())
    whole.write_text(yaml.safe_dump({**page, "components": [SHADOW]}))
    rendered = run("kubectl", "kustomize", str(folder))
    assert rendered.returncode == 0, rendered.stderr
    objects = [one for one in yaml.safe_load_all(rendered.stdout) if one["kind"] == "ClusterRole"]
    account = {"name": f"{OURS}-{SHADOW}", "namespace": OURS}
    found: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": account}
    ]
    for role in objects:
        name = f"{SHADOW}-{role['metadata']['name']}"
        found.append({**role, "metadata": {"name": name}})
        found.append(_binding(name, account))
    return found


def _binding(role: str, account: dict[str, str]) -> dict[str, Any]:
    group = "rbac.authorization.k8s.io"
    return {
        "apiVersion": f"{group}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": role},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": role},
        "subjects": [{"kind": "ServiceAccount", **account}],
    }
