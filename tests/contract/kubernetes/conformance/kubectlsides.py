"""Two clusters for one script of kubectl, and where they say different things.

A step that hangs on time may differ once: a script is played up to three times, and a step must be
alike in one of them. Read next: kubectl.py.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import yaml

from tests.contract.kubernetes.conformance.definitions import DEFINITIONS
from tests.contract.kubernetes.conformance.kubectl import Step, Told, play
from tests.support.processes import KUBECTL, run

ATTEMPTS = 3
NUMBERS = count(1)


@contextmanager
def opened_sandbox(folder: Path, scenario: Mapping[str, Any]) -> Iterator[Path]:
    """Start a sandbox; return how to reach it."""
    config = folder / "kubeconfig"
    with _running("sandbox", config, _written(folder, scenario)):
        yield config


@contextmanager
def opened_kubelet(config: Path, folder: Path, scenario: Mapping[str, Any]) -> Iterator[None]:
    """Let the sandbox's kubelet look after the pods of a cluster."""
    with _running("sandbox.outside", config, _written(folder, scenario)):
        yield


def differences(
    theirs: Path, ours: Path, home: Path, script: Sequence[Step]
) -> dict[str, tuple[Told, Told]]:
    """Play a script on two clusters; return the steps that are never alike, and what was said."""
    left: dict[str, tuple[Told, Told]] | None = None
    for _ in range(ATTEMPTS):
        played = [play(*_prepared(each, home), script) for each in (theirs, ours)]
        pairs = enumerate(zip(*played, strict=True))
        found = {f"{number}: {one[0]}": (one, two) for number, (one, two) in pairs if one != two}
        left = found if left is None else {step: found[step] for step in left if step in found}
        if not left:
            break
    return left or {}


def _prepared(kubeconfig: Path, home: Path) -> tuple[dict[str, str], str]:
    """Bring the kinds and a namespace; return how kubectl is run, and where."""
    environment = {"KUBECONFIG": str(kubeconfig), "HOME": str(home)}
    namespace = f"kubectl-{os.getpid()}-{next(NUMBERS)}"
    kinds = yaml.safe_dump_all(DEFINITIONS)
    for words, given in (
        (("apply", "--server-side", "--force-conflicts", "-f", "-"), kinds),
        (("wait", "--for=condition=Established", "--timeout=30s", "-f", "-"), kinds),
        (("create", "namespace", namespace), None),
        (("-n", namespace, "create", "serviceaccount", "default"), None),
    ):
        said = run(KUBECTL, *words, environment=environment, given=given)
        assert said.returncode == 0 or "already exists" in said.stderr, said.stderr
    return environment, namespace


def _written(folder: Path, scenario: Mapping[str, Any]) -> Path:
    path = folder / "scenario.yaml"
    path.write_text(yaml.safe_dump(dict(scenario)))
    return path


@contextmanager
def _running(module: str, config: Path, scenario: Path) -> Iterator[None]:
    arguments = ("--kubeconfig", str(config), "--scenario", str(scenario))
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())
        try:
            yield
        finally:
            process.terminate()
