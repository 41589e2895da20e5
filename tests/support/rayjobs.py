"""Values for tests of RayJobs: a RayJob `train` and everything that belongs to it."""

from datetime import datetime

from msgspec.structs import replace

from shared.aggregates.rayjob import FINALIZER
from shared.events.objects import (
    ChildSeen,
    Container,
    Meta,
    Owner,
    PodSeen,
    ResourceSeen,
    ServiceSeen,
)
from shared.kernel.keys import ResourceKey
from tests.support.builders import NOON, Raw, cluster_spec, group

KEY = ResourceKey(kind="rayjob", namespace="prod", name="train")
UID = "5f0c7f0e-0002-4000-8000-000000000001"
OWNER = Owner(kind="RayJob", name=KEY.name, uid=UID, controller=True)


def job_spec(mode: str = "HTTPMode", /, **more: object) -> Raw:
    """What a user writes: a program, and a cluster of a head and one worker."""
    spec: Raw = {
        "entrypoint": "python main.py",
        "submissionMode": mode,
        "rayClusterSpec": cluster_spec(group("small", 1)),
        **more,
    }
    return {key: value for key, value in spec.items() if value is not None}


def rayjob(
    spec: Raw, *, generation: int = 1, version: int = 1, finalized: bool = False
) -> ResourceSeen:
    """The RayJob as seen."""
    return ResourceSeen(
        meta=Meta(
            name=KEY.name,
            namespace=KEY.namespace,
            uid=UID,
            resource_version=version,
            generation=generation,
            created_at=NOON,
            finalizers=(FINALIZER,) if finalized else (),
        ),
        api_version="ray.io/v1",
        spec=spec,
    )


def cluster(name: str, spec: Raw, *, version: int, owned: bool = True) -> ResourceSeen:
    """A RayCluster as seen, of the RayJob or of nobody."""
    return ResourceSeen(
        meta=Meta(
            name=name,
            namespace=KEY.namespace,
            uid=f"uid-of-{name}-{version}",
            resource_version=version,
            generation=1,
            owners=(OWNER,) if owned else (),
        ),
        api_version="ray.io/v1",
        spec=spec,
    )


def submitter(version: int, *conditions: Raw, made_at: datetime = NOON) -> ChildSeen:
    """The Kubernetes Job that submits, as seen."""
    return ChildSeen(
        meta=Meta(
            name=KEY.name,
            namespace=KEY.namespace,
            uid=f"uid-of-job-{version}",
            resource_version=version,
            owners=(OWNER,),
            created_at=made_at,
        ),
        kind="job",
        status={"conditions": list(conditions)} if conditions else {},
    )


def service(name: str, selector: dict[str, str], version: int) -> ServiceSeen:
    """The service of the RayJob, as seen."""
    return ServiceSeen(
        meta=Meta(
            name=name,
            namespace=KEY.namespace,
            uid=f"uid-of-{name}",
            resource_version=version,
            owners=(OWNER,),
        ),
        selector=selector,
    )


def head_with(container: Container) -> PodSeen:
    """A head with a submitter beside it."""
    return PodSeen(
        meta=Meta(name="head", namespace=KEY.namespace, uid="uid-of-head", resource_version=5),
        phase="Running",
        containers=(Container(name="ray-head", ready=True, state="running"), container),
    )


def gone_soon(seen: ResourceSeen) -> ResourceSeen:
    """The same, being deleted."""
    return replace(seen, meta=replace(seen.meta, deleted_at=NOON))
