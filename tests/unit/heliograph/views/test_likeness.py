"""What is the same kind of thing, whoever does it and whatever it is called."""

import pytest
from msgspec.structs import replace

from heliograph.views.likeness import Likeness, likeness_of
from shared.actions.jobs import StopJob, SubmitJob
from shared.actions.objects import Action, ConfigureServe, ConfirmObject, PatchObject, PostNotice
from shared.aggregates.expectations import Name
from shared.events.objects import Observation
from tests.support.builders import creation, deletion, gone, worker

PATCH = PatchObject(kind="service", name="s", uid="u", patch={"spec": {}}, rule="r", because="b")
STAMP = {"metadata": {"annotations": {"a": "b"}}}
LABEL = {"metadata": {"labels": {"a": "b"}}}
SUBMIT = SubmitJob(job_id="j", address="a", service="s", rule="r", because="b")
STOP = StopJob(job_id="j", address="a", service="s", rule="r", because="b")
SERVE = ConfigureServe(cluster="c", digest="d", address="a", service="s", rule="r", because="b")
CONFIRM = ConfirmObject(kind="pod", name="a", rule="r", because="b")
NOTICE = PostNotice(warning=True, reason="Odd", action="Look", message="m", rule="r", because="b")


@pytest.mark.parametrize(
    ("action", "like"),
    [
        (creation("drawn"), ("create", "pod", "small")),
        (replace(creation("s"), kind="service", group=""), ("create", "service", "s")),
        (deletion("there"), ("delete", "pod", "small")),
        (deletion("gone"), ("delete", "pod", "gone")),
        (deletion("unknown"), ("delete", "pod", "unknown")),
        (PATCH, ("change", "service", "s")),
        (replace(PATCH, patch=LABEL), ("change", "service", "s")),
        (replace(PATCH, patch=STAMP), None),
        (SUBMIT, ("submit", "job", "j")),
        (STOP, ("stop", "job", "j")),
        (SERVE, ("configure", "serve", "c")),
        (CONFIRM, None),
        (NOTICE, None),
    ],
)
def test_an_action_is_like_what_another_operator_would_do(
    action: Action, like: Likeness | None
) -> None:
    children: dict[Name, Observation] = {
        ("pod", "there"): worker("there"),
        ("pod", "gone"): gone(worker("gone")),
    }

    assert likeness_of(action, children) == like
