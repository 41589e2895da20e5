"""Cutting a slice: ranges with their base, what is linked, settings and marks beside."""

from datetime import timedelta

from msgspec.structs import replace

from heliograph.views.capsule import Slice, counts_of, cut, linked
from heliograph.views.deciding import deciding
from heliograph.views.replay import replay
from services.reconciler.decisions.settings import digest_of
from services.reconciler.service import as_plain
from shared.events import subjects
from shared.events.decisions import Decided, SettingsUsed
from shared.events.envelope import Record
from shared.events.objects import ObjectGone, Owner
from shared.events.records import KindListed
from shared.kernel.keys import ResourceKey
from tests.support.builders import KEY, NOON, SETTINGS, cluster_spec, group, resource, worker
from tests.support.plot import Plot

DIGEST = digest_of(SETTINGS)


def listed(number: int) -> KindListed:
    return KindListed(kind="pod", session=f"{number}:w", number=number, resource_version=1, count=0)


def lived() -> Plot:
    """Two acts, a minute apart; the second rests on the record before its own minute."""
    plot = Plot()
    plot.append(subjects.sync("pod"), listed(1))
    used = SettingsUsed(digest=DIGEST, settings=as_plain(SETTINGS))
    plot.append(subjects.settings(DIGEST), used)
    unused = SettingsUsed(digest="other", settings={})
    plot.append(subjects.settings("other"), unused)
    plot.sees(resource(cluster_spec(group(replicas=1))))
    plot.executes(plot.commits())
    plot.append(subjects.sync("pod"), listed(2))
    plot.passes(60)
    plot.sees(resource(cluster_spec(group(replicas=2)), generation=2, version=2))
    act = plot.decides()
    assert act is not None
    plot.passes(60)
    plot.sees(worker("late"))
    plot.acts(act)
    plot.append(subjects.sync("pod"), listed(3))
    return plot


def sequences(found: Slice, *, base: bool) -> list[int]:
    return [line.record.sequence for line in found.lines if line.base == base]


def test_without_a_range_everything_is_taken_but_settings_that_nobody_names() -> None:
    found = cut(lived().records, None, None)

    assert sequences(found, base=True) == []
    assert sequences(found, base=False) == [1, 2, 4, 5, 6, 7, 8, 9, 10, 11]
    assert found.resources == (KEY,)
    assert (found.span.first, found.span.last) == (1, 11)


def test_a_range_begins_with_what_its_first_act_rests_on() -> None:
    plot = lived()
    found = cut(plot.records, NOON + timedelta(seconds=90), None)

    # 4 is covered by 8, on which act 10 rests; of the marks before the range the last one counts.
    assert sequences(found, base=True) == [2, 5, 6, 7, 8]
    assert sequences(found, base=False) == [9, 10, 11]


def test_every_act_of_a_range_can_be_decided_again() -> None:
    found = cut(lived().records, NOON + timedelta(seconds=90), None)
    records = [line.record for line in found.lines]

    verdicts = {one.sequence: one for one in replay(records, deciding(records))}

    assert verdicts[10].differences == ()
    assert not verdicts[10].missing


def test_a_range_ends_where_it_is_told() -> None:
    found = cut(lived().records, None, NOON + timedelta(seconds=30))

    assert sequences(found, base=False) == [1, 2, 4, 5, 6, 7]


def test_what_lived_only_before_the_range_is_left_out() -> None:
    found = cut(lived().records, NOON + timedelta(days=1), None)

    assert (found.lines, found.resources) == ((), ())


def test_records_are_counted_by_kind_and_facet() -> None:
    assert counts_of(cut(lived().records, None, None).lines) == {
        "beside": {"settings": 1, "sync": 3},
        "raycluster": {"act": 2, "obs": 3, "res": 1},
    }


def test_owners_and_what_is_owned_are_found() -> None:
    plot = Plot()
    seen = resource(cluster_spec())
    job = Owner(kind="RayJob", name="train", uid="u", controller=True)
    stranger = Owner(kind="Deployment", name="other", uid="u")
    plot.sees(replace(seen, meta=replace(seen.meta, owners=(job, stranger))))
    child = ObjectGone(kind="raycluster", name="made", uid="u", resource_version=9)
    plot.append(subjects.observed(KEY, "raycluster", "made"), child)
    plot.sees(worker("w1"))

    above, below = linked(KEY, plot.records)

    assert above == {ResourceKey("rayjob", KEY.namespace, "train")}
    assert below == {ResourceKey("raycluster", KEY.namespace, "made")}


def test_acts_come_whole() -> None:
    acts: list[Record] = [
        line.record
        for line in cut(lived().records, None, None).lines
        if isinstance(line.record.envelope.body, Decided)
    ]

    assert [record.sequence for record in acts] == [5, 10]
