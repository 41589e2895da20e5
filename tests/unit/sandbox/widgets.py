"""Builders for the tests of the sandbox: a clock to turn by hand, and a small custom kind."""

from datetime import UTC, datetime, timedelta
from typing import Any

import yaml

from sandbox.cluster import Cluster
from sandbox.identity import numbered_uids
from sandbox.objects import Object

WIDGET_DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale:
        specReplicasPath: .spec.replicas
        statusReplicasPath: .status.replicas
        labelSelectorPath: .status.selector
    additionalPrinterColumns:
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: Size, type: string, jsonPath: .spec.size, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            description: what is wanted
            properties:
              replicas: {type: integer, minimum: 0, default: 1, description: how many}
              size: {type: string, enum: [small, big], default: small}
          status:
            type: object
            properties:
              replicas: {type: integer}
              selector: {type: string}
              conditions:
                type: array
                items:
                  type: object
                  properties: {type: {type: string}, status: {type: string}}
"""
NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


class HandClock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def pass_seconds(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def cluster(clock: HandClock | None = None, **options: Any) -> Cluster:
    made = Cluster(clock or HandClock(), numbered_uids("test"), **options)
    made.create("customresourcedefinitions", widget_definition())
    return made


def widget_definition(**version: Any) -> Object:
    definition: Object = yaml.safe_load(WIDGET_DEFINITION)
    definition["spec"]["versions"][0] |= version
    return definition


def widget(name: str = "one", **spec: Any) -> Object:
    return {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": spec,
    }


def pod(name: str = "one", **metadata: Any) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", **metadata},
        "spec": {"containers": [{"name": "main", "image": "ray:2.9"}]},
    }


def service(name: str = "web", **spec: Any) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"ports": [{"port": 80}], **spec},
    }


def configmap(name: str = "one", *, labels: dict[str, str] | None = None, **data: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default", "labels": labels or {}},
        "data": data,
    }
