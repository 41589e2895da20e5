"""What is odd about a cluster and no reason to stop: people are warned, once per generation.

Workers that the first autoscaler would see restarted; a status that tells of suspending and of
being suspended at once. The latter heals: suspending counts, and ends as always.
"""

from collections.abc import Iterator

from services.reconciler.decisions.raycluster import companions
from services.reconciler.decisions.raycluster.situation import Situation
from shared.actions.objects import PostNotice
from shared.validation.raycluster import status_problems, told
from shared.validation.scaling import restart_policy_warning


def warn(found: Situation) -> Iterator[PostNotice]:
    """Yield the warnings that people did not have for this generation."""
    return companions.untold(found, _warnings(found))


def marks(found: Situation) -> tuple[str, ...]:
    """Return what acts have to carry: what people were warned of."""
    return tuple(_warnings(found))


def _warnings(found: Situation) -> dict[str, PostNotice]:
    return {companions.mark(found, about): warning for about, warning in _odd(found)}


def _odd(found: Situation) -> Iterator[tuple[str, PostNotice]]:
    message = restart_policy_warning(found.cluster)
    if message is not None:
        because = "the first autoscaler does not expect workers to be restarted"
        yield "restart-policy", _warning("InvalidRayClusterSpec", message, because)
    for problem in status_problems(found.view.status):
        message = told(problem, found.cluster.namespace, found.cluster.name)
        yield "odd-status", _warning(problem.reason, message, problem.message)


def _warning(reason: str, message: str, because: str) -> PostNotice:
    return PostNotice(
        warning=True,
        reason=reason,
        action="Validate",
        message=message,
        rule="warnings",
        because=because,
    )
