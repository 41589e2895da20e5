"""A scripted Ray in the pods of a real control plane: its dashboard, and a submitter Job."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import aiohttp
import pytest
import yaml

from sandbox.controllers.rayrules import JobRule, RayScript
from sandbox.controllers.scenario import Scenario
from sandbox.outside.connection import read_kubeconfig
from sandbox.outside.running import opened_outside
from sandbox.server import system_clock
from tests.support.realkube import RealKube, shared_real_kube
from tests.unit.sandbox.dashboard.ray_pods import head_service, ray_pod
from tests.unit.sandbox.dashboard.test_submitters import checked, job

SCENARIO = Scenario(ray=RayScript(jobs=(JobRule(runs_for=0.5, exit_code=1),)))
Here = tuple[str, str]


@pytest.fixture(scope="session")
def real_kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealKube]:
    with shared_real_kube(tmp_path_factory) as shared:
        yield shared


@pytest.fixture
async def here(real_kube: RealKube) -> AsyncIterator[Here]:
    """A namespace whose pods are looked after, and the door to their network."""
    name = await asyncio.to_thread(real_kube.new_namespace)
    access = read_kubeconfig(real_kube.kubeconfig)
    async with opened_outside(access, system_clock, SCENARIO, namespace=name) as (_, door):
        yield name, door.url


def manifests(namespace: str) -> str:
    address = f"first-head-svc.{namespace}.svc.cluster.local:8265"
    made = [
        {"apiVersion": "v1", "kind": "Service", **head_service()},
        {"apiVersion": "v1", "kind": "Pod", **ray_pod("head")},
        {"apiVersion": "batch/v1", "kind": "Job", **job(checked(address))},
    ]
    for each in made:
        each["metadata"].pop("namespace")
    return yaml.safe_dump_all(made)


async def test_a_job_goes_through_a_submitter_and_shows_in_the_dashboard(
    real_kube: RealKube, here: Here
) -> None:
    namespace, door = here
    given = manifests(namespace)
    await asyncio.to_thread(real_kube.told, "-n", namespace, "create", "-f", "-", given=given)
    await asyncio.to_thread(real_kube.wait, "-n", namespace, "job/rj", "--for=condition=Complete")
    url = f"http://first-head-svc.{namespace}.svc:8265/api/jobs/rj-x2x4z"
    async with aiohttp.ClientSession() as session, session.get(url, proxy=door) as answer:
        shown = await answer.json()

    assert (shown["status"], shown["entrypoint"]) == ("FAILED", "python -c 'print(1)'")
