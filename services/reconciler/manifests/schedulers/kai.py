"""KAI: it finds gangs by itself and needs only a queue, from the cluster's label."""

from services.reconciler.manifests.pods.draft import PodDraft
from services.reconciler.manifests.schedulers import words
from shared.kernel.schedulers import KAI


def mark_for_kai(draft: PodDraft, _group: str) -> None:
    """Name the queue; without one the pod stays pending."""
    draft.spec["schedulerName"] = KAI
    if queue := draft.cluster.labels.get(words.KAI_QUEUE):
        draft.labels[words.KAI_QUEUE] = queue
