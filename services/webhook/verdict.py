"""Whether an object may be stored.

Pure. Refused is what is new and wrong. Three things pass although they are wrong, because to refuse
them would lock in what is there:

- an object that is being deleted, so that its finalizers can go;
- a subresource: a status tells what is, whatever the spec says;
- what was wrong before in the same words: an update that makes nothing worse becomes a warning, or
  nobody could label, scale down or suspend what an older version let in.
"""

from collections.abc import Callable

from services.webhook.cautions import cautions
from services.webhook.messages import Request, Verdict
from shared.kernel.features import Features
from shared.kernel.manifests import Raw, text_at
from shared.resources.problem import Problem

Check = Callable[[Raw, Features], tuple[Problem, ...]]
"""What is wrong with an object, the first failure first."""
WRITES = ("CREATE", "UPDATE")
_STATUS = "status"


def judge(request: Request, check: Check, features: Features) -> Verdict:
    """Say what is wrong with what somebody wants to write, and what they should know."""
    raw = request.object
    if raw is None or request.operation not in WRITES or request.sub_resource:
        return Verdict()
    if text_at(raw, "metadata", "deletionTimestamp"):
        return Verdict()
    found = _of_writer(check(raw, features))
    before = _known(request, check, features) if found else frozenset()
    old = tuple(f"was already wrong: {one}" for one in found if str(one) in before)
    return Verdict(
        problems=tuple(one for one in found if str(one) not in before),
        warnings=(*old, *cautions(request.kind.kind, raw)),
    )


def _of_writer(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Leave out what is wrong with the status: who writes a spec cannot help it."""
    return tuple(one for one in problems if one.path.partition(".")[0] != _STATUS)


def _known(request: Request, check: Check, features: Features) -> frozenset[str]:
    if request.old_object is None:
        return frozenset()
    return frozenset(str(one) for one in check(request.old_object, features))
