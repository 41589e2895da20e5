"""Replay: what is the same, what differs and where, and what cannot be compared any more."""

from msgspec.structs import replace

from heliograph.views.replay import Replayer, Verdict, differences, replay, settings_in
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


def test_messages_are_compared_as_they_go_by() -> None:
    plot = lived()
    replayer = Replayer(again, settings_in(plot.records))

    found = [replayer.take(message) for message in plot.messages()]

    told = [verdict for verdict in found if verdict is not None]
    assert told == [Verdict(key=KEY, sequence=3), Verdict(key=KEY, sequence=6)]
    assert replayer.late == {}


def test_an_act_that_is_not_to_be_judged_still_counts_for_the_next() -> None:
    plot = lived()
    replayer = Replayer(again, settings_in(plot.records))

    found = [replayer.take(one, judge=one.sequence > 3) for one in plot.records]

    assert [verdict for verdict in found if verdict] == [Verdict(key=KEY, sequence=6)]


def test_an_act_that_rests_on_less_than_the_one_before_is_compared_all_the_same() -> None:
    """Somebody wrote the first act once more, with another reason: replay must not miss it."""
    plot = lived()
    first = act_at(plot, 3)
    plot.acts(replace(first, because=("somebody said so", *first.because[1:])))
    replayer = Replayer(again, settings_in(plot.records))
    for record in plot.records:
        replayer.take(record)

    assert [record.sequence for record in replayer.late[KEY]] == [7]
    (late,) = replayer.revisit(KEY, plot.records)
    assert late.sequence == 7
    assert [verdict.sequence for verdict in replay(plot.records, again)] == [3, 6, 7]
    assert any("somebody said so" in line for line in late.differences)


def test_a_late_act_whose_base_is_gone_is_missing() -> None:
    plot = lived()
    plot.acts(replace(act_at(plot, 3), based_on=1))
    replayer = Replayer(again, settings_in(plot.records))
    for record in plot.records:
        replayer.take(record)

    assert list(replayer.revisit(KEY, plot.records)) == [Verdict(key=KEY, sequence=7, missing=True)]


def test_what_comes_long_before_an_act_is_folded_and_not_held() -> None:
    plot = lived()
    plot.executes(act_at(plot, 6))
    for number in range(400):
        plot.passes(10)
        plot.sees(worker(f"w{number % 3}", version=100 + number))
    plot.sees(resource(cluster_spec(group(replicas=3)), generation=3, version=900))
    plot.commits()
    replayer = Replayer(again, settings_in(plot.records))

    found = [replayer.take(message) for message in plot.messages()]

    held = replayer._kept[KEY]
    assert len(held.news) + len(held.latest) < 150
    assert found[-1] == Verdict(key=KEY, sequence=len(plot.records))


def test_a_record_that_cannot_be_read_makes_what_rests_on_it_missing() -> None:
    plot = lived()
    messages = plot.messages()
    messages[4] = replace(messages[4], data=b'{"schema": 99}')
    replayer = Replayer(again, settings_in(plot.records))

    found = [verdict for one in messages if (verdict := replayer.take(one))]

    assert found == [Verdict(key=KEY, sequence=3), Verdict(key=KEY, sequence=6, missing=True)]


def test_differences_tell_no_secret() -> None:
    act = act_at(lived(), 3)
    one, other = (
        replace(act, manifests={"head": {"env": [{"name": "A", "value": value}]}})
        for value in ("value-4711", "value-4712")
    )

    assert list(differences(one, other)) == [
        "manifests.head.env[0].value: 'redacted-1' then, 'redacted-2' now"
    ]
