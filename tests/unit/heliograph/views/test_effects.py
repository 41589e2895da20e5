"""What a record shows to have been made or taken away."""

import pytest
from msgspec.structs import replace

from heliograph.views.effects import effects_in
from shared.events.objects import Observation, PodSeen
from tests.support.builders import UID, deleting, gone, worker
from tests.support.history import History

HERE = worker("a")
NEWER = worker("a", version=11)
OTHER = replace(NEWER, meta=replace(NEWER.meta, uid="another"))
STRAY = PodSeen(meta=replace(HERE.meta, owners=()))


@pytest.mark.parametrize(
    ("before", "now", "verbs"),
    [
        (None, HERE, ["create"]),
        (gone(HERE), OTHER, ["create"]),
        (HERE, NEWER, []),
        (HERE, OTHER, ["delete", "create"]),
        (HERE, deleting(NEWER), ["delete"]),
        (HERE, gone(HERE), ["delete"]),
        (deleting(HERE), gone(HERE), []),
        (None, gone(HERE), []),
        (None, STRAY, []),
    ],
)
def test_what_came_and_what_went(
    before: Observation | None, now: Observation, verbs: list[str]
) -> None:
    history = History()
    history.sees(now)
    found = list(effects_in(history.records[-1], ("pod", "a"), before))

    assert [effect.like for effect in found] == [(verb, "pod", "small") for verb in verbs]
    assert {effect.owner for effect in found} <= {UID}
