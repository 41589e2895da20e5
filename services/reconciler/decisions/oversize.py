"""A resource that is too large for the log is told without its spec: it makes no sense to decide.

For every kind: ask before reading the resource. Nothing of it is touched until it is smaller.
"""

from shared.aggregates.view import View
from shared.events.objects import RECORD_BYTES_MAX
from shared.resources.predicates import OPERATOR
from shared.resources.problem import Problem


def too_large(view: View, reason: str) -> tuple[Problem, ...]:
    """Return the one problem of a resource whose spec was left out; `reason` is its event's."""
    size = view.own.bytes_left_out if view.own else 0
    if not size:
        return ()
    message = (
        f"the resource is too large: its record has {size} bytes and may have {RECORD_BYTES_MAX}. "
        "Please move what its pod templates hold as text into ConfigMaps or images"
    )
    return (Problem(path="spec", message=message, reason=reason),)


def somebody_elses(view: View) -> bool:
    """Whether another operator cares for the resource, however odd the rest of it is."""
    spec = view.own.spec if view.own else {}
    return spec.get("managedBy") not in (None, OPERATOR)
