"""What a refusal is called, and in which words it is told."""

import pytest

from heliograph.views.chronicle import Deed
from heliograph.views.origins import refused
from shared.actions.outcomes import UNAVAILABLE, Occupied, Outcome, Refused
from tests.support.builders import QUOTA, act, creation, resource
from tests.support.history import History

AWAY = Refused(code=0, reason=UNAVAILABLE, message="no answer from kubernetes: refused")
TAKEN = Occupied(uid="stranger", resource_version=3, message="it exists")


@pytest.mark.parametrize(
    ("outcome", "cause", "because"),
    [
        (QUOTA, "Quota", "the API server refused to create pod w1: exceeded quota: pods=4"),
        (
            AWAY,
            "Unavailable",
            "the API server could not create pod w1: no answer from kubernetes: refused",
        ),
        (TAKEN, "Occupied", "the name is somebody else's: create pod w1: it exists"),
    ],
)
def test_a_refusal_is_told_as_what_it_was(outcome: Outcome, cause: str, because: str) -> None:
    history, asked = History(), act(creation("w1"))
    history.sees(resource())
    history.acts(asked)
    record = history.records[-1]

    found = refused(Deed(act=record, action=asked.actions[0], outcome=outcome, answer=None))

    assert (found.cause, found.because) == (cause, because)
