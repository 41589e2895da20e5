"""Our custom resource definitions on a real API server, and beside KubeRay's."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from shared.kernel.manifests import Raw, is_raw, mapping_at
from shared.resources.defaulting import stored
from shared.resources.reading import KINDS, read
from tests.support.crd_server import (
    OURS,
    THEIR_GROUP,
    THEIRS,
    Api,
    Refused,
    install_ours,
    installed,
    under_group,
)
from tests.support.processes import wait_until
from tests.support.realkube import RealKube, shared_real_kube
from tools.kubernetes_types import types

SAMPLES = THEIRS.parent / "kuberay-samples"
POD: dict[str, object] = {"spec": {"containers": [{"name": "ray", "image": "ray"}]}}
CLUSTER: dict[str, object] = {"headGroupSpec": {"template": POD}}
SECONDS: dict[str, object] = {"jobStatus": "FAILED", "ttlSeconds": 3}

pytestmark = pytest.mark.timeout(240)


@pytest.fixture(scope="session")
def real_kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealKube]:
    with shared_real_kube(tmp_path_factory) as shared:
        install_ours(shared)
        yield shared


@pytest.fixture
def namespace(real_kube: RealKube) -> str:
    return real_kube.new_namespace()


@pytest.fixture(scope="module")
def judge(real_kube: RealKube) -> Api:
    """For what is only tried: nothing is kept, so that all tests may share it."""
    return Api(real_kube, real_kube.new_namespace())


@pytest.fixture
def api(real_kube: RealKube, namespace: str) -> Api:
    return Api(real_kube, namespace)


def made(kind: str, spec: object, name: str = "demo") -> dict[str, object]:
    return {"apiVersion": "ray.io/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def job(**spec: object) -> dict[str, object]:
    return made("RayJob", {"rayClusterSpec": CLUSTER, **spec})


def deleting(**strategy: object) -> dict[str, object]:
    return job(deletionStrategy=strategy)


def rule(**condition: object) -> dict[str, object]:
    return deleting(deletionRules=[{"policy": "DeleteSelf", "condition": condition}])


def samples() -> list[dict[str, Any]]:
    """Every sample of our kinds, each with a name of its own."""
    found: list[dict[str, Any]] = []
    for path in sorted(SAMPLES.rglob("*.yaml")):
        for raw in yaml.load_all(path.read_text(encoding="utf-8"), yaml.CSafeLoader):
            if raw and raw["kind"] in KINDS:
                metadata = {**raw["metadata"], "name": f"sample-{len(found)}"}
                metadata.pop("namespace", None)
                found.append({**raw, "metadata": metadata})
    return found


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="../shared/data/kuberay-samples is not here")
def test_samples_are_stored_alike_under_ours_and_kuberays(
    real_kube: RealKube, api: Api, tmp_path: Path
) -> None:
    with installed(real_kube, under_group(THEIRS, THEIR_GROUP, tmp_path / "theirs")):
        for raw in samples():
            kind, name = raw["kind"], raw["metadata"]["name"]
            taken = [api.create(raw), api.create(raw, group=THEIR_GROUP)]
            assert [each for each in taken if isinstance(each, Refused)] == [], raw

            ours, theirs = api.found(kind, name), api.found(kind, name, group=THEIR_GROUP)

            assert ours["spec"] == theirs["spec"] == stored(raw)["spec"]
            assert ours["metadata"].get("labels") == theirs["metadata"].get("labels")
            assert not isinstance(read(kind.lower(), ours), tuple)


@pytest.mark.skipif(not THEIRS.is_dir(), reason="../shared/data/kuberay-crds is not here")
def test_ours_take_the_place_of_kuberays_and_leave_objects_alone(
    real_kube: RealKube, api: Api, tmp_path: Path
) -> None:
    group = "replaced.example"
    ours = under_group(OURS, group, tmp_path / "ours", "*rayservices")
    theirs = under_group(THEIRS, group, tmp_path / "theirs", "*rayservices")
    raw = made("RayService", {"rayClusterConfig": CLUSTER, "serveConfigV2": "applications: []"})
    with installed(real_kube, theirs):
        before = api.create(raw, group=group)
        assert not isinstance(before, Refused), before

        real_kube.told("apply", "--server-side", "--force-conflicts", "-f", str(ours))
        real_kube.wait("--for=condition=Established", "-f", str(ours))

        assert is_ours(real_kube, f"rayservices.{group}")
        assert api.found("RayService", "demo", group=group) == before


def is_ours(real_kube: RealKube, name: str) -> bool:
    """Whether the definition in force is ours: KubeRay's describe nothing."""
    versions = real_kube.object("crd", name)["spec"]["versions"]
    return all("description" in each["schema"]["openAPIV3Schema"] for each in versions)


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (made("RayCluster", {}), "spec.headGroupSpec: Required value"),
        (made("RayCluster", {**CLUSTER, "managedBy": "me"}), "the managedBy field value must be"),
        (job(managedBy="me"), "spec.managedBy: Invalid value"),
        (job(preRunningDeadlineSeconds=0), "spec.preRunningDeadlineSeconds: Invalid value"),
        (deleting(onSuccess={}, deletionRules=[]), "cannot be used together within the same"),
        (deleting(onSuccess={}), "requires either BOTH onSuccess and onFailure, OR"),
        (deleting(deletionRules=[]), "spec.deletionStrategy.deletionRules: Invalid value"),
        (rule(**SECONDS, jobDeploymentStatus="Failed"), "cannot be used together within the same"),
        (rule(), "requires either the JobStatus or the JobDeploymentStatus field."),
        (rule(**SECONDS | {"ttlSeconds": -1}), "condition.ttlSeconds: Invalid value"),
        (rule(jobDeploymentStatus="Complete"), 'Unsupported value: "Complete"'),
        (made("RayService", {}), "spec.rayClusterConfig: Required value"),
        (
            made("RayService", {"rayClusterConfig": CLUSTER, "upgradeStrategy": {"types": "x"}}),
            'unknown field "spec.upgradeStrategy.types"',
        ),
        (made("RayCronJob", {"jobTemplate": {}}), "spec.schedule: Required value"),
        (
            made("RayCronJob", {"jobTemplate": {}, "schedule": "@daily", "timeZone": ""}),
            "spec.timeZone: Invalid value",
        ),
    ],
)
def test_refuses_what_kuberays_definitions_refuse(judge: Api, raw: Raw, told: str) -> None:
    refused = judge.create(raw, dry=True)

    assert isinstance(refused, Refused), refused
    assert told in refused.message


@pytest.mark.parametrize(
    ("kind", "spec", "change", "told"),
    [
        (
            "RayCluster",
            {**CLUSTER, "managedBy": "ray.io/kuberay-operator"},
            {"managedBy": "kueue.x-k8s.io/multikueue"},
            "the managedBy field is immutable",
        ),
        (
            "RayJob",
            {
                "rayClusterSpec": {**CLUSTER, "gcsFaultToleranceOptions": {"backend": "redis"}},
            },
            {"rayClusterSpec": {"gcsFaultToleranceOptions": {"backend": "rocksdb"}}},
            "gcsFaultToleranceOptions.backend is immutable",
        ),
    ],
)
def test_keeps_what_must_not_change(
    api: Api, kind: str, spec: object, change: object, told: str
) -> None:
    assert not isinstance(api.create(made(kind, spec)), Refused)

    refused = api.change(kind, "demo", {"spec": change})

    assert isinstance(refused, Refused), refused
    assert told in refused.message


def test_the_old_version_is_served_with_a_warning(
    real_kube: RealKube, api: Api, namespace: str
) -> None:
    head = {"template": POD, "rayStartParams": {}}
    spec = {"entrypoint": "python -V", "rayClusterSpec": {"headGroupSpec": head}}
    old = {**made("RayJob", spec), "apiVersion": "ray.io/v1alpha1"}

    said = real_kube.kubectl("create", "-n", namespace, "-f", "-", given=json.dumps(old))

    assert said.returncode == 0, said.stderr
    assert "Warning: ray.io/v1alpha1 RayJob is deprecated" in said.stderr
    assert api.found("RayJob", "demo")["spec"]["submissionMode"] == "K8sJobMode"
    assert "submissionMode" not in api.found("RayJob", "demo", version="v1alpha1")["spec"]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("raycluster.spec.headGroupSpec.template.spec.containers", "volumeMounts"),
        ("rayjob.spec.rayClusterSpec.workerGroupSpecs", "Wanted replicas, kept within the bounds"),
        ("rayjob.spec.submitterPodTemplate.spec.affinity.nodeAffinity", "preferredDuring"),
        ("rayservice.spec.serveService.spec.ports", "targetPort"),
        ("raycronjob.spec", "Time zone of the schedule, by its IANA name"),
        ("rayservice.status.activeServiceStatus", "Percentage of the traffic that it gets"),
    ],
)
def test_kubectl_explains_every_field(real_kube: RealKube, path: str, told: str) -> None:
    assert told in real_kube.told("explain", path, "--api-version=ray.io/v1")


def test_kubectl_shows_the_columns_that_users_know(
    real_kube: RealKube, api: Api, namespace: str
) -> None:
    api.create(made("RayCronJob", {"schedule": "@daily", "jobTemplate": {}, "suspend": True}))
    api.create(made("RayCluster", CLUSTER))

    def known() -> bool:
        """Let kubectl forget kinds that other tests have taken away meanwhile."""
        real_kube.told("api-resources")
        return real_kube.kubectl("get", "all,raycronjobs", "-n", namespace).returncode == 0

    wait_until(known, "kubectl knows the kinds of now")
    said = real_kube.told("get", "all,raycronjobs", "-n", namespace)
    wide = real_kube.told("get", "rayclusters.ray.io", "-n", namespace, "-o", "wide")

    assert re.search(r"SCHEDULE +TIMEZONE +LAST SCHEDULE +AGE +SUSPEND\n.*@daily.*true", said)
    assert re.search(r"DESIRED WORKERS +AVAILABLE WORKERS +CPUS +MEMORY +GPUS +STATUS +AGE", said)
    assert re.search(r"GPUS +TPUS +STATUS +AGE +HEAD POD IP +HEAD SERVICE IP", wide)


INLINED = {
    *("V1ConfigMapEnvSource", "V1ConfigMapProjection", "V1ConfigMapVolumeSource"),
    *("V1SecretEnvSource", "V1SecretProjection"),
}
"""They hold a reference inside, so KubeRay's definitions have them atomic like the reference."""
NOT_IN_TEMPLATES = {"V1AzureDiskVolumeSource.cachingMode", "V1AzureDiskVolumeSource.kind"}
"""Defaults that KubeRay's definitions do not have."""
OWN_WORDS = {"V1ObjectMeta", "V1Condition"}
SAID = ("type", "format", "x-kubernetes-list-type", "x-kubernetes-list-map-keys")


def test_the_types_of_kubernetes_are_those_of_the_server(real_kube: RealKube) -> None:
    real: dict[str, Any] = {}
    for group in ("api/v1", "apis/networking.k8s.io/v1"):
        told = json.loads(real_kube.told("get", "--raw", f"/openapi/v3/{group}"))
        real |= {
            name.rsplit(".", 1)[-1]: said
            for name, said in told["components"]["schemas"].items()
            if name.startswith("io.k8s.api.") or name.rsplit(".", 1)[-1] not in real
        }

    for name, ours in types().items():
        if name not in OWN_WORDS:
            theirs = real[re.sub("^(Core)?V1", "", name)]
            assert sorted(theirs.get("required", [])) == ours.get("required", []), name
            if name not in INLINED:
                mark = "x-kubernetes-map-type"
                assert theirs.get(mark) == ours.get(mark), name
            assert field_facts(name, theirs) == field_facts(name, ours)


def field_facts(name: str, schema: Raw) -> dict[str, object]:
    """What is said of every field, leaving out references and the zero of what is required."""
    return {
        f"{name}.{key}": {
            "default": _default(f"{name}.{key}", said),
            **{word: said[word] for word in SAID if word in said and _is_plain(said)},
        }
        for key, said in mapping_at(schema, "properties").items()
        if is_raw(said)
    }


def _is_plain(said: Raw) -> bool:
    return said.keys().isdisjoint({"allOf", "$ref", "$type", "anyOf"})


def _default(path: str, said: Raw) -> object:
    default = said.get("default")
    return None if path in NOT_IN_TEMPLATES or default in ("", 0, {}) else default
