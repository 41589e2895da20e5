"""The types of built-in kinds, as far as anyone in the sandbox looks into them: JSON schemas.

Pure. Not a copy of the API's types: a field that nobody here reads is not listed and may be
anything. Null stands for absence, as it does for the real decoder; only the items of lists must be
there. Read next: decoding.py, which refuses what does not fit.
"""

from typing import Any, TypeAlias

Form: TypeAlias = dict[str, Any]

TEXT: Form = {"type": ["string", "null"]}
NUMBER: Form = {"type": ["integer", "null"]}
FLAG: Form = {"type": ["boolean", "null"]}
PORT: Form = {"type": ["integer", "string", "null"]}
TEXTS: Form = {"type": ["object", "null"], "additionalProperties": {"type": "string"}}
QUANTITIES: Form = {
    "type": ["object", "null"],
    "additionalProperties": {"type": ["string", "number"]},
}
NAMES: Form = {"type": ["array", "null"], "items": {"type": "string"}}


def struct(texts: str = "", **fields: Form) -> Form:
    """Describe an object: `texts` names its plain text fields, `fields` the others."""
    return {
        "type": ["object", "null"],
        "properties": {**dict.fromkeys(texts.split(), TEXT), **fields},
    }


def each(item: Form) -> Form:
    """Describe a list of objects."""
    return {"type": ["array", "null"], "items": {**item, "type": "object"}}


def present(form: Any) -> Any:
    """Describe the same without nulls, at any depth."""
    if isinstance(form, dict):
        return {key: present(value) for key, value in form.items()}
    return [present(value) for value in form if value != "null"] if isinstance(form, list) else form


OWNERS = each(struct("apiVersion kind name uid", controller=FLAG, blockOwnerDeletion=FLAG))
METADATA = struct(
    "name generateName namespace uid resourceVersion creationTimestamp deletionTimestamp",
    labels=TEXTS,
    annotations=TEXTS,
    finalizers=NAMES,
    ownerReferences=OWNERS,
    generation=NUMBER,
    deletionGracePeriodSeconds=NUMBER,
    managedFields=each(struct("manager operation apiVersion time fieldsType subresource")),
)
CONDITIONS = each(
    {**struct("type status reason message lastTransitionTime"), "required": ["type", "status"]}
)
PROBE = struct(httpGet=struct("path", port=PORT), periodSeconds=NUMBER, initialDelaySeconds=NUMBER)
CONTAINERS = each(
    struct(
        "name image imagePullPolicy restartPolicy",
        command=NAMES,
        args=NAMES,
        ports=each(struct("name protocol", containerPort=NUMBER)),
        env=each(struct("name value", valueFrom=struct())),
        resources=struct(limits=QUANTITIES, requests=QUANTITIES),
        livenessProbe=PROBE,
        readinessProbe=PROBE,
        startupProbe=PROBE,
    )
)
POD_SPEC = struct(
    "nodeName restartPolicy serviceAccountName schedulerName hostname subdomain priorityClassName",
    containers=CONTAINERS,
    initContainers=CONTAINERS,
    ephemeralContainers=CONTAINERS,
    terminationGracePeriodSeconds=NUMBER,
    activeDeadlineSeconds=NUMBER,
    hostNetwork=FLAG,
    nodeSelector=TEXTS,
    tolerations=each(struct("key operator value effect")),
    readinessGates=each(struct("conditionType")),
    volumes=each(struct("name")),
    schedulingGates=each(struct("name")),
)
CONTAINER_STATE = struct(
    running=struct("startedAt"),
    waiting=struct("reason message"),
    terminated=struct("reason message startedAt finishedAt", exitCode=NUMBER),
)
CONTAINER_STATUSES = each(
    struct(
        "name image imageID containerID",
        ready=FLAG,
        started=FLAG,
        restartCount=NUMBER,
        state=CONTAINER_STATE,
        lastState=CONTAINER_STATE,
    )
)
POD_STATUS = struct(
    "phase reason message podIP hostIP startTime qosClass nominatedNodeName",
    conditions=CONDITIONS,
    containerStatuses=CONTAINER_STATUSES,
    initContainerStatuses=CONTAINER_STATUSES,
    podIPs=each(struct("ip")),
)
SERVICE_SPEC = struct(
    "type clusterIP externalName sessionAffinity",
    clusterIPs=NAMES,
    externalIPs=NAMES,
    selector=TEXTS,
    ports=each(struct("name protocol", port=NUMBER, targetPort=PORT, nodePort=NUMBER)),
    publishNotReadyAddresses=FLAG,
)
LOAD_BALANCER = struct(loadBalancer=struct(ingress=each(struct("ip hostname"))))
JOB_SPEC = struct(
    "completionMode",
    template=struct(metadata=METADATA, spec=POD_SPEC),
    selector=struct(matchLabels=TEXTS),
    manualSelector=FLAG,
    suspend=FLAG,
    **dict.fromkeys(
        (
            "parallelism",
            "completions",
            "backoffLimit",
            "activeDeadlineSeconds",
            "ttlSecondsAfterFinished",
        ),
        NUMBER,
    ),
)
JOB_STATUS = struct(
    "startTime completionTime",
    conditions=CONDITIONS,
    active=NUMBER,
    ready=NUMBER,
    succeeded=NUMBER,
    failed=NUMBER,
)
REFERENCE = struct("apiVersion kind namespace name uid resourceVersion fieldPath")
EVENT: Form = struct(
    "reason message note type action firstTimestamp lastTimestamp eventTime reportingComponent "
    "reportingController reportingInstance deprecatedFirstTimestamp deprecatedLastTimestamp",
    involvedObject=REFERENCE,
    regarding=REFERENCE,
    related=REFERENCE,
    source=struct("component host"),
    deprecatedSource=struct("component host"),
    series=struct("lastObservedTime", count=NUMBER),
    count=NUMBER,
    deprecatedCount=NUMBER,
)
SCHEMA: Form = {"$ref": "#/definitions/schema"}
SCHEMAS: Form = {"type": ["object", "null"], "additionalProperties": SCHEMA}
SCHEMA_LIST: Form = {"type": ["array", "null"], "items": SCHEMA}
LIMIT: Form = {"type": ["number", "null"]}
COLUMN: Form = {
    **present(struct("name type jsonPath format description", priority=NUMBER)),
    "required": ["name", "type", "jsonPath"],
}
SCALE: Form = {
    **present(struct("specReplicasPath statusReplicasPath labelSelectorPath")),
    "required": ["specReplicasPath", "statusReplicasPath"],
}
SELECTABLE: Form = {**present(struct("jsonPath")), "required": ["jsonPath"]}
CRD_VERSION: Form = {
    **struct(
        "deprecationWarning",
        name={"type": "string"},
        served=FLAG,
        storage=FLAG,
        deprecated=FLAG,
        schema=struct(openAPIV3Schema=SCHEMA),
        subresources=struct(status=struct(), scale=SCALE),
        additionalPrinterColumns=each(COLUMN),
        selectableFields=each(SELECTABLE),
    ),
    "required": ["name"],
}
CRD_SPEC = struct(
    "group scope",
    names=struct("plural singular kind listKind", shortNames=NAMES, categories=NAMES),
    versions=each(CRD_VERSION),
)
JSON_SCHEMA: Form = {
    "schema": {
        "type": ["object", "null"],
        "properties": {
            **dict.fromkeys(("type", "format", "pattern", "description", "title"), TEXT),
            **dict.fromkeys(("properties", "patternProperties", "definitions"), SCHEMAS),
            **dict.fromkeys(("allOf", "anyOf", "oneOf"), SCHEMA_LIST),
            **dict.fromkeys(("items", "not"), SCHEMA),
            **dict.fromkeys(("minimum", "maximum", "multipleOf"), LIMIT),
            **dict.fromkeys(
                (
                    "minLength",
                    "maxLength",
                    "minItems",
                    "maxItems",
                    "minProperties",
                    "maxProperties",
                ),
                NUMBER,
            ),
            **dict.fromkeys(("nullable", "uniqueItems"), FLAG),
            "additionalProperties": {"anyOf": [FLAG, SCHEMA]},
            "required": NAMES,
            "enum": {"type": ["array", "null"]},
        },
    }
}
DEFINITIONS: Form = present(JSON_SCHEMA)
FORMS: dict[str, Form] = {
    "namespaces": struct(spec=struct(finalizers=NAMES), status=struct("phase")),
    "pods": struct(spec=POD_SPEC, status=POD_STATUS),
    "services": struct(spec=SERVICE_SPEC, status=LOAD_BALANCER),
    "secrets": struct("type", data=TEXTS, stringData=TEXTS, immutable=FLAG),
    "configmaps": struct(data=TEXTS, binaryData=TEXTS, immutable=FLAG),
    "serviceaccounts": struct(secrets=each(struct("name")), imagePullSecrets=each(struct("name"))),
    "events": EVENT,
    "endpoints": struct(
        subsets=each(struct(addresses=each(struct("ip")), ports=each(struct(port=NUMBER))))
    ),
    "persistentvolumeclaims": struct(
        spec=struct("volumeName storageClassName volumeMode", accessModes=NAMES),
        status=struct("phase", capacity=QUANTITIES),
    ),
    "nodes": struct(
        spec=struct(unschedulable=FLAG, taints=each(struct("key value effect"))),
        status=struct(conditions=CONDITIONS, nodeInfo=struct("kubeletVersion")),
    ),
    "jobs.batch": struct(spec=JOB_SPEC, status=JOB_STATUS),
    "endpointslices.discovery.k8s.io": struct(
        "addressType",
        endpoints=each(struct(addresses=NAMES, conditions=struct(ready=FLAG), targetRef=REFERENCE)),
        ports=each(struct("name protocol", port=NUMBER)),
    ),
    "leases.coordination.k8s.io": struct(
        spec=struct("holderIdentity acquireTime renewTime", leaseDurationSeconds=NUMBER)
    ),
    "ingresses.networking.k8s.io": struct(
        spec=struct("ingressClassName", rules=each(struct("host")), tls=each(struct())),
        status=LOAD_BALANCER,
    ),
    "networkpolicies.networking.k8s.io": struct(spec=struct(podSelector=struct(matchLabels=TEXTS))),
    "roles.rbac.authorization.k8s.io": struct(rules=each(struct())),
    "rolebindings.rbac.authorization.k8s.io": struct(
        roleRef=struct("apiGroup kind name"), subjects=each(struct("kind name namespace"))
    ),
    "customresourcedefinitions.apiextensions.k8s.io": struct(spec=CRD_SPEC),
}
