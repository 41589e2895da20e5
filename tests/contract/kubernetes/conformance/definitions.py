"""The custom kinds that cases share: one with everything, one of two versions, one cluster-wide."""

from typing import Any

import yaml

GROUP = "conformance.example.com"
WIDGETS = f"widgets.{GROUP}/v1"
LOOSE = f"looses.{GROUP}/v1"
PLACES = f"places.{GROUP}/v1"

_WIDGET = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.conformance.example.com}
spec:
  group: conformance.example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList, shortNames: [wd],
          categories: [gadgets]}
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
    selectableFields:
    - {jsonPath: .spec.size}
    additionalPrinterColumns:
    - {name: Replicas, type: integer, jsonPath: .spec.replicas, description: how many are wanted}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    - {name: Size, type: string, jsonPath: .spec.size, priority: 1}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            description: what is wanted
            x-kubernetes-validations:
            - rule: '!has(self.low) || !has(self.high) || self.low <= self.high'
              message: low above high
            - rule: '!has(self.forbidden)'
              message: may not be set
              reason: FieldValueForbidden
              fieldPath: .forbidden
            - rule: oldSelf.hasValue() || !has(self.late)
              optionalOldSelf: true
              message: late comes later
            properties:
              replicas: {type: integer, format: int32, minimum: 0, maximum: 100, default: 1}
              size: {type: string, enum: [small, big], default: small}
              low: {type: integer}
              high: {type: integer}
              late: {type: string}
              forbidden: {type: string}
              ratio: {type: number, exclusiveMinimum: true, minimum: 0}
              step: {type: number, multipleOf: 0.5}
              code: {type: string, pattern: '^[a-z]+$', minLength: 2, maxLength: 5}
              flag: {type: boolean}
              moment: {type: string, format: date-time}
              port: {x-kubernetes-int-or-string: true}
              maybe: {type: string, nullable: true}
              filled: {type: string, nullable: true, default: full}
              fixed:
                type: string
                x-kubernetes-validations:
                - {rule: self == oldSelf, message: fixed is immutable}
              told:
                type: integer
                x-kubernetes-validations:
                - rule: self < 10
                  messageExpression: '"told is " + (self > 20 ? "far" : "just") + " above 9"'
              untold:
                type: array
                maxItems: 10
                items: {type: string, maxLength: 10}
                x-kubernetes-validations:
                - {rule: 'self.all(x, x.size() < 4)'}
              tags: {type: array, x-kubernetes-list-type: set, maxItems: 3, items: {type: string}}
              labels: {type: object, maxProperties: 2, additionalProperties: {type: string}}
              limits:
                type: object
                maxProperties: 5
                additionalProperties:
                  type: integer
                  x-kubernetes-validations:
                  - {rule: self > 0, message: must be positive}
              atoms: {type: array, items: {type: integer}}
              whole:
                type: object
                x-kubernetes-map-type: atomic
                additionalProperties: {type: string}
              groups:
                type: array
                maxItems: 5
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string}
                    size: {type: integer, default: 1}
                    color: {type: string}
                  x-kubernetes-validations:
                  - {rule: self.size >= oldSelf.size, message: a group never shrinks}
              nested:
                type: object
                default: {}
                properties:
                  deep: {type: string, default: down}
                  either:
                    type: object
                    properties: {a: {type: string}, b: {type: string}}
                    oneOf: [{required: [a]}, {required: [b]}]
              open: {type: object, x-kubernetes-preserve-unknown-fields: true}
              template:
                type: object
                x-kubernetes-embedded-resource: true
                x-kubernetes-preserve-unknown-fields: true
          status:
            type: object
            properties:
              replicas: {type: integer}
              selector: {type: string}
              phase: {type: string, enum: [New, Old]}
              conditions:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [type, status]
                  properties: {type: {type: string}, status: {type: string}, reason: {type: string}}
"""
_LOOSE = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: looses.conformance.example.com}
spec:
  group: conformance.example.com
  scope: Namespaced
  names: {plural: looses, singular: loose, kind: Loose, listKind: LooseList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
  - name: v1alpha1
    served: false
    storage: false
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
_PLACE = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: places.conformance.example.com}
spec:
  group: conformance.example.com
  scope: Cluster
  names: {plural: places, singular: place, kind: Place, listKind: PlaceList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {room: {type: string}}}}
"""
DEFINITIONS: tuple[Any, ...] = tuple(yaml.safe_load(text) for text in (_WIDGET, _LOOSE, _PLACE))


def widget(name: str = "w", *, metadata: Any = None, **spec: Any) -> Any:
    """Make a Widget."""
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Widget",
        "metadata": {"name": name, **(metadata or {})},
        "spec": spec,
    }


def loose(name: str = "l", version: str = "v1", **fields: Any) -> Any:
    """Make an object of the kind that takes anything."""
    return {
        "apiVersion": f"{GROUP}/{version}",
        "kind": "Loose",
        "metadata": {"name": name},
        **fields,
    }


def configmap(name: str = "c", *, metadata: Any = None, **data: str) -> Any:
    """Make a ConfigMap."""
    made = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, **(metadata or {})},
    }
    return {**made, "data": data} if data else made


def pod(name: str = "p", *, metadata: Any = None, **spec: Any) -> Any:
    """Make a pod that brings no token: its volume has a name drawn by chance."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, **(metadata or {})},
        "spec": {
            "containers": [{"name": "main", "image": "ray:2.9"}],
            "automountServiceAccountToken": False,
            **spec,
        },
    }


def service(name: str = "s", **spec: Any) -> Any:
    """Make a service."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"ports": [{"port": 80}], **spec},
    }


def of(api: str, kind: str, name: str, **fields: Any) -> Any:
    """Make an object of any kind."""
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name}, **fields}
