"""What breaks each rule about history, access, networks, TLS and upgrades, and what it says."""

from collections.abc import Mapping

from tests.support.rayclusters import container, head, template, workers
from tests.unit.shared.validation.raycluster_cases import (
    COLLECTOR,
    K8S_TOKEN,
    MANAGED,
    ROCKS,
    TAKEN,
    TLS,
    TLS_SET,
    TOKEN,
    Fields,
    collector,
    env,
    group,
    head_with,
)

CASES: Mapping[str, tuple[Fields, str]] = {
    "history-collector": (
        {"historyServerOptions": {}},
        "historyServerOptions.collectorOptions must be set",
    ),
    "history-image": (
        {"historyServerOptions": {"collectorOptions": {}}},
        "historyServerOptions.collectorOptions.image must be set",
    ),
    "history-env": (
        collector("POD_IP"),
        (
            f"historyServerOptions.collectorOptions.env must not contain POD_IP: {MANAGED} and "
            "injected automatically into the collector container"
        ),
    ),
    "history-backend": (
        collector(),
        (
            "STORAGE_BACKEND environment variable must be set with a literal string value in "
            "historyServerOptions.collectorOptions.env"
        ),
    ),
    "history-backend-env": (
        collector(STORAGE_BACKEND="gcs"),
        "GCS_BUCKET environment variable must be set when STORAGE_BACKEND is GCS",
    ),
    "history-azure-env": (
        collector(STORAGE_BACKEND="AzureBlob", AZURE_STORAGE_AUTH_MODE="default"),
        (
            "AZURE_STORAGE_ACCOUNT_URL environment variable must be set when STORAGE_BACKEND is "
            "AZUREBLOB and AZURE_STORAGE_AUTH_MODE is default"
        ),
    ),
    "history-azure-either": (
        collector(STORAGE_BACKEND="AzureBlob"),
        (
            "either AZURE_STORAGE_CONNECTION_STRING or AZURE_STORAGE_ACCOUNT_URL environment "
            "variable "
            "must be set when STORAGE_BACKEND is AZUREBLOB"
        ),
    ),
    "history-head-container": (
        {**collector(), "headGroupSpec": head(template=template(container(COLLECTOR)))},
        f"head {TAKEN}",
    ),
    "history-worker-container": (
        {**collector(), **group(template=template(container(COLLECTOR)))},
        f"worker group small {TAKEN}",
    ),
    "auth-version": (
        {"authOptions": TOKEN},
        (
            "authOptions.mode is 'token' but RayVersion was not specified. Ray version 2.52.0 "
            "or later "
            "is required"
        ),
    ),
    "auth-version-form": (
        {"authOptions": TOKEN, "rayVersion": "x"},
        (
            "authOptions.mode is 'token' but RayVersion format is invalid: x, not a version "
            "such as "
            "2.52.0"
        ),
    ),
    "auth-version-old": (
        {"authOptions": TOKEN, "rayVersion": "2.51.9"},
        "authOptions.mode is 'token' but minimum Ray version is 2.52.0, got 2.51.9",
    ),
    "k8s-auth-version": (
        {"authOptions": K8S_TOKEN, "rayVersion": "2.54.0"},
        "authOptions.enableK8sTokenAuth is enabled but minimum Ray version is 2.55.0, got 2.54.0",
    ),
    "k8s-auth-secret": (
        {"authOptions": {**K8S_TOKEN, "secretName": "x"}, "rayVersion": "2.55.0"},
        "authOptions.enableK8sTokenAuth is enabled and authOptions.secretName is also set",
    ),
    "k8s-auth-mode": (
        {"authOptions": {"enableK8sTokenAuth": True}},
        "authOptions.enableK8sTokenAuth is enabled but authOptions.mode not set to 'token'",
    ),
    "network-direction": (
        {"networkPolicy": {"mode": "DenyAllEgress", "head": {"ingressRules": [{}]}}},
        (
            'networkPolicy.head.ingressRules cannot be set when mode is "DenyAllEgress" '
            "(ingress is "
            "not restricted)"
        ),
    ),
    "network-group-name": (
        {"networkPolicy": {"mode": "DenyAll"}, "workerGroupSpecs": [workers("A")]},
        (
            'worker group name "A" must be a valid DNS1123 label when networkPolicy is '
            "enabled (it is "
            "embedded in the NetworkPolicy name): use lower case letters, digits and '-'; "
            "begin and "
            "end with a letter or digit"
        ),
    ),
    "network-group-unknown": (
        {"networkPolicy": {"mode": "DenyAll", "workerGroups": [{"groupName": "x"}]}},
        'networkPolicy.workerGroups["x"] does not match any group name in workerGroupSpecs',
    ),
    "tls-env": (
        {**TLS, "headGroupSpec": head_with("RAY_USE_TLS")},
        f"cannot set RAY_USE_TLS environment variable in head Pod {TLS_SET} automatically",
    ),
    "tls-autoscaler-env": (
        {**TLS, "autoscalerOptions": {"env": env("RAY_TLS_CA_CERT")}},
        (
            "cannot set RAY_TLS_CA_CERT environment variable in autoscalerOptions.env "
            f"{TLS_SET} for the autoscaler automatically"
        ),
    ),
    "tls-mount-name": (
        {**TLS, **group(template=template(container(volumeMounts=[{"name": "ray-tls"}])))},
        f'cannot use volume mount named "ray-tls" in worker group "small" {TLS_SET} automatically',
    ),
    "tls-mount-path": (
        {**TLS, "autoscalerOptions": {"volumeMounts": [{"mountPath": "/etc/ray/tls"}]}},
        (
            'cannot use volume mount at path "/etc/ray/tls" in autoscalerOptions.volumeMounts '
            f"{TLS_SET} automatically"
        ),
    ),
    "upgrade-type": (
        {"upgradeStrategy": {"type": "Odd"}},
        (
            "The RayCluster spec is invalid: Spec.UpgradeStrategy.Type value Odd is invalid, valid "
            "options are Recreate or None"
        ),
    ),
    "upgrade-owner": (
        {
            "upgradeStrategy": {"type": "None"},
            "labels": {"ray.io/originated-from-crd": "RayService"},
        },
        "upgradeStrategy cannot be set when RayCluster is created by RayService",
    ),
}
GATED: Mapping[str, tuple[Fields, str]] = {
    "rocksdb-gate": (
        ROCKS,
        (
            "the embedded RocksDB GCS fault tolerance backend (GcsFaultToleranceOptions.Backend: "
            "'rocksdb') requires the GCSFaultToleranceEmbeddedStorage feature gate to be enabled"
        ),
    ),
    "suspend-gate": (
        group(suspend=True),
        (
            "worker group small can be suspended only when the RayJobDeletionPolicy feature "
            "gate is "
            "enabled"
        ),
    ),
    "history-gate": (collector(), "RayClusterHistoryServer feature gate is not enabled"),
    "network-gate": (
        {"networkPolicy": {"mode": "DenyAll"}},
        "spec.networkPolicy requires the RayClusterNetworkPolicy feature gate to be enabled",
    ),
    "tls-gate": (
        {"tlsOptions": {"enabled": False}},
        "spec.tlsOptions requires the RayClusterMTLS feature gate to be enabled",
    ),
}
