"""KubeRay's kinds and sample manifests, stored alike by both servers; broken ones refused alike.

The kinds are defined under a group of their own, so that this test and others do not meet.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.contract.kubernetes.conformance.calls import Call, Case
from tests.contract.kubernetes.conformance.playing import Server, configured, define, sandboxed
from tests.support.realkube import RealKube, shared_real_kube

DATA = Path(__file__).resolve().parents[4].parent / "shared" / "data"
GROUP = "samples.example.com"
ATTEMPTS = 3
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")


def definitions() -> Iterator[Any]:
    """Read KubeRay's definitions, with another group."""
    for path in sorted((DATA / "kuberay-crds").glob("*.yaml")):
        crd = yaml.load(path.read_text(), Loader=yaml.CSafeLoader)
        spec = {**crd["spec"], "group": GROUP}
        spec["versions"] = sorted(spec["versions"], key=lambda row: not row["storage"])
        name = f"{spec['names']['plural']}.{GROUP}"
        yield {**crd, "metadata": {"name": name}, "spec": spec}


def manifests() -> Iterator[tuple[str, Any]]:
    """Read every Ray object of the samples."""
    for path in sorted((DATA / "kuberay-samples").rglob("*.yaml")):
        for index, obj in enumerate(yaml.load_all(path.read_text(), Loader=yaml.CSafeLoader)):
            if isinstance(obj, dict) and str(obj.get("apiVersion", "")).startswith("ray.io/"):
                version = obj["apiVersion"].partition("/")[2]
                yield f"{path.name}[{index}]", {**obj, "apiVersion": f"{GROUP}/{version}"}


def broken(obj: Any) -> Iterator[tuple[str, Any]]:
    """Make variants of a manifest that no server should take, and some it should warn of."""
    spec = obj["spec"]
    wrong: dict[str, Any] = {
        "no head": {"headGroupSpec": None, "rayClusterSpec": None, "rayClusterConfig": None},
        "a text for a flag": {"suspend": "maybe"},
        "an unknown manager": {"managedBy": "somebody"},
        "a list for an object": {"headGroupSpec": [], "rayClusterSpec": []},
        "groups that are none": {"workerGroupSpecs": [{"groupName": 5, "replicas": "3"}]},
        "an unknown field": {"headGrupSpec": {}},
        "too large a number": {"backoffLimit": 1 << 40},
        "an unknown strategy": {"upgradeStrategy": {"type": "Never"}},
    }
    for name, change in wrong.items():
        yield name, {**obj, "spec": {**spec, **change}}


def cases() -> tuple[Case, ...]:
    rows = list(manifests())
    first = {obj["kind"]: (name, obj) for name, obj in reversed(rows)}
    wrong = [
        (f"{name} with {what}", bad) for name, obj in first.values() for what, bad in broken(obj)
    ]
    return tuple(
        Case(area="sample", name=name, calls=(_created(obj),)) for name, obj in rows + wrong
    )


def _created(obj: Any) -> Call:
    body = {**obj, "metadata": {k: v for k, v in obj["metadata"].items() if k != "namespace"}}
    plural = f"{obj['kind'].lower()}s"
    path = f"/apis/{obj['apiVersion']}/namespaces/$ns/{plural}"
    return Call(method="POST", path=path, body=body)


@pytest.fixture(scope="module")
def real_kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealKube]:
    with shared_real_kube(tmp_path_factory) as shared:
        yield shared


@pytest.mark.timeout(300)
def test_samples_are_stored_and_broken_ones_refused_alike(real_kube: RealKube) -> None:
    assert asyncio.run(_differing(real_kube.kubeconfig)) == {}


async def _differing(kubeconfig: Path) -> dict[str, Any]:
    left = cases()
    assert len(left) > 80
    found: dict[str, Any] = {}
    async with configured(kubeconfig) as real, sandboxed() as ours:
        for server in (real, ours):
            await define(server, definitions())
        for _ in range(ATTEMPTS):
            found = await _compared(real, ours, left)
            left = tuple(case for case in left if case.key in found)
    return found


async def _compared(real: Server, ours: Server, chosen: tuple[Case, ...]) -> dict[str, Any]:
    theirs, mine = await real.play_all(chosen), await ours.play_all(chosen)
    return {key: (theirs[key], mine[key]) for key in theirs if theirs[key] != mine[key]}
