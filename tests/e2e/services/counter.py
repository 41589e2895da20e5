"""A user with RayServices, and RayServices as users write them, small."""

from collections.abc import Mapping
from typing import Any

from tests.e2e.jobs.desk import Desk
from tests.support.fleet import RAY, Json

SLICES = "/apis/discovery.k8s.io/v1"
STAND = "applications:\n- name: stand\n  import_path: fruit.stand\n  route_prefix: /\n"
MARKET = "applications:\n- name: market\n  import_path: fruit.market\n  route_prefix: /\n"


def rayservice(name: str, **spec: object) -> Json:
    """A RayService with a head and one worker, whose old clusters go soon."""
    container = {"name": "ray", "image": "rayproject/ray:2.52.0"}
    template = {"spec": {"containers": [container]}}
    worker = {"groupName": "small", "replicas": 1, "minReplicas": 0, "maxReplicas": 3}
    config = {
        "rayVersion": "2.52.0",
        "headGroupSpec": {"rayStartParams": {}, "template": template},
        "workerGroupSpecs": [{**worker, "rayStartParams": {}, "template": template}],
    }
    fields = {"serveConfigV2": STAND, "rayClusterConfig": config}
    return {
        "apiVersion": "ray.io/v1",
        "kind": "RayService",
        "metadata": {"name": name},
        "spec": {**fields, "rayClusterDeletionDelaySeconds": 2, **spec},
    }


class Counter(Desk):
    """A user with RayServices."""

    def serve(self, manifest: Mapping[str, Any]) -> str:
        """Create a RayService; return its name."""
        made = self.ask("POST", self._path("rayservices"), manifest)
        return str(made["metadata"]["name"])

    def told(self, name: str) -> Json:
        """Return the status of a RayService."""
        return self.status(name, "rayservices")

    def conditions(self, name: str) -> dict[str, tuple[str, str]]:
        """Return status and reason of each condition."""
        found = self.told(name).get("conditions", [])
        return {one["type"]: (one["status"], one["reason"]) for one in found}

    def is_running(self, name: str) -> bool:
        """Whether a RayService has endpoints, and all of its applications run."""
        status = self.told(name)
        apps = status.get("activeServiceStatus", {}).get("applicationStatuses", {})
        running = bool(apps) and all(one["status"] == "RUNNING" for one in apps.values())
        served = status.get("serviceStatus") == "Running"
        return running and served and status.get("numServeEndpoints", 0) > 0

    def until_running(self, name: str) -> Json:
        """Wait until a RayService serves; return its status."""
        self.until(lambda: self.is_running(name), f"{name} serves")
        return self.told(name)

    def endpoints(self, service: str) -> set[str]:
        """Return the pods that a service leads to and that are ready."""
        return {
            str(endpoint.get("targetRef", {}).get("name"))
            for one in self.all("endpointslices")
            if one["metadata"].get("labels", {}).get("kubernetes.io/service-name") == service
            for endpoint in one.get("endpoints") or ()
            if endpoint.get("conditions", {}).get("ready")
        }

    def active(self, name: str) -> str:
        """Return the cluster that serves; empty if there is none."""
        return str(self.told(name).get("activeServiceStatus", {}).get("rayClusterName", ""))

    def pending(self, name: str) -> str:
        """Return the cluster that is about to serve; empty if there is none."""
        return str(self.told(name).get("pendingServiceStatus", {}).get("rayClusterName", ""))

    def clusters(self, name: str) -> list[str]:
        """Return the clusters of a RayService."""
        found = (one["metadata"] for one in self.all("rayclusters"))
        return [
            str(one["name"])
            for one in found
            if any(owner["name"] == name for owner in one.get("ownerReferences", ()))
        ]

    def reasons(self, name: str) -> list[str]:
        """Return why people were told something of a RayService."""
        return [reason for reason, _ in self.events(name)]

    def left_of(self, name: str) -> list[str]:
        """Return what is there of a RayService: itself, and everything named after it."""
        kinds = ("rayservices", "rayclusters", "pods", "services", "endpointslices")
        found = (one["metadata"]["name"] for kind in kinds for one in self.all(kind))
        return [each for each in found if each == name or each.startswith(f"{name}-")]

    def picture(self) -> str:
        """Return every RayService's status and timeline, for a test that failed."""
        lines = []
        for each in self.all("rayservices"):
            name = each["metadata"]["name"]
            lines.append(f"{name}: {each.get('status')}\n{self.timeline(name, 'rayservice')}")
        return "\n".join(lines)

    def _path(self, plural: str) -> str:
        groups = {"rayservices": RAY, "endpointslices": SLICES}
        if plural in groups:
            return f"{groups[plural]}/namespaces/{self.namespace}/{plural}"
        return super()._path(plural)
