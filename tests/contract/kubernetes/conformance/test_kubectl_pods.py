"""kubectl says the same of pods on both: waiting, describing, logs that are followed, deletion.

The control plane is the test's own: a node has one kubelet, and on the shared one others come and
go, so that its logs would be asked of them.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.kubernetes.conformance.kubectlpods import SCENARIO, SCRIPT
from tests.contract.kubernetes.conformance.kubectlsides import (
    differences,
    opened_kubelet,
    opened_sandbox,
)
from tests.support.realkube import real_kube_in, skip_without_programs


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Path]:
    """A control plane whose pods are looked after."""
    skip_without_programs()
    with (
        real_kube_in(tmp_path / "realkube") as real_kube,
        opened_kubelet(real_kube.kubeconfig, tmp_path, SCENARIO),
    ):
        yield real_kube.kubeconfig


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Path]:
    with opened_sandbox(tmp_path, SCENARIO) as config:
        yield config


@pytest.mark.timeout(400)
def test_kubectl_says_the_same_of_pods_on_both(real: Path, sandbox: Path, tmp_path: Path) -> None:
    assert differences(real, sandbox, tmp_path, SCRIPT) == {}
