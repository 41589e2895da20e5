"""Values for tests of RayServices: a RayService `fruit` and everything that belongs to it."""

from msgspec.structs import replace

from shared.aggregates.rayservice import FINALIZER
from shared.events.objects import ChildSeen, Meta, Owner, ResourceSeen, ServiceSeen
from shared.kernel.keys import ResourceKey
from shared.kernel.manifests import texts_at
from tests.support.builders import NOON, Raw, cluster_spec, group

KEY = ResourceKey(kind="rayservice", namespace="prod", name="fruit")
UID = "5f0c7f0e-0003-4000-8000-000000000001"
OWNER = Owner(kind="RayService", name=KEY.name, uid=UID, controller=True)
HEAD_SVC, SERVE_SVC = "fruit-head-svc", "fruit-serve-svc"
STAND = "applications:\n- name: stand\n  import_path: fruit.stand\n"
MARKET = "applications:\n- name: market\n  import_path: fruit.market\n"


def service_spec(config: str = STAND, **more: object) -> Raw:
    """What a user writes: an application, and a cluster of a head and one worker."""
    spec: Raw = {
        "serveConfigV2": config,
        "rayClusterConfig": cluster_spec(group("small", 1)),
        **more,
    }
    return {key: value for key, value in spec.items() if value is not None}


def other_version(version: str = "2.47.0", *groups: Raw) -> Raw:
    """The same cluster with another version of Ray."""
    return cluster_spec(*(groups or (group("small", 1),)), rayVersion=version)


def rayservice(spec: Raw, *, version: int = 1, finalized: bool = False) -> ResourceSeen:
    """The RayService as seen."""
    return ResourceSeen(
        meta=Meta(
            name=KEY.name,
            namespace=KEY.namespace,
            uid=UID,
            resource_version=version,
            generation=1,
            created_at=NOON,
            finalizers=(FINALIZER,) if finalized else (),
        ),
        api_version="ray.io/v1",
        spec=spec,
    )


def cluster(name: str, manifest: Raw, *, version: int) -> ResourceSeen:
    """A RayCluster of the RayService, as it was asked for."""
    spec = manifest["spec"]
    assert isinstance(spec, dict)
    return ResourceSeen(
        meta=Meta(
            name=name,
            namespace=KEY.namespace,
            uid=f"uid-of-{name}-{version}",
            resource_version=version,
            generation=1,
            labels=texts_at(manifest, "metadata", "labels"),
            annotations=texts_at(manifest, "metadata", "annotations"),
            owners=(OWNER,),
        ),
        api_version="ray.io/v1",
        spec=spec,
    )


def leading(name: str, selector: dict[str, str], version: int) -> ServiceSeen:
    """A service of the RayService, as seen."""
    return ServiceSeen(
        meta=Meta(
            name=name,
            namespace=KEY.namespace,
            uid=f"uid-of-{name}-{version}",
            resource_version=version,
            owners=(OWNER,),
        ),
        selector=selector,
    )


def endpoints(service: str, pods: tuple[str, ...], version: int) -> ChildSeen:
    """The slice of a service with these ready pods."""
    return ChildSeen(
        meta=Meta(
            name=f"{service}-slice",
            namespace=KEY.namespace,
            uid=f"uid-of-{service}-slice",
            resource_version=version,
            labels={"kubernetes.io/service-name": service},
        ),
        kind="endpointslice",
        content={"endpoints": [{"uid": pod, "ready": True} for pod in pods]},
    )


def head_is(*, ready: bool, pod: str, ip: str, workers: int, since: str) -> Raw:
    """What a RayCluster's status says of its head and its workers."""
    return {
        "state": "ready" if ready else "",
        "head": {"podName": pod, "podIP": ip, "serviceName": "-"},
        "readyWorkerReplicas": workers,
        "conditions": [
            {
                "type": "HeadPodReady",
                "status": "True" if ready else "False",
                "lastTransitionTime": since,
            }
        ],
    }


def gone_soon(seen: ResourceSeen) -> ResourceSeen:
    """The same, being deleted."""
    return replace(seen, meta=replace(seen.meta, deleted_at=NOON))
