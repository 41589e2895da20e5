"""What decisions depend on, as users call it: part of the table in `shared.runtime.options`.

They are recorded beside every decision, so that it can be made again.
"""

from shared.kernel.schedulers import NAMED, VOLCANO
from shared.runtime.option import APART, DECIDING, LOOKING, option

DECISIONS = (
    option(
        "feature_gates",
        "HELIOGRAPH_FEATURE_GATES",
        (*LOOKING, *APART),
        "Features to switch, as Name=true,Other=false.",
    ),
    option("cluster_domain", "CLUSTER_DOMAIN", DECIDING, "The cluster's DNS suffix."),
    option(
        "enable_probes_injection",
        "ENABLE_PROBES_INJECTION",
        DECIDING,
        "Add health probes to Ray containers that have none.",
    ),
    option(
        "enable_init_container_injection",
        "ENABLE_INIT_CONTAINER_INJECTION",
        DECIDING,
        "Let workers wait for the head's GCS before they start.",
    ),
    option(
        "enable_login_shell",
        "ENABLE_LOGIN_SHELL",
        DECIDING,
        "Start Ray in a login shell.",
    ),
    option(
        "enable_ray_head_cluster_ip_service",
        "ENABLE_RAY_HEAD_CLUSTER_IP_SERVICE",
        DECIDING,
        "Give the head service an address of its own instead of making it headless.",
    ),
    option(
        "enable_deterministic_head_pod_name",
        "ENABLE_DETERMINISTIC_HEAD_POD_NAME",
        DECIDING,
        "Name the head pod after its cluster alone.",
    ),
    option(
        "enable_random_pod_delete",
        "ENABLE_RANDOM_POD_DELETE",
        DECIDING,
        "Let us choose which workers go when the autoscaler is on.",
    ),
    option(
        "enable_gcs_ft_redis_cleanup",
        "ENABLE_GCS_FT_REDIS_CLEANUP",
        DECIDING,
        "Remove a deleted cluster's data from Redis before letting it go.",
    ),
    option(
        "batch_scheduler",
        "HELIOGRAPH_BATCH_SCHEDULER",
        LOOKING,
        f"The batch scheduler that places pods: {', '.join(NAMED)}; empty for none.",
    ),
    option(
        "enable_batch_scheduler",
        "HELIOGRAPH_ENABLE_BATCH_SCHEDULER",
        LOOKING,
        f"Deprecated: the same as --batch-scheduler {VOLCANO}.",
    ),
    option(
        "openshift",
        "HELIOGRAPH_OPENSHIFT",
        LOOKING,
        "This is OpenShift: clusters that ask for an ingress get a route.",
    ),
    option(
        "use_ingress_on_openshift",
        "USE_INGRESS_ON_OPENSHIFT",
        LOOKING,
        "Make ingresses on OpenShift, too.",
    ),
)
JOBS = (
    option(
        "delete_rayjob_after_finish",
        "DELETE_RAYJOB_CR_AFTER_JOB_FINISHES",
        DECIDING,
        "Delete a finished RayJob itself where its cluster would be shut down.",
    ),
    option(
        "rayjob_transition_grace_seconds",
        "RAYJOB_DEPLOYMENT_STATUS_TRANSITION_GRACE_PERIOD_SECONDS",
        DECIDING,
        "How long a submitter may take to end once its job has.",
    ),
    option(
        "rayjob_status_check_timeout_seconds",
        "RAYJOB_STATUS_CHECK_TIMEOUT_SECONDS",
        DECIDING,
        "How long nobody may be able to tell how a job is, until it counts as failed.",
    ),
    option(
        "cron_catch_up",
        "HELIOGRAPH_CRON_CATCH_UP",
        DECIDING,
        "Make up for every missed run of a RayCronJob, as KubeRay does, not for the latest alone.",
    ),
    option(
        "enable_zero_downtime",
        "ENABLE_ZERO_DOWNTIME",
        DECIDING,
        "Give a RayService without a strategy a new cluster for a new cluster spec.",
    ),
)
PODS = (
    option(
        "head_sidecar_containers",
        "HELIOGRAPH_HEAD_SIDECAR_CONTAINERS",
        DECIDING,
        "Containers to add to every head pod, after all others.",
    ),
    option(
        "worker_sidecar_containers",
        "HELIOGRAPH_WORKER_SIDECAR_CONTAINERS",
        DECIDING,
        "Containers to add to every worker pod, after all others.",
    ),
    option(
        "default_container_envs",
        "HELIOGRAPH_DEFAULT_CONTAINER_ENVS",
        DECIDING,
        "Variables for every Ray container that has none of the name.",
    ),
    option(
        "default_pod_labels",
        "HELIOGRAPH_DEFAULT_POD_LABELS",
        DECIDING,
        "Labels for every Ray pod that has none of the key.",
    ),
    option(
        "default_pod_annotations",
        "HELIOGRAPH_DEFAULT_POD_ANNOTATIONS",
        DECIDING,
        "Annotations for every Ray pod that has none of the key.",
    ),
)
