"""Sealing: no planted secret is left, every decision is the same, and what is not is named."""

from functools import cache

import pytest
from msgspec.structs import replace

from heliograph.views import deciding
from heliograph.views.capsule import Line, Slice, Tally, cut
from heliograph.views.sealing import Sealed, judged, seal
from services.reconciler.decisions.decide import decide
from services.reconciler.decisions.decision import Context
from services.reconciler.decisions.settings import digest_of
from services.reconciler.manifests.settings import ManifestSettings
from services.reconciler.service import as_plain
from shared.aggregates.view import View
from shared.events import subjects
from shared.events.codec import encode
from shared.events.decisions import Decided, SettingsUsed
from shared.events.envelope import Record
from shared.events.objects import PodSeen
from shared.resources.labels import RECREATE_HASH
from tests.support.builders import CONTEXT, SETTINGS, cluster_spec, group, resource
from tests.support.planted import SECRETS, histories
from tests.support.plot import Plot

NAMES = ("cluster", "job by HTTP", "job by a submitter", "service")


@cache
def planted() -> dict[str, list[Record]]:
    return histories()


def text_of(lines: tuple[Line, ...]) -> str:
    return "\n".join(
        f"{line.record.subject} {encode(line.record.envelope).decode()}" for line in lines
    )


def whole(records: list[Record]) -> Slice:
    return cut(records, None, None)


def test_the_histories_hold_what_was_planted() -> None:
    everything = "".join(text_of(whole(records).lines) for records in planted().values())

    assert [secret for secret in SECRETS if secret not in everything] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("since", [0, 5, -3])
def test_no_planted_secret_is_left_and_everything_is_decided_the_same(
    name: str, since: int
) -> None:
    records = planted()[name]

    sealed = seal(cut(records, records[since].at if since else None, None))

    told = text_of(sealed.lines)
    assert [secret for secret in SECRETS if secret in told] == []
    assert sealed.on_source == sealed.in_capsule
    assert sealed.in_capsule.identical == sealed.in_capsule.all > 0
    assert sealed.altered == ()


@pytest.mark.parametrize("name", NAMES)
def test_sealing_twice_gives_the_same_bytes(name: str) -> None:
    first, second = (seal(whole(planted()[name])) for _ in range(2))

    assert text_of(first.lines) == text_of(second.lines)


@pytest.mark.parametrize("name", NAMES)
def test_places_in_the_log_stay_what_they_were(name: str) -> None:
    found = whole(planted()[name])
    sealed = seal(found)

    before = [(line.record.sequence, line.record.at, line.base) for line in found.lines]
    assert [(line.record.sequence, line.record.at, line.base) for line in sealed.lines] == before
    keys = [line.record.envelope.key for line in found.lines]
    assert [line.record.envelope.key for line in sealed.lines] == keys


def test_a_stamp_follows_the_spec_that_it_is_made_from() -> None:
    """The head would be made anew at once if its hash were that of another spec."""
    sealed = seal(whole(planted()["cluster"]))
    acts = [act for line in sealed.lines if isinstance(act := body(line), Decided)]
    head = next(pod for line in sealed.lines if isinstance(pod := body(line), PodSeen))

    stamp = acts[0].manifests["head"]["metadata"]["annotations"][RECREATE_HASH]  # type: ignore[index] # JSON
    assert head.meta.annotations[RECREATE_HASH] == stamp
    assert head.meta.annotations["heliograph.dev/act"] == acts[0].id


def test_a_stamp_of_a_spec_that_is_not_there_cannot_be_guessed_from() -> None:
    records = planted()["cluster"]
    stamped = next(one for one in records if isinstance(one.envelope.body, PodSeen))
    seen = stamped.envelope.body
    assert isinstance(seen, PodSeen)
    stamp = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
    meta = replace(seen.meta, annotations={RECREATE_HASH: stamp})
    other = replace(stamped, envelope=replace(stamped.envelope, body=replace(seen, meta=meta)))

    sealed = seal(whole([other if one is stamped else one for one in records]))

    assert stamp not in text_of(sealed.lines)


def test_settings_are_redacted_and_named_anew() -> None:
    manifests = ManifestSettings(
        version="v1.7.0", default_container_envs=({"name": "PROXY", "value": "proxy-parole-1"},)
    )
    settings = replace(SETTINGS, manifests=manifests)
    plot = Plot(replace(CONTEXT, settings=settings))
    used = SettingsUsed(digest=digest_of(settings), settings=as_plain(settings))
    plot.append(subjects.settings(used.digest), used)
    plot.sees(resource(cluster_spec(group(replicas=1))))
    plot.commits()

    sealed = seal(whole(plot.records))

    assert "proxy-parole-1" not in text_of(sealed.lines)
    assert used.digest not in text_of(sealed.lines)
    assert sealed.in_capsule == Tally(identical=1)


def test_an_act_that_differs_on_the_source_is_carried_as_it_was_and_differs_again() -> None:
    sealed = seal(whole(forged("somebody said env-literal-4711")))

    assert sealed.on_source.different == sealed.in_capsule.different == 1
    assert "env-literal-4711" not in text_of(sealed.lines)
    (apart,) = (verdict for verdict in judged(sealed.lines) if verdict.differences)
    assert any("somebody said redacted-" in line for line in apart.differences)


def test_an_act_that_redaction_alters_is_named_and_not_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A rule may read a value that redaction has to take away."""

    def reads_values(view: View, context: Context) -> Decided | None:
        hidden = view.own is not None and "redacted-" in str(view.own.spec)
        return None if hidden else decide(view, context)

    monkeypatch.setattr(deciding, "decide", reads_values)

    sealed = seal(whole(planted()["cluster"]))

    acts = [line for line in sealed.lines if isinstance(body(line), Decided)]
    assert sealed.altered == tuple(line.record.sequence for line in acts)
    assert all(line.altered for line in acts)
    assert (sealed.on_source.identical, sealed.in_capsule) == (len(acts), Tally())
    assert [secret for secret in SECRETS if secret in text_of(sealed.lines)] == []


def forged(reason: str) -> list[Record]:
    """Records in which the first act has another first reason."""
    records = list(planted()["cluster"])
    index = next(i for i, one in enumerate(records) if isinstance(one.envelope.body, Decided))
    act = records[index].envelope.body
    assert isinstance(act, Decided)
    other = replace(act, because=(reason, *act.because[1:]))
    records[index] = replace(records[index], envelope=replace(records[index].envelope, body=other))
    return records


def body(line: Line) -> object:
    return line.record.envelope.body


def test_what_was_redacted_is_counted() -> None:
    sealed: Sealed = seal(whole(planted()["service"]))

    assert set(sealed.redacted) == {
        "environment values",
        "secrets in texts",
        "values named as secrets",
    }
