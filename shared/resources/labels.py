"""Labels and annotations that users and other tools know Ray clusters by.

The words only, named as in the API; KubeRay's, because dashboards, policies and scripts select by
them. Which object carries which is told in `services.reconciler.manifests.labels`.
"""

CLUSTER = "ray.io/cluster"
NODE_TYPE = "ray.io/node-type"
GROUP = "ray.io/group"
IS_RAY_NODE = "ray.io/is-ray-node"
IDENTIFIER = "ray.io/identifier"
SERVE = "ray.io/serve"
HEADLESS_SERVICE = "ray.io/headless-worker-svc"
REPLICA_INDEX = "ray.io/worker-group-replica-index"
REPLICA_NAME = "ray.io/worker-group-replica-name"
HOST_INDEX = "ray.io/replica-host-index"
ORIGINATED_FROM_CRD = "ray.io/originated-from-crd"
ORIGINATED_FROM_NAME = "ray.io/originated-from-cr-name"
JOB_SUBMISSION_MODE = "ray.io/job-submission-mode"
APP_NAME = "app.kubernetes.io/name"
CREATED_BY = "app.kubernetes.io/created-by"

ENABLE_SERVE_SERVICE = "ray.io/enable-serve-service"
FT_ENABLED = "ray.io/ft-enabled"
EXTERNAL_STORAGE_NAMESPACE = "ray.io/external-storage-namespace"
OVERWRITE_COMMAND = "ray.io/overwrite-container-cmd"
DISABLE_HEAD_RESTART = "ray.io/disable-provisioned-head-restart"
RECREATE_HASH = "ray.io/upgrade-strategy-recreate-hash"
OPERATOR_VERSION = "ray.io/kuberay-version"
DELETION_TIMEOUT = "ray.io/gcs-ft-deletion-timeout"
REDIS_CLEANUP_FINALIZER = "ray.io/gcs-ft-redis-cleanup-finalizer"
INGRESS_CLASS = "kubernetes.io/ingress.class"

HEAD = "head"
WORKER = "worker"
REDIS_CLEANUP = "redis-cleanup"
HEAD_GROUP = "headgroup"
APP = "kuberay"
CREATOR = "kuberay-operator"
