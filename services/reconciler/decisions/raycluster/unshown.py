"""A change that the API server takes without it showing is not asked for again.

Somebody between us and the store undid it, and would do so for ever. What is remembered is the
version of the object and the very change: another wish, or another version, is tried anew. The
answer to the last act tells it first, then a mark that acts carry.
"""

from services.reconciler.decisions.raycluster import companions
from services.reconciler.decisions.raycluster.situation import Situation
from shared.actions.objects import PatchObject
from shared.actions.outcomes import Done
from shared.aggregates.expectations import answered
from shared.events.codec import encode
from shared.events.objects import ChildSeen
from shared.kernel.ids import content_id
from shared.kernel.manifests import Raw


def tried(found: Situation, child: ChildSeen, patch: Raw) -> bool:
    """Whether this change was made and the object still is as it was left then."""
    return companions.noted(found, mark(child, patch)) or any(
        (action.kind, action.name) == (child.kind, child.meta.name)
        and isinstance(outcome, Done)
        and outcome.resource_version == child.meta.resource_version
        and encode(action.patch) == encode(patch)
        for action, outcome in (
            answered(found.view.act, found.view.answer) if found.view.act else ()
        )
        if isinstance(action, PatchObject)
    )


def mark(child: ChildSeen, patch: Raw) -> str:
    """Return what an act carries of a change that did not show."""
    change = content_id(child.meta.resource_version, encode(patch))
    return f"unshown/{child.kind}/{child.meta.name}/{change}"


def marks(found: Situation, child: ChildSeen, patch: Raw) -> tuple[str, ...]:
    """Return what acts have to carry of a change that is still wished for."""
    return (mark(child, patch),) if patch and tried(found, child, patch) else ()
