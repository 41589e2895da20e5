"""A sandbox, spoiled in one way after another, and what is found out about it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import yaml
from msgspec.structs import replace

from heliograph.assembly.doctor.cluster import ClusterDoctor
from heliograph.views.doctor.checks import Check, Mark
from heliograph.views.doctor.facts import Cluster, Unknown
from heliograph.views.doctor.judging import judged
from sandbox.kubeconfig import write_kubeconfig
from sandbox.server import RunningSandbox, serve
from shared.kernel.instants import print_precisely
from shared.kernel.manifests import thawed
from shared.kube.credentials import Source
from shared.kube.session import Call, Session, connect
from shared.resources.crd import definitions
from shared.runtime.clock import SystemClock
from tests.support.examinations import HEALTHY

DEPLOY = Path(__file__).parents[5] / "deploy" / "manifests"
SERVICES = ("watcher", "executor", "status")
PATHS = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": "/api/v1/namespaces/{0}/serviceaccounts",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
    "Lease": "/apis/coordination.k8s.io/v1/namespaces/{0}/leases",
    "EndpointSlice": "/apis/discovery.k8s.io/v1/namespaces/{0}/endpointslices",
    "CustomResourceDefinition": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    "Deployment": "/apis/apps/v1/namespaces/{0}/deployments",
    "ValidatingWebhookConfiguration": (
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    ),
}


@asynccontextmanager
async def sandbox(folder: Path, crds: list[Any] | None = None) -> AsyncIterator[Session]:
    ours = [thawed(one) for one in definitions()] if crds is None else crds
    running: RunningSandbox = await serve(0, crds=ours)
    write_kubeconfig(folder / "admin", running.url)
    try:
        async with await connect(Source(kubeconfig=str(folder / "admin"))) as session:
            yield session
    finally:
        await running.close()


async def make(session: Session, *objects: dict[str, Any]) -> None:
    for one in objects:
        path = PATHS[one["kind"]].format(one["metadata"].get("namespace", ""))
        await session.write(Call(method="POST", path=path, body=one))


async def deploy(session: Session, *services: str) -> None:
    """Make the accounts of all services and the roles of some, as we deploy them."""
    await make(session, {"kind": "Namespace", "metadata": {"name": "heliograph"}})
    for service in SERVICES:
        files = ["service-account", *(["cluster-role"] if service in services else [])]
        for file in files:
            text = (DEPLOY / service / f"{file}.yaml").read_text()
            await make(session, *yaml.load_all(text, yaml.CSafeLoader))


async def examined(session: Session, *watched: str) -> Cluster:
    return await ClusterDoctor(session, "heliograph", watched, 20.0).whole(SystemClock().now())


def told(cluster: Cluster, area: str) -> list[Check]:
    found = judged(replace(HEALTHY, cluster=cluster)).checks
    return [one for one in found if one.area == area]


async def test_a_cluster_with_our_kinds_and_accounts_is_well(tmp_path: Path) -> None:
    async with sandbox(tmp_path) as session:
        await deploy(session, *SERVICES)
        cluster = await examined(session)

    found = judged(replace(HEALTHY, cluster=cluster))
    assert {one.mark for one in found.checks} == {Mark.WELL}, found
    assert [one.what for one in told(cluster, "permissions")] == list(SERVICES)


async def test_an_account_without_its_role_lacks_every_right(tmp_path: Path) -> None:
    async with sandbox(tmp_path) as session:
        await deploy(session, "watcher", "executor")
        cluster = await examined(session)

    wrong = [one for one in told(cluster, "permissions") if one.mark is Mark.WRONG]
    assert [one.what for one in wrong] == ["status"]
    assert "patch rayclusters/status.ray.io" in wrong[0].says


async def test_a_role_for_one_namespace_is_enough_where_only_that_is_watched(
    tmp_path: Path,
) -> None:
    async with sandbox(tmp_path) as session:
        await deploy(session, *SERVICES)
        await _narrow(session, "heliograph-status")
        everywhere = await examined(session)
        there = await examined(session, "default")

    assert told(everywhere, "permissions")[2].mark is Mark.WRONG
    assert told(there, "permissions")[2].mark is Mark.WELL


async def _narrow(session: Session, name: str) -> None:
    """Bind a role in one namespace instead of everywhere."""
    group = "/apis/rbac.authorization.k8s.io/v1"
    path = f"{group}/clusterrolebindings/{name}"
    binding = json.loads(await session.read(Call(method="GET", path=path)))
    await session.write(Call(method="DELETE", path=path))
    body = {
        "kind": "RoleBinding",
        "metadata": {"name": name, "namespace": "default"},
        "roleRef": binding["roleRef"],
        "subjects": binding["subjects"],
    }
    await session.write(
        Call(method="POST", path=f"{group}/namespaces/default/rolebindings", body=body)
    )


async def test_without_accounts_whoever_asks_is_asked_about(tmp_path: Path) -> None:
    async with sandbox(tmp_path) as session:
        cluster = await examined(session)

    (only,) = told(cluster, "permissions")
    assert (only.what, only.mark) == ("watcher, executor, status", Mark.WELL)


async def test_who_may_not_ask_is_told_that_nobody_could_tell(tmp_path: Path) -> None:
    async with sandbox(tmp_path) as session:
        await deploy(session, *SERVICES)
        path = "/api/v1/namespaces/heliograph/serviceaccounts/heliograph-status/token"
        body = {"kind": "TokenRequest", "spec": {}}
        said = json.loads(await session.read(Call(method="POST", path=path, body=body)))
        write_kubeconfig(tmp_path / "poor", session.host, token=said["status"]["token"])
        async with await connect(Source(kubeconfig=str(tmp_path / "poor"))) as poor:
            cluster = await examined(poor)

    assert isinstance(cluster.holders, Unknown)
    for area in ("definitions", "permissions", "neighbours"):
        assert {one.mark for one in told(cluster, area)} == {Mark.UNKNOWN}
    assert "forbidden" in told(cluster, "permissions")[0].says


async def test_definitions_that_are_missing_or_older_are_told(tmp_path: Path) -> None:
    cluster_crd, job_crd, *_ = [thawed(one) for one in definitions()]
    version: Any = cluster_crd["spec"]["versions"][0]  # type: ignore[index] # a definition of ours
    del version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["networkPolicy"]
    async with sandbox(tmp_path, [cluster_crd, job_crd]) as session:
        found = told(await examined(session), "definitions")

    assert [(one.what, one.mark) for one in found] == [
        ("rayclusters.ray.io", Mark.WARNING),
        ("rayjobs.ray.io", Mark.WELL),
        ("rayservices.ray.io", Mark.WARNING),
        ("raycronjobs.ray.io", Mark.WARNING),
    ]
    assert "it lacks spec.networkPolicy" in found[0].says
    assert found[2].says == "is not installed"


async def test_another_operator_is_known_by_its_lease_while_that_is_fresh(tmp_path: Path) -> None:
    now = SystemClock().now()
    async with sandbox(tmp_path) as session:
        await make(session, _lease("default", print_precisely(now - timedelta(hours=1))))
        stale = told(await examined(session), "neighbours")
        await make(session, {"kind": "Namespace", "metadata": {"name": "ray-system"}})
        await make(session, _lease("ray-system", print_precisely(now)))
        fresh = told(await examined(session), "neighbours")

    assert [one.mark for one in stale] == [Mark.WELL]
    assert [one.mark for one in fresh] == [Mark.WRONG]
    assert "is held by kuberay-operator-1" in fresh[0].says
    assert "-n ray-system" in fresh[0].todo[0]


def _lease(namespace: str, renewed: str) -> dict[str, Any]:
    return {
        "kind": "Lease",
        "metadata": {"name": "ray-operator-leader", "namespace": namespace},
        "spec": {"holderIdentity": "kuberay-operator-1", "renewTime": renewed},
    }


def served(kind: str, group: str, scope: str) -> dict[str, Any]:
    """Return a definition with which the sandbox serves a kind that it does not imitate."""
    free = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": free}}
    names = {"kind": kind, "plural": f"{kind.lower()}s", "singular": kind.lower()}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names['plural']}.{group}"},
        "spec": {"group": group, "names": names, "scope": scope, "versions": [version]},
    }


async def test_another_operator_is_known_by_its_image_and_our_own_by_their_label(
    tmp_path: Path,
) -> None:
    image = "quay.io/kuberay/operator:v1.7.0"
    labels = {"app.kubernetes.io/part-of": "heliograph"}
    async with sandbox(tmp_path) as session:
        await deploy(session, *SERVICES)
        await make(session, served("Deployment", "apps", "Namespaced"))
        await make(session, _deployment("default", "kuberay-operator", image, ready=1))
        await make(session, _deployment("default", "resting", image, ready=0))
        ours = _deployment("heliograph", "heliograph-status", "heliograph", ready=1)
        await make(session, {**ours, "metadata": {**ours["metadata"], "labels": labels}})
        cluster = await examined(session)

    (other,) = told(cluster, "neighbours")
    assert other.mark is Mark.WRONG
    assert f"deployment kuberay-operator runs {image}" in other.says
    assert [one.says for one in told(cluster, "Kubernetes")][1:] == [
        "heliograph/heliograph-status has 1 of 2 pods"
    ]


def _deployment(namespace: str, name: str, image: str, *, ready: int) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"replicas": 2, "template": {"spec": {"containers": [{"image": image}]}}},
        "status": {"readyReplicas": ready, "availableReplicas": ready},
    }


async def test_a_webhook_for_our_kinds_is_told_by_who_answers_for_it(tmp_path: Path) -> None:
    group = "admissionregistration.k8s.io"
    async with sandbox(tmp_path) as session:
        await make(session, served("ValidatingWebhookConfiguration", group, "Cluster"))
        await make(session, _hook("ours", "ray.io"), _hook("other", "apps"))
        before = told(await examined(session), "neighbours")
        await make(session, SLICE)
        after = told(await examined(session), "neighbours")

    assert [(one.what, one.mark) for one in before[1:]] == [("webhook ours", Mark.WRONG)]
    assert [(one.what, one.mark) for one in after[1:]] == [("webhook ours", Mark.WELL)]


SLICE = {
    "kind": "EndpointSlice",
    "addressType": "IPv4",
    "metadata": {
        "name": "hook-1",
        "namespace": "default",
        "labels": {"kubernetes.io/service-name": "hook"},
    },
    "endpoints": [{"addresses": ["10.0.0.9"], "conditions": {"ready": True}}],
}


def _hook(name: str, group: str) -> dict[str, Any]:
    hook = {
        "name": f"{name}.heliograph.dev",
        "failurePolicy": "Fail",
        "clientConfig": {"service": {"namespace": "default", "name": "hook"}},
        "rules": [{"apiGroups": [group], "resources": ["*"]}],
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [hook],
    }


async def test_an_api_server_that_is_gone_is_asked_nothing_more(tmp_path: Path) -> None:
    async with sandbox(tmp_path) as session:
        write_kubeconfig(tmp_path / "gone", "http://127.0.0.1:1")
        async with await connect(Source(kubeconfig=str(tmp_path / "gone"))) as gone:
            cluster = await examined(gone)
        assert session.host

    assert isinstance(cluster.version, Unknown)
    assert cluster.definitions == {}
