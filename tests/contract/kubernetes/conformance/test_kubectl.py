"""kubectl says the same of the sandbox and of a real control plane, step by step."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.kubernetes.conformance.kubectl import SCRIPT
from tests.contract.kubernetes.conformance.kubectlsides import differences, opened_sandbox
from tests.support.realkube import RealKube, shared_real_kube


@pytest.fixture(scope="module")
def real_kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealKube]:
    with shared_real_kube(tmp_path_factory) as shared:
        yield shared


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Path]:
    """Start a sandbox without a kubelet, as the real control plane has none."""
    with opened_sandbox(tmp_path, {"kubelet": False}) as config:
        yield config


@pytest.mark.timeout(300)
def test_kubectl_says_the_same_of_both(real_kube: RealKube, sandbox: Path, tmp_path: Path) -> None:
    assert differences(real_kube.kubeconfig, sandbox, tmp_path, SCRIPT) == {}
