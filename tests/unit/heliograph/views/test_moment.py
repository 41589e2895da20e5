"""A resource at any moment, and what changed between two, with the records that did it."""

from datetime import timedelta

import msgspec
from msgspec.structs import replace

from heliograph.views.chronicle import Chronicle
from heliograph.views.diff import diff
from heliograph.views.moment import snapshot_at
from heliograph.views.timeline import timeline
from heliograph.views.why import why
from shared.actions.outcomes import Refused
from tests.support.builders import (
    KEY,
    NOON,
    QUOTA,
    Raw,
    act,
    cluster_spec,
    creation,
    done,
    gone,
    group,
    head,
    resource,
    template,
    worker,
)
from tests.support.history import History

SECRET = "hunter2-very-secret"


def story() -> History:
    """A cluster that grows by one worker, and loses it."""
    history = History()
    history.sees(resource(cluster_spec(group(replicas=0))), head())
    history.passes(60)
    seen = resource(cluster_spec(group(replicas=1)), generation=2, version=2)
    history.sees(replace(seen, meta=replace(seen.meta, changed_by="kubectl-edit")))
    asked = act(creation("w1"), generation=2)
    history.acts(asked)
    history.answers(asked, done("w1"))
    history.passes(60)
    history.sees(worker("w1"))
    history.writes_status({"state": "ready"}, version=3)
    history.passes(60)
    history.sees(gone(worker("w1")))
    return history


def test_a_moment_shows_what_was_known_then() -> None:
    records = story().records
    early = snapshot_at(KEY, records, NOON)
    middle = snapshot_at(KEY, records, 5)
    late = snapshot_at(KEY, records)
    assert early is not None
    assert middle is not None
    assert late is not None

    assert (early.record, early.metadata["generation"], early.mind) == (2, 1, {})
    assert list(early.children) == [f"pod {head().meta.name}"]
    assert middle.mind["expects"] == {
        "pod w1": "to see its create, since 2030-01-01T12:00:00+00:00"
    }
    assert (late.record, late.status) == (8, {"state": "ready"})
    assert "pod w1" not in late.children


def test_before_the_first_record_nothing_was_known() -> None:
    assert snapshot_at(KEY, story().records, NOON - timedelta(hours=1)) is None
    assert diff(KEY, (), NOON, None) is None


def test_an_open_act_and_its_timers_are_in_mind() -> None:
    found = snapshot_at(KEY, story().records, 4)
    assert found is not None
    last = found.mind["lastAct"]
    assert isinstance(last, dict)

    assert (last["answered"], last["decided"]) == ("open", "create pod of group small")
    assert found.mind["timers"] == {"wake": "due 2030-01-01T12:00:20+00:00: overdue"}
    assert found.waits[0].startswith("waits (Answer) for raycluster demo")


def test_a_wait_is_counted_up_to_the_moment_that_is_asked_about() -> None:
    """Not up to the last record: while something is waited for, often nothing is written."""
    history = History()
    history.sees(resource())
    asked = act(creation("w1"))
    history.acts(asked)
    history.answers(asked, QUOTA)
    began = history.records[-1].at
    minute, hour = began + timedelta(minutes=1), began + timedelta(hours=1)
    pages = (
        snapshot_at(KEY, history.records, now=hour),
        snapshot_at(KEY, history.records, minute, now=hour),
        snapshot_at(KEY, history.records, 3, now=hour),
    )

    waits = [page.waits[0].split("; ")[1] for page in pages if page is not None]
    assert waits == ["for 1 h now", "for 1 min now", "for 0.0 s now"]


def test_what_was_refused_is_in_mind() -> None:
    history = History()
    history.sees(resource())
    asked = act(creation("w1"))
    history.acts(asked)
    history.answers(asked, QUOTA)
    found = snapshot_at(KEY, history.records)
    assert found is not None

    assert found.mind["troubles"] == {"create pod group small": "exceeded quota: pods=4"}


def test_every_difference_names_the_record_that_made_it() -> None:
    found = diff(KEY, story().records, 2, None)
    assert found is not None
    told = {one.text: (one.record, one.by) for one in found.differences}

    assert (found.first, found.last) == (2, 8)
    assert told["spec.workerGroupSpecs[0].replicas: 0 -> 1"] == (3, "kubectl-edit")
    assert told["metadata.changedBy: none -> kubectl-edit"] == (3, "kubectl-edit")
    assert told["status.state: none -> ready"] == (7, "")
    assert "mind.lastAct added" in told
    assert not any("w1" in text for text in told if text.startswith("children"))


def test_a_child_that_changed_is_told_with_its_record() -> None:
    found = diff(KEY, story().records, 3, 7)
    assert found is not None
    (child,) = [one for one in found.differences if one.path.startswith("children")]

    assert (child.text, child.record) == ("children.pod w1: none -> Running, ready", 6)


def test_nothing_between_two_equal_moments() -> None:
    found = diff(KEY, story().records, 8, None)
    assert found is not None

    assert found.differences == ()


def secretive() -> History:
    """A cluster whose spec holds a secret, which the API server repeats in a message."""
    pod: Raw = template()
    containers = [{"name": "ray", "image": "ray", "env": [{"name": "TOKEN", "value": SECRET}]}]
    spec = cluster_spec(group(replicas=1, template={**pod, "spec": {"containers": containers}}))
    history = History()
    history.sees(resource(spec))
    asked = act(creation("w1"))
    history.acts(asked)
    history.answers(asked, Refused(code=422, reason="Invalid", message=f"bad value {SECRET}"))
    changed = cluster_spec(group(replicas=1, template=template()))
    history.sees(resource(changed, generation=2, version=2))
    return history


def test_no_secret_is_shown_anywhere() -> None:
    records = secretive().records
    pages = (
        snapshot_at(KEY, records, 3),
        diff(KEY, records, 1, None),
        diff(KEY, records, 3, None),
        why(Chronicle(records[:3]), KEY),
        why(Chronicle(records), KEY),
        tuple(timeline(records)),
    )

    assert all(page is not None for page in pages)
    assert SECRET.encode() not in msgspec.json.encode(pages)
    assert b"bad value redacted-" in msgspec.json.encode(pages)
