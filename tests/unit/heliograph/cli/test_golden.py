"""What people see of recorded histories, word for word, on paper and on narrow terminals.

Another rule or another wording changes these pages: delete the page, run again, and read it.
"""

import io
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from heliograph import __version__
from heliograph.cli.app import main
from heliograph.cli.diff import diff_lines
from heliograph.cli.get import snapshot_lines
from heliograph.cli.render import Screen
from heliograph.cli.tail import Tellers, as_json, lines_of
from heliograph.cli.timeline import rows
from heliograph.cli.why import answer_lines
from heliograph.views.chatter import summed_up
from heliograph.views.chronicle import Chronicle
from heliograph.views.diff import diff
from heliograph.views.moment import snapshot_at
from heliograph.views.timeline import timeline
from heliograph.views.why import why
from services.reconciler.decisions.raycluster import decide as rules
from services.reconciler.decisions.raycluster.situation import Situation
from shared.actions.objects import Action
from shared.bus.memory import MemoryServer
from shared.events.envelope import Record
from shared.events.objects import PodSeen
from shared.events.subjects import place_of
from shared.ports.event_log import Entry, FromSequence
from tests.contract.test_histories import HISTORIES, KEY, records_of
from tests.support.builders import deletion
from tests.support.history import message_of
from tests.unit.heliograph.cli.recorded import assert_golden, capsule_of

Captured = pytest.CaptureFixture[str]
FIRST = str(KEY)
HEAD = "pod/default/first-head-g2v6x"
EPOCH = datetime(2030, 1, 1, tzinfo=UTC)


def said(capsys: Captured, *arguments: str) -> str:
    assert main(arguments) == 0
    return as_of_no_version(capsys.readouterr().out)


def as_of_no_version(text: str) -> str:
    """What this version calls itself is no part of a page."""
    return text.replace(f"heliograph {__version__} ", "heliograph VERSION ")


def of_first(name: str) -> list[Record]:
    found = [(place_of(record.subject), record) for record in records_of(name)]
    return [record for place, record in found if place is not None and place.key == KEY]


@pytest.mark.parametrize("name", HISTORIES)
def test_the_timeline(name: str, tmp_path: Path, capsys: Captured) -> None:
    capsule = str(capsule_of(name, tmp_path))

    assert_golden(f"timeline-{name}", said(capsys, "timeline", FIRST, "--capsule", capsule))


@pytest.mark.parametrize("name", HISTORIES)
def test_the_reason(name: str, tmp_path: Path, capsys: Captured) -> None:
    capsule = str(capsule_of(name, tmp_path))

    assert_golden(f"why-{name}", said(capsys, "why", FIRST, "--capsule", capsule))


@pytest.mark.parametrize("form", ["table", "json", "yaml"])
def test_the_reason_of_a_head_that_was_made_anew(
    form: str, tmp_path: Path, capsys: Captured
) -> None:
    """Under the same name: both are told of, each by its uid."""
    capsule = str(capsule_of("head-killed", tmp_path))

    told = said(capsys, "why", HEAD, "-o", form, "--capsule", capsule)
    assert_golden(f"why-head-as-{form}", told)


def test_the_moment(tmp_path: Path, capsys: Captured) -> None:
    capsule = str(capsule_of("worker-failed", tmp_path))

    assert_golden("get", said(capsys, "get", FIRST, "--capsule", capsule))
    told = said(capsys, "get", FIRST, "--at", "40", "-o", "yaml", "--capsule", capsule)
    assert_golden("get-yaml", told)


def test_the_difference(tmp_path: Path, capsys: Captured) -> None:
    capsule = str(capsule_of("scaled-up-and-down", tmp_path))

    told = said(capsys, "diff", FIRST, "--from", "40", "--capsule", capsule)
    assert_golden("diff", told)


@pytest.mark.parametrize("width", [80, 140])
def test_a_terminal_cuts_nothing_off(width: int) -> None:
    """Every word that paper shows is on the terminal, and no line is wider."""
    records = of_first("refused-by-quota")
    answer = why(Chronicle(records), KEY)
    moment, change = snapshot_at(KEY, records), diff(KEY, records, 30, None)
    assert answer is not None
    assert moment is not None
    assert change is not None
    moments = tuple(summed_up(timeline(records)))
    pages: tuple[Callable[[Screen], list[str]], ...] = (
        lambda screen: rows(screen, moments),
        lambda screen: list(answer_lines(screen, answer)),
        lambda screen: list(snapshot_lines(screen, moment)),
        lambda screen: list(diff_lines(screen, change)),
    )
    for page in pages:
        narrow = page(Screen(io.StringIO(), {}, width=width))
        paper = page(Screen(io.StringIO(), {}))

        assert max(map(len, narrow)) <= width
        assert "".join("".join(narrow).split()) == "".join("".join(paper).split())


def test_the_timeline_on_a_narrow_terminal() -> None:
    screen = Screen(io.StringIO(), {}, width=80)
    moments = tuple(summed_up(timeline(of_first("refused-by-quota"))))

    assert_golden("timeline-at-80", "\n".join(rows(screen, moments)) + "\n")


@pytest.mark.parametrize("form", ["json", "yaml"])
@pytest.mark.parametrize(
    "words",
    [
        ("timeline", FIRST, "--until", "12"),
        ("timeline", FIRST, "--pods", "--until", "12"),
        ("why", FIRST),
        ("get", FIRST, "--at", "12"),
        ("diff", FIRST, "--from", "40"),
        ("replay",),
        ("rehearse",),
    ],
    ids=lambda words: "-".join(word.strip("-") for word in words if word != FIRST),
)
def test_what_programs_read(
    words: tuple[str, ...], form: str, tmp_path: Path, capsys: Captured
) -> None:
    capsule = str(capsule_of("worker-failed", tmp_path))
    name = "-".join(word.strip("-") for word in words if word != FIRST)

    told = said(capsys, *words, "-o", form, "--capsule", capsule)
    assert_golden(f"{name}-as-{form}", told)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("replay", ("replay",)),
        ("replay-range", ("replay", FIRST, "--from", "10", "--to", "30")),
        ("rehearse", ("rehearse",)),
        ("timeline-of-pods", ("timeline", FIRST, "--pods")),
    ],
)
def test_what_is_decided_again(
    name: str, words: tuple[str, ...], tmp_path: Path, capsys: Captured
) -> None:
    capsule = str(capsule_of("worker-failed", tmp_path))

    assert_golden(name, said(capsys, *words, "--capsule", capsule))


@pytest.mark.parametrize("form", ["table", "json", "yaml"])
@pytest.mark.parametrize("deed", ["show", "replay"])
def test_a_capsule(deed: str, form: str, tmp_path: Path, capsys: Captured) -> None:
    capsule = str(capsule_of("worker-failed", tmp_path))

    told = said(capsys, "capsule", deed, capsule, "-o", form)
    assert_golden(f"capsule-{deed}-as-{form}", told.replace(str(tmp_path), "."))


@pytest.mark.parametrize("form", ["table", "json", "yaml"])
def test_a_rule_that_newly_deletes_is_rehearsed(
    form: str, tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Destructive: exit code 3, for a hook before an upgrade."""
    monkeypatch.setattr(rules, "PODS", (greedy, *rules.PODS))
    capsule = str(capsule_of("worker-failed", tmp_path))

    assert main(["rehearse", "-o", form, "--capsule", capsule]) == 3
    assert_golden(f"rehearse-greedy-as-{form}", as_of_no_version(capsys.readouterr().out))


def greedy(found: Situation) -> Iterator[Action]:
    """Delete every pod there is."""
    for (kind, name), seen in found.view.children.items():
        if kind == "pod" and isinstance(seen, PodSeen):
            yield replace(deletion(name), uid=seen.meta.uid, rule="greedy")


async def test_what_is_told_as_it_happens() -> None:
    log = MemoryServer().connect("a").log
    for record in records_of("worker-failed"):
        message = message_of(record)
        await log.append(Entry(subject=message.subject, id=str(record.sequence), data=message.data))
    tellers, paper = Tellers(log), Screen(io.StringIO(), {})
    lines = [
        line[len("12:00:00.000") :]
        async for message in log.read(("ray.>",), FromSequence(1))
        async for told in tellers.tell(message)
        for line in lines_of(paper, told)
    ]

    assert_golden("tail", "\n".join(lines) + "\n")


async def test_what_is_told_to_programs_as_it_happens(capsys: Captured) -> None:
    log = MemoryServer().connect("a").log
    for record in records_of("worker-failed")[:25]:
        message = message_of(record)
        await log.append(Entry(subject=message.subject, id=str(record.sequence), data=message.data))
    tellers = Tellers(log)
    async for message in log.read(("ray.>",), FromSequence(1)):
        async for told in tellers.tell(message):
            as_json(replace(told, at=EPOCH))

    assert_golden("tail-as-json", capsys.readouterr().out)
