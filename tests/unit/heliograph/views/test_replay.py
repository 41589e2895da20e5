"""Replay: what is the same, what differs and where, and what cannot be compared any more."""

from msgspec.structs import replace

from heliograph.views.replay import Verdict, differences, replay, settings_in
from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.settings import digest_of
from services.reconciler.service import as_plain
from shared.aggregates.view import View
from shared.events import subjects
from shared.events.decisions import Decided, SettingsUsed
from shared.events.envelope import Record
from tests.support.builders import CONTEXT, KEY, SETTINGS, cluster_spec, group, resource, worker
from tests.support.plot import Plot

DIGEST = digest_of(SETTINGS)


def again(view: View, act: Decided) -> Decided | None:
    return decide(view, CONTEXT)


def lived() -> Plot:
    """A cluster comes up and is scaled: two acts, at records 3 and 6."""
    plot = Plot()
    body = SettingsUsed(digest=DIGEST, settings=as_plain(SETTINGS))
    plot.append(subjects.settings(DIGEST), body)
    plot.sees(resource(cluster_spec(group(replicas=1))))
    plot.executes(plot.commits())
    plot.sees(resource(cluster_spec(group(replicas=2)), generation=2, version=2))
    plot.commits()
    return plot


def spoil(records: list[Record], sequence: int, act: Decided) -> list[Record]:
    return [
        replace(record, envelope=replace(record.envelope, body=act))
        if record.sequence == sequence
        else record
        for record in records
    ]


def act_at(plot: Plot, sequence: int) -> Decided:
    body = plot.records[sequence - 1].envelope.body
    assert isinstance(body, Decided)
    return body


def test_the_same_code_decides_the_same() -> None:
    assert list(replay(lived().records, again)) == [
        Verdict(key=KEY, sequence=3),
        Verdict(key=KEY, sequence=6),
    ]


def test_finds_a_planted_difference_and_says_where_it_is() -> None:
    plot = lived()
    planted = replace(act_at(plot, 6), because=("the moon is full",), refusals=3)

    verdicts = list(replay(spoil(plot.records, 6, planted), again))

    assert verdicts[0] == Verdict(key=KEY, sequence=3)
    assert verdicts[1].differences == (
        f"because[0]: 'the moon is full' then, '{act_at(plot, 6).because[0]}' now",
        "refusals: 3 then, nothing now",
    )


def test_says_what_an_action_more_or_less_is() -> None:
    plot = lived()
    act = act_at(plot, 3)
    planted = replace(act, actions=act.actions[:-1])

    (first, *_) = replay(spoil(plot.records, 3, planted), again)

    assert first.differences == (
        f"actions: {len(act.actions) - 1} entries then, {len(act.actions)} now",
    )


def test_says_that_nothing_is_decided_now() -> None:
    (first, *_) = replay(lived().records, lambda *_: None)

    assert first.differences == ("nothing is decided now",)


def test_what_rests_on_records_that_are_gone_is_told_as_missing() -> None:
    records = [record for record in lived().records if record.sequence != 2]

    assert next(replay(records, again)) == Verdict(key=KEY, sequence=3, missing=True)


def test_what_rests_on_settings_that_are_gone_is_told_as_missing() -> None:
    records = lived().records[1:]

    assert list(replay(records, again)) == [
        Verdict(key=KEY, sequence=3, missing=True),
        Verdict(key=KEY, sequence=6, missing=True),
    ]


def test_records_of_another_resource_change_nothing() -> None:
    plot = lived()
    other = replace(KEY, name="other")
    stranger = replace(plot.records[1], sequence=99, subject=subjects.observed(other, "pod", "w9"))

    assert list(replay([*plot.records, stranger], again)) == list(replay(plot.records, again))


def test_equal_acts_do_not_differ() -> None:
    act = act_at(lived(), 3)

    assert list(differences(act, act)) == []


def test_settings_are_found_by_digest() -> None:
    assert settings_in(lived().records) == {DIGEST: as_plain(SETTINGS)}


def test_a_pod_seen_after_the_act_does_not_count_for_it() -> None:
    plot = lived()
    plot.sees(worker("w7"))

    assert all(not verdict.differences for verdict in replay(plot.records, again))
