"""A user whose RayServices move their traffic in steps, and a gateway that only nods."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.e2e.services.counter import Counter, rayservice
from tests.support.fleet import Json

GROUP = "gateway.networking.k8s.io"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
KINDS = {"gateways": "Gateway", "httproutes": "HTTPRoute"}
NODS = ("Accepted", "Programmed", "ResolvedRefs")
NOD_EVERY = 0.3


def definition(plural: str, kind: str) -> Json:
    """A definition that takes anything, with a status beside it."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{GROUP}",
            "annotations": {"api-approved.kubernetes.io": "unapproved, for tests"},
        },
        "spec": {
            "group": GROUP,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "scope": "Namespaced",
            "versions": [version],
        },
    }


def nodded(one: Json) -> Json:
    """Return the status of a gateway or route that works as it was asked to."""
    generation = one["metadata"].get("generation", 1)
    told = [{"type": type_, "status": "True", "observedGeneration": generation} for type_ in NODS]
    if one["kind"] == "Gateway":
        return {"conditions": told}
    return {"parents": [{"parentRef": one["spec"]["parentRefs"][0], "conditions": told}]}


class Crossing(Counter):
    """A user with RayServices behind a gateway."""

    def make_kinds(self) -> None:
        """Define what a gateway needs, unless somebody has; wait until it is served."""
        known = {one["metadata"]["name"] for one in self.ask("GET", DEFINITIONS)["items"]}
        for plural, kind in KINDS.items():
            if f"{plural}.{GROUP}" not in known:
                self.ask("POST", DEFINITIONS, definition(plural, kind))

        def established() -> bool:
            names = {f"{plural}.{GROUP}" for plural in KINDS}
            return all(
                any(
                    (each["type"], each["status"]) == ("Established", "True")
                    for each in one.get("status", {}).get("conditions") or ()
                )
                for one in self.ask("GET", DEFINITIONS)["items"]
                if one["metadata"]["name"] in names
            )

        self.until(established, "gateways and routes are served")

    def weights(self, name: str) -> dict[str, int]:
        """Return what the route of a RayService does with requests, by cluster."""
        route = self.get("httproutes", f"{name}-httproute") or {"spec": {"rules": []}}
        return {
            str(one["name"]).removesuffix("-serve-svc"): int(one["weight"])
            for rule in route["spec"]["rules"]
            for one in rule["backendRefs"]
        }

    def left_of(self, name: str) -> list[str]:
        """Return what is there of a RayService, with its gateway and its route."""
        found = (one["metadata"]["name"] for plural in KINDS for one in self.all(plural))
        return super().left_of(name) + [each for each in found if each.startswith(f"{name}-")]

    def nod(self) -> None:
        """Say of everything that there is that it works."""
        for plural in KINDS:
            for one in self.all(plural):
                if one.get("status") != nodded(one):
                    self._nod_at(plural, one)

    def _nod_at(self, plural: str, one: Json) -> None:
        path = f"{self._path(plural)}/{one['metadata']['name']}/status"
        try:
            self.ask("PATCH", path, {"status": nodded(one)}, "merge-patch+json")
        except AssertionError:
            if self.get(plural, one["metadata"]["name"]) is not None:
                raise

    @contextmanager
    def nodding(self) -> Iterator[None]:
        """Be the gateway's controller while the block runs."""
        over = threading.Event()

        def work() -> None:
            while not over.wait(NOD_EVERY):
                self.nod()

        thread = threading.Thread(target=work, name="gateway")
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _path(self, plural: str) -> str:
        if plural in KINDS:
            return f"/apis/{GROUP}/v1/namespaces/{self.namespace}/{plural}"
        return super()._path(plural)


def stepped(name: str = "fruit", **options: int) -> Json:
    """A RayService that scales and moves its traffic in steps."""
    made = rayservice(name)
    pace = {"maxSurgePercent": 50, "stepSizePercent": 25, "intervalSeconds": 1, **options}
    made["spec"]["rayClusterConfig"]["enableInTreeAutoscaling"] = True
    made["spec"]["upgradeStrategy"] = {
        "type": "NewClusterWithIncrementalUpgrade",
        "clusterUpgradeOptions": {"gatewayClassName": "nodding", **pace},
    }
    return made
