"""The sandbox's kubelet looks after the pods of a real control plane, as an ordinary client."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import yaml

from sandbox.controllers.scenario import ContainerExit, PodRule, Scenario
from sandbox.outside.connection import read_kubeconfig
from sandbox.outside.running import running_outside
from sandbox.server import system_clock
from tests.support.realkube import RealKube, shared_real_kube

SCENARIO = Scenario(
    rules=(
        PodRule(labels={"job-name": "task"}, exits=(ContainerExit(after=0.1, exit_code=0),)),
        PodRule(name="stuck", unschedulable="0/1 nodes are available: too small."),
    )
)


@pytest.fixture(scope="session")
def real_kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealKube]:
    with shared_real_kube(tmp_path_factory) as shared:
        yield shared


@pytest.fixture
async def namespace(real_kube: RealKube) -> AsyncIterator[str]:
    """A namespace whose pods are looked after."""
    name = await asyncio.to_thread(real_kube.new_namespace)
    access = read_kubeconfig(real_kube.kubeconfig)
    async with running_outside(access, system_clock, SCENARIO, namespace=name):
        yield name


async def kubectl(real_kube: RealKube, namespace: str, *words: str, given: str = "") -> str:
    return await asyncio.to_thread(real_kube.told, "-n", namespace, *words, given=given)


async def wait(real_kube: RealKube, namespace: str, *words: str) -> None:
    await asyncio.to_thread(real_kube.wait, "-n", namespace, *words)


def pod(name: str, **labels: str) -> str:
    manifest: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"containers": [{"name": "ray", "image": "ray"}]},
    }
    return yaml.safe_dump(manifest)


async def test_a_pod_becomes_ready_and_goes_when_deleted(
    real_kube: RealKube, namespace: str
) -> None:
    await kubectl(real_kube, namespace, "create", "-f", "-", given=pod("head"))

    await wait(real_kube, namespace, "--for=condition=Ready", "pod/head")
    await kubectl(real_kube, namespace, "delete", "pod", "head")

    assert (await kubectl(real_kube, namespace, "get", "pods", "-o", "name")) == ""


async def test_a_pod_that_fits_nowhere_says_so(real_kube: RealKube, namespace: str) -> None:
    await kubectl(real_kube, namespace, "create", "-f", "-", given=pod("stuck"))

    told = "jsonpath={.status.conditions[0].message}=" + SCENARIO.rules[1].unschedulable
    await wait(real_kube, namespace, f"--for={told}", "pod/stuck")


async def test_a_job_completes_by_its_real_controller(real_kube: RealKube, namespace: str) -> None:
    await kubectl(real_kube, namespace, "create", "job", "task", "--image=ray")

    await wait(real_kube, namespace, "--for=condition=Complete", "job/task")


async def test_a_service_gets_the_address_of_its_ready_pod(
    real_kube: RealKube, namespace: str
) -> None:
    await kubectl(real_kube, namespace, "create", "-f", "-", given=pod("head", app="head"))
    await kubectl(real_kube, namespace, "create", "service", "clusterip", "head", "--tcp=80")

    ready = "jsonpath={.endpoints[0].conditions.ready}=true"
    named = ("endpointslice", "-l", "kubernetes.io/service-name=head")
    await wait(real_kube, namespace, "--for=create", *named)
    await wait(real_kube, namespace, f"--for={ready}", *named)
