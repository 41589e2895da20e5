"""Ports of the Ray container."""

from services.reconciler.manifests.pods.draft import PodDraft, add_once, parts

METRICS = "metrics"
METRICS_PORT = 8080


def add_metrics_port(draft: PodDraft) -> None:
    """Declare the port of Ray's metrics, unless a port of that name is declared."""
    add_once(parts(draft.ray, "ports"), {"name": METRICS, "containerPort": METRICS_PORT})
