"""Pods that had one name, one after the other: each is told of by its uid, and none is mixed in."""

from msgspec.structs import replace

from heliograph.views.chronicle import Chronicle
from heliograph.views.findings import Why
from heliograph.views.incarnations import FORMER_MAX, formerly, lives_of
from heliograph.views.why import why
from shared.actions.objects import Action
from shared.actions.outcomes import Done
from shared.events.objects import PodSeen
from shared.kernel.keys import ResourceKey
from tests.support.builders import KEY, act, creation, deletion, failed, gone, head, resource
from tests.support.history import History

NAME = "demo-head"
POD = ResourceKey("pod", KEY.namespace, NAME)


def pod(uid: str, version: int) -> PodSeen:
    """The head of this uid."""
    seen = head(NAME, version=version)
    return replace(seen, meta=replace(seen.meta, uid=uid))


def answer(history: History) -> Why:
    found = why(Chronicle(history.records), POD)
    assert found is not None
    return found


def asks(history: History, action: Action, outcome: Done) -> None:
    """An act of one action, which rests on everything before it, and its answer."""
    last = history.records[-1].sequence
    asked = replace(act(action, id_=f"act-{last}"), based_on=last)
    history.acts(asked)
    history.answers(asked, outcome)


def made(history: History, uid: str, version: int) -> None:
    """The head is asked for and appears under its name."""
    asks(history, creation(NAME, "headgroup"), Done(uid=uid, resource_version=version))
    history.sees(pod(uid, version))


def test_a_head_made_anew_is_told_apart_from_the_one_before() -> None:
    history = History()
    history.sees(resource())
    made(history, "u-1", 10)
    history.passes(10)
    history.sees(failed(pod("u-1", 11), "OOMKilled"))
    history.sees(gone(pod("u-1", 12)))
    made(history, "u-2", 20)

    found = answer(history)

    assert (found.uid, [one.uid for one in found.former]) == ("u-2", ["u-1"])
    assert found.sentence.startswith(f"pod {NAME} (uid u-2) is ready, made because ")
    assert f"the former pod {NAME} (uid u-1)" in found.sentence
    (former,) = found.former
    assert former.sentence.startswith(f"pod {NAME} (uid u-1) is gone because pod {NAME} ")
    assert former.cause == "OutOfMemory"
    assert not any("u-2" in link.text for link in former.links)


def test_links_say_which_of_them_they_are_about() -> None:
    history = History()
    history.sees(resource())
    made(history, "u-1", 10)
    history.sees(gone(pod("u-1", 12)))
    made(history, "u-2", 20)

    texts = [link.text for link in answer(history).links]

    assert texts[0] == f"create pod {NAME} (uid u-2)"
    assert f"pod {NAME} is gone (uid u-1)" in texts


def test_one_that_nobody_saw_go_is_gone_all_the_same() -> None:
    history = History()
    history.sees(resource())
    made(history, "u-1", 10)
    made(history, "u-2", 20)

    (former,) = answer(history).former

    assert former.cause == "SomebodyDeleted"
    assert former.sentence.startswith(f"pod {NAME} (uid u-1) is gone because somebody else deleted")


def test_one_that_we_deleted_and_nobody_saw_go_is_told_by_our_act() -> None:
    history = History()
    history.sees(resource())
    made(history, "u-1", 10)
    deleted = Done(uid="u-1", resource_version=11)
    asks(history, replace(deletion(NAME), uid="u-1"), deleted)
    made(history, "u-2", 20)

    (former,) = answer(history).former

    assert former.links[0].text == f"delete pod {NAME} (uid u-1)"


def test_an_only_one_is_told_without_its_uid() -> None:
    history = History()
    history.sees(resource())
    made(history, "u-1", 10)

    found = answer(history)

    assert (found.uid, found.former) == ("u-1", ())
    assert "uid" not in found.sentence


def test_of_very_many_the_last_are_told() -> None:
    history = History()
    history.sees(resource())
    for number in range(FORMER_MAX + 3):
        made(history, f"u-{number}", 10 * (number + 1))

    found = answer(history)

    assert [one.uid for one in found.former] == ["u-6", "u-5", "u-4", "u-3", "u-2"]
    assert "2 more had this name before" in found.hints


def test_only_the_whole_name_is_the_former_one() -> None:
    told = formerly("pod a-1 of pod a: gone", "pod a", "u")

    assert told == "pod a-1 of the former pod a (uid u): gone"


def test_nothing_seen_is_no_life() -> None:
    assert lives_of(()) == {}
