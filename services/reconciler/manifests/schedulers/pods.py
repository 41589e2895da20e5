"""Mark a pod for the batch scheduler in use: the last step, so that nothing overrides it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from services.reconciler.manifests.pods.draft import PodDraft
from services.reconciler.manifests.schedulers.kai import mark_for_kai
from services.reconciler.manifests.schedulers.kubernetes import mark_for_kubernetes
from services.reconciler.manifests.schedulers.plugins import mark_for_plugins
from services.reconciler.manifests.schedulers.volcano import mark_for_volcano
from services.reconciler.manifests.schedulers.yunikorn import mark_for_yunikorn
from shared.kernel.schedulers import (
    KAI,
    KUBERNETES_WAS,
    SCHEDULER_PLUGINS,
    VOLCANO,
    YUNIKORN,
)
from shared.resources.labels import GROUP

_MARKS: Mapping[str, Callable[[PodDraft, str], None]] = MappingProxyType(
    {
        VOLCANO: mark_for_volcano,
        YUNIKORN: mark_for_yunikorn,
        KAI: mark_for_kai,
        SCHEDULER_PLUGINS: mark_for_plugins,
        KUBERNETES_WAS: mark_for_kubernetes,
    }
)


def schedule(draft: PodDraft) -> None:
    """Add what the batch scheduler wants to see; nothing without one."""
    mark = _MARKS.get(draft.settings.scheduler)
    if mark is not None:
        mark(draft, draft.labels[GROUP])
