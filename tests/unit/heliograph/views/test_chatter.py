"""What many workers do alike, in one line."""

from heliograph.views.chatter import summed_up
from heliograph.views.timeline import timeline
from tests.support.builders import act, creation, done, failed, gone, head, resource, worker
from tests.support.history import History

NAMES = ("w1", "w2", "w3")


def told(history: History) -> list[tuple[int, str]]:
    return [(one.sequence, one.text) for one in summed_up(timeline(history.records))]


def test_workers_that_come_up_together_are_one_line_each_step() -> None:
    history = History()
    history.sees(resource(), *(worker(name, ready=False) for name in NAMES))
    history.sees(*(worker(name, version=11) for name in NAMES))

    assert told(history) == [
        (1, "demo appeared"),
        (4, "3 workers of group small appeared"),
        (7, "3 workers of group small are Running"),
    ]


def test_a_lone_worker_keeps_its_name() -> None:
    history = History()
    history.sees(worker("w1"), gone(worker("w1")))

    assert told(history) == [(1, "pod w1 appeared"), (2, "pod w1 is gone")]


def test_groups_are_told_apart_and_the_head_by_itself() -> None:
    history = History()
    history.sees(head("h1"), worker("a1", group="a"), worker("b1", group="b"))
    history.sees(worker("a2", group="a"), worker("b2", group="b"))

    assert told(history) == [
        (1, "pod h1 appeared"),
        (4, "2 workers of group a appeared"),
        (5, "2 workers of group b appeared"),
    ]


def test_what_went_wrong_is_never_summed_up() -> None:
    history = History()
    history.sees(*(worker(name) for name in NAMES))
    history.sees(failed(worker("w2"), "Evicted"))
    history.sees(*(gone(worker(name)) for name in NAMES))

    assert told(history) == [
        (3, "3 workers of group small appeared"),
        (4, "pod w2 is Failed (Evicted)"),
        (7, "3 workers of group small are gone"),
    ]


def test_a_pause_ends_a_sum() -> None:
    history = History()
    history.sees(worker("w1"), worker("w2"))
    history.passes(31)
    history.sees(worker("w3"))

    assert told(history) == [(2, "2 workers of group small appeared"), (3, "pod w3 appeared")]


def test_what_was_done_to_workers_is_summed_up_too() -> None:
    history = History()
    asked = act(*(creation(name) for name in NAMES))
    history.acts(asked)
    history.answers(asked, *(done(name) for name in NAMES))
    moments = list(summed_up(timeline(history.records)))

    assert moments[-1].text == "create 3 workers of group small"
    assert moments[-1].count == 3
