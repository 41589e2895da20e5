"""Cut an act's actions into batches that may run side by side. Pure.

Order is kept between kinds of work (the service before the head, the head before its workers);
alike actions in a row go together, a few at a time.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, islice

from shared.actions.objects import Action, CreateObject

SIDE_BY_SIDE = 8
BINDING = "rolebinding"
"""The API server looks into the role that it names, which must be there by then."""


def batches(actions: Sequence[Action]) -> Iterator[tuple[Action, ...]]:
    """Yield the actions in order, in groups that may be done at once."""
    for _, alike in groupby(actions, key=_sort_of_work):
        while batch := tuple(islice(alike, SIDE_BY_SIDE)):
            yield batch


def _sort_of_work(action: Action) -> tuple[str, str, bool]:
    if not isinstance(action, CreateObject):
        return type(action).__name__, "", False
    return type(action).__name__, action.group, action.kind == BINDING
