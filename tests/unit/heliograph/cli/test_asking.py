"""Questions about one object: how it and time are named, and help where nothing is known."""

import json
from pathlib import Path

import pytest
import yaml

from heliograph.cli.app import main
from heliograph.cli.asking import close_to, cron_gate, key_of
from shared.bus.memory import MemoryServer
from shared.events.codec import encode
from shared.events.decisions import SettingsUsed
from shared.events.envelope import SCHEMA, Envelope
from shared.events.lifecycle import LifeTold
from shared.events.subjects import life, settings
from shared.kernel.keys import ResourceKey
from shared.ports.event_log import Entry, FromSequence
from tests.contract.test_histories import KEY
from tests.support.builders import NOON
from tests.support.history import History
from tests.unit.heliograph.cli.recorded import capsule_of, saved

Captured = pytest.CaptureFixture[str]
ASKING = ("timeline", "why", "get", "diff")


@pytest.fixture(scope="module")
def capsule(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(capsule_of("worker-failed", tmp_path_factory.mktemp("capsules")))


def ask(command: str, about: str, capsule: str, *more: str) -> int:
    since = ["--from", "20"] if command == "diff" else []
    return main([command, about, *since, *more, "--capsule", capsule])


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("RayCluster/prod/demo", "raycluster"),
        ("rayclusters/prod/demo", "raycluster"),
        ("po/prod/demo", "pod"),
        ("svc/prod/demo", "service"),
        ("ingress/prod/demo", "ingress"),
        ("ingresses/prod/demo", "ingress"),
    ],
)
def test_kinds_are_read_as_kubectl_reads_them(text: str, kind: str) -> None:
    assert key_of(text) == ResourceKey(kind, "prod", "demo")


@pytest.mark.parametrize(
    ("about", "near"),
    [
        ("raycluster/prod/demo", ("raycluster/prod/demos",)),
        ("raycluster/dev/other", ("raycluster/prod/other", "rayjob/prod/other")),
        ("pod/prod/demo", ()),
    ],
)
def test_near_is_the_same_name_elsewhere_or_a_name_that_is_alike(
    about: str, near: tuple[str, ...]
) -> None:
    known = ("raycluster/prod/demos", "raycluster/prod/other", "rayjob/prod/other")

    assert close_to(key_of(about), known) == near


@pytest.mark.parametrize("command", ASKING)
def test_what_the_log_does_not_know_is_told_with_what_is_near(
    command: str, capsule: str, capsys: Captured
) -> None:
    assert ask(command, "raycluster/default/frist", capsule) == 2
    told = capsys.readouterr()

    assert told.out == ""
    assert told.err == (
        "heliograph: the log knows nothing of raycluster/default/frist; "
        "did you mean raycluster/default/first?\n"
    )


@pytest.mark.parametrize("command", ASKING)
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_every_answer_is_for_programs_too(
    command: str, form: str, capsule: str, capsys: Captured
) -> None:
    assert ask(command, str(KEY), capsule, "-o", form) == 0
    text = capsys.readouterr().out
    read = yaml.safe_load(text) if form == "yaml" else [json.loads(x) for x in _parts(text)]

    assert read


def _parts(text: str) -> list[str]:
    """Return the JSON values of a text: one, or one a line."""
    return [text] if text.startswith("{\n") else text.splitlines()


def test_a_range_of_a_timeline(capsule: str, capsys: Captured) -> None:
    assert ask("timeline", str(KEY), capsule, "--since", "30", "--until", "34", "-o", "json") == 0
    told = [json.loads(line)["sequence"] for line in capsys.readouterr().out.splitlines()]

    assert told
    assert min(told) >= 30
    assert max(told) <= 34


@pytest.mark.parametrize("form", ["table", "json", "yaml"])
def test_an_empty_range_is_told_with_what_there_is(
    form: str, capsule: str, capsys: Captured
) -> None:
    assert ask("timeline", str(KEY), capsule, "--since", "46", "-o", form) == 0
    said = capsys.readouterr()

    assert said.out == ""
    assert said.err == (
        "heliograph: nothing of raycluster/default/first is in that range: it is known from "
        "record 11 (2030-01-01 00:00:40) to record 45 (2030-01-01 00:01:40); the capsule covers "
        "record 1 (2030-01-01 00:00:05) to record 45 (2030-01-01 00:01:40)\n"
    )


def test_without_a_range_none_is_blamed_for_having_nothing_to_tell(
    tmp_path: Path, capsys: Captured
) -> None:
    history = History()
    history.append(life(history.key, "ready"), LifeTold(what="ready", number=1, data={}))
    capsule = str(saved(history.records, tmp_path / "old.capsule"))

    assert ask("timeline", str(history.key), capsule) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(
        "heliograph: nothing of raycluster/prod/demo is left to tell: it is known from record 1 ("
    )


def test_what_is_waited_for_is_told_also_of_an_empty_range(
    tmp_path: Path, capsys: Captured
) -> None:
    capsule = str(capsule_of("refused-by-quota", tmp_path, until=30))

    assert ask("timeline", str(KEY), capsule, "--since", "31") == 0
    said = capsys.readouterr()
    assert said.err.startswith("heliograph: nothing of raycluster/default/first is in that range")
    assert said.out.startswith("now  waits (Quota) for group small: ")


@pytest.mark.parametrize("command", ["get", "timeline", "diff", "replay", "parity"])
def test_of_what_has_no_history_of_its_own_why_tells(
    command: str, capsule: str, capsys: Captured
) -> None:
    assert ask(command, "po/default/first-head-g2v6x", capsule) == 2

    assert capsys.readouterr().err == (
        f"heliograph: {command} is for raycluster, rayjob, raycronjob, rayservice; of a pod tells: "
        "heliograph why pod/default/first-head-g2v6x\n"
    )


@pytest.mark.parametrize("command", ASKING)
def test_a_schedule_that_nobody_watches_is_told_with_its_gate(
    command: str, capsule: str, capsys: Captured
) -> None:
    assert ask(command, "raycronjob/default/nightly", capsule) == 2

    assert capsys.readouterr().err == (
        "heliograph: the log knows nothing of raycronjob/default/nightly; RayCronJobs are watched "
        "only with --feature-gates RayCronJob=true, and it is off here\n"
    )


async def test_a_gate_that_is_on_is_no_reason() -> None:
    log = MemoryServer().connect("a").log

    async def told(*gates: str) -> str:
        used = SettingsUsed(digest=str(len(gates)), settings={"features": {"enabled": gates}})
        envelope = Envelope(schema=SCHEMA, id=used.digest, body=used, code="", written_at=NOON)
        subject = settings(used.digest)
        await log.append(Entry(subject=subject, id=used.digest, data=encode(envelope)))
        return await cron_gate(lambda filters: log.read(filters, FromSequence(1)))

    assert (await told()).endswith("and it is off here")
    assert await told("RayCronJob") == ""


def test_every_step_of_every_worker_is_told_on_demand(tmp_path: Path, capsys: Captured) -> None:
    capsule = str(capsule_of("created-and-deleted", tmp_path))
    assert ask("timeline", str(KEY), capsule) == 0
    summed = capsys.readouterr().out
    assert ask("timeline", str(KEY), capsule, "--pods") == 0
    whole = capsys.readouterr().out

    assert "2 workers of group small became ready" in summed
    assert "workers of group" not in whole
    assert len(whole.splitlines()) > len(summed.splitlines())


def test_a_capsule_is_told_with_its_days(capsule: str, capsys: Captured) -> None:
    assert ask("timeline", str(KEY), capsule) == 0

    assert capsys.readouterr().out.splitlines()[1] == "--- 2030-01-01 ---"


@pytest.mark.parametrize(
    ("command", "flags", "told"),
    [
        ("timeline", ["--since", "soon"], "--since: 'soon' is no sequence like 4711"),
        ("get", ["--at", "25:00"], "--at: '25:00' is no sequence like 4711"),
        ("get", ["--at", "3"], "the log knew nothing of raycluster/default/first then"),
        ("get", ["--at", "2031-01-01"], "--at: 2031-01-01 is in the future: the capsule ends at"),
        ("get", ["--at", "999"], "--at: there is no record 999 yet: the capsule covers record 1 "),
        ("diff", ["--to", "2031-01-01"], "--to: 2031-01-01 is in the future"),
        ("diff", ["--from", "30", "--to", "20"], "--from: this is after --to"),
        ("diff", ["--from", "30", "--to", "2030-01-01T00:00:44Z"], "--from: this is after --to"),
        ("diff", ["--from", "2030-01-01T00:01:30Z", "--to", "20"], "--from: this is after --to"),
        ("timeline", ["--since", "30", "--until", "20"], "--since: this is after --until"),
        ("timeline", ["--follow"], "--follow goes with a living log and without an end"),
    ],
)
def test_a_mistake_is_one_message(
    command: str, flags: list[str], told: str, capsule: str, capsys: Captured
) -> None:
    assert ask(command, str(KEY), capsule, *flags) == 2
    said = capsys.readouterr()

    assert said.out == ""
    assert said.err.startswith(f"heliograph: {told}")
    assert len(said.err.splitlines()) == 1


@pytest.mark.parametrize("command", ASKING)
def test_help_has_examples_and_exit_codes(command: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    told = capsys.readouterr().out

    assert ended.value.code == 0
    assert f"  heliograph {command} raycluster/default/first" in told
    assert "exit codes: 0, and 2" in told
