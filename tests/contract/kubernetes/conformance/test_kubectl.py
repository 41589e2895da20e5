"""kubectl says the same of the sandbox and of a real control plane, step by step.

A step that hangs on time may differ once: the whole script is played up to three times, and a step
must be alike in one of them.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
import yaml

from tests.contract.kubernetes.conformance.definitions import DEFINITIONS
from tests.contract.kubernetes.conformance.kubectl import Told, play
from tests.support.processes import KUBECTL, run
from tests.support.realkube import RealKube, shared_real_kube

ATTEMPTS = 3
NUMBERS = count(1)


@pytest.fixture(scope="module")
def real_kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealKube]:
    with shared_real_kube(tmp_path_factory) as shared:
        yield shared


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Path]:
    """Start a sandbox without a kubelet, as the real control plane has none."""
    config, scenario = tmp_path / "kubeconfig", tmp_path / "scenario.yaml"
    scenario.write_text(yaml.safe_dump({"kubelet": False}))
    arguments = ("--kubeconfig", str(config), "--scenario", str(scenario))
    command = [sys.executable, "-m", "sandbox", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["url"]
        try:
            yield config
        finally:
            process.terminate()


def prepared(kubeconfig: Path, home: Path) -> tuple[dict[str, str], str]:
    """Bring the kinds and a namespace; return how kubectl is run, and where."""
    environment = {"KUBECONFIG": str(kubeconfig), "HOME": str(home)}
    namespace = f"kubectl-{os.getpid()}-{next(NUMBERS)}"
    kinds = yaml.safe_dump_all(DEFINITIONS)
    for words, given in (
        (("apply", "--server-side", "--force-conflicts", "-f", "-"), kinds),
        (("wait", "--for=condition=Established", "--timeout=30s", "-f", "-"), kinds),
        (("create", "namespace", namespace), None),
    ):
        said = run(KUBECTL, *words, environment=environment, given=given)
        assert said.returncode == 0, said.stderr
    return environment, namespace


def differences(theirs: list[Told], ours: list[Told]) -> dict[str, tuple[Told, Told]]:
    pairs = enumerate(zip(theirs, ours, strict=True))
    return {f"{number}: {one[0]}": (one, other) for number, (one, other) in pairs if one != other}


@pytest.mark.timeout(300)
def test_kubectl_says_the_same_of_both(real_kube: RealKube, sandbox: Path, tmp_path: Path) -> None:
    left: dict[str, tuple[Told, Told]] | None = None
    for _ in range(ATTEMPTS):
        played = [play(*prepared(each, tmp_path)) for each in (real_kube.kubeconfig, sandbox)]
        found = differences(*played)
        left = found if left is None else {step: found[step] for step in left if step in found}
        if not left:
            break

    assert left == {}
