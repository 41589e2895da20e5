"""Batch schedulers: which there are, and how an installation chooses one.

Names and texts are KubeRay's, so that its flags can be carried over. At most one is in use: the
gate for scheduling by Kubernetes itself excludes the others, and the older switch, which means
Volcano, excludes the newer name.
"""

from shared.kernel.features import WORKLOAD_AWARE_SCHEDULING, Features

VOLCANO = "volcano"
YUNIKORN = "yunikorn"
KAI = "kai-scheduler"
SCHEDULER_PLUGINS = "scheduler-plugins"
KUBERNETES_WAS = "kubernetes-was-v1alpha2"
"""Kubernetes itself. Chosen by its gate only, never by name."""

NAMED = (VOLCANO, YUNIKORN, KAI, SCHEDULER_PLUGINS)
"""What a user may write."""


def choose_scheduler(name: str, *, enabled: bool, features: Features) -> str:
    """Return the batch scheduler in use, empty for none; raise ValueError with a sentence.

    `name` is `--batch-scheduler`, `enabled` the deprecated `--enable-batch-scheduler`.
    """
    if features.on(WORKLOAD_AWARE_SCHEDULING):
        if name or enabled:
            raise ValueError(
                "the KubernetesWAS feature gate cannot be combined with --batch-scheduler or "
                "--enable-batch-scheduler"
            )
        return KUBERNETES_WAS
    if name and enabled:
        raise ValueError(
            "both feature flags enable-batch-scheduler (deprecated) and batch-scheduler are set. "
            "Please use batch-scheduler only"
        )
    if name and name not in NAMED:
        raise ValueError(f"scheduler is not supported, name={name}: there are {', '.join(NAMED)}")
    return name or (VOLCANO if enabled else "")
