"""`heliograph what-if`: what people see of forks, and what is refused."""

import asyncio
import io
from pathlib import Path

import msgspec
import pytest
import yaml

from heliograph.cli.app import main
from heliograph.cli.render import Screen
from heliograph.cli.what_if import answer_lines
from heliograph.simulator.forking import Asked, what_if
from heliograph.simulator.questions import read_question
from shared.bus.jetstream import JetStreamBus
from shared.bus.server import NatsServer
from shared.ports.event_log import Entry, LogEnd
from tests.contract.test_histories import messages_of, records_of
from tests.support.nats import open_connection
from tests.unit.heliograph.cli.recorded import assert_golden, capsule_of

Captured = pytest.CaptureFixture[str]
FIRST = "raycluster/default/first"
QUESTIONS: dict[str, dict[str, object]] = {
    "scaled-to-nothing": {"groups": {"small": {"replicas": 0}}},
    "suspended": {"after": "5s", "patch": {"spec": {"suspend": True}}},
    "evicted": {"pods": [{"group": "small", "count": 1, "fate": "evict"}]},
    "away": {"operator": {"away": "30s"}, "pods": [{"group": "headgroup", "fate": "delete"}]},
    "nothing": {},
}


def written(folder: Path, **question: object) -> str:
    path = folder / "question.yaml"
    path.write_text(yaml.safe_dump({"resource": FIRST, **question}), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_answer_page(name: str, tmp_path: Path, capsys: Captured) -> None:
    file = written(tmp_path, **QUESTIONS[name])
    capsule = str(capsule_of("worker-failed", tmp_path))

    code = main(["what-if", file, "--at", "30", "--for", "1m", "--capsule", capsule])

    assert code == (0 if name == "nothing" else 1)
    assert_golden(f"what-if-{name}", capsys.readouterr().out)


def test_programs_get_the_same_bytes_for_the_same_seed(tmp_path: Path, capsys: Captured) -> None:
    file = written(tmp_path, delete=True)
    capsule = str(capsule_of("worker-failed", tmp_path))
    command = ["what-if", file, "--at", "30", "--for", "30s", "--capsule", capsule]

    told = []
    for form in ("json", "json", "yaml"):
        assert main([*command, "--seed", "7", "-o", form]) == 1
        told.append(capsys.readouterr().out)

    assert told[0] == told[1]
    assert msgspec.json.decode(told[0]) == yaml.safe_load(told[2])
    assert msgspec.json.decode(told[0])["comparison"]["ends_alike"] is False


def test_a_question_may_come_from_standard_input(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"resource: {FIRST}\n"))
    capsule = str(capsule_of("worker-failed", tmp_path))

    assert main(["what-if", "-", "--for", "10s", "--capsule", capsule]) == 0
    assert "the same outcome after 10s" in capsys.readouterr().out


@pytest.mark.parametrize("width", [60, 100])
def test_a_terminal_is_wide_enough(width: int) -> None:
    question = read_question({"resource": FIRST, "groups": {"small": {"replicas": 0}}})
    answer = what_if(records_of("worker-failed"), Asked(question=question, at=30), lambda _: None)

    lines = list(answer_lines(Screen(io.StringIO(), {}, width=width), answer))

    assert max(map(len, lines)) <= width


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: [", "question.yaml: this is not YAML: "),
        ("resource: first", "question.yaml: resource: 'first' is not of the form"),
        (f"resource: {FIRST}\npods: [{{fate: oom}}]", "question.yaml: pods[0]: say either"),
        (f"resource: {FIRST}\ngroups: {{huge: {{}}}}", "question.yaml: groups.huge: there is no"),
        ("resource: raycluster/default/frist", "did you mean raycluster/default/first?"),
    ],
)
def test_a_bad_question_is_one_sentence_with_its_place(
    text: str, sentence: str, tmp_path: Path, capsys: Captured
) -> None:
    path = tmp_path / "question.yaml"
    path.write_text(text, encoding="utf-8")
    capsule = str(capsule_of("worker-failed", tmp_path))

    assert main(["what-if", str(path), "--at", "30", "--capsule", capsule]) == 2
    told = capsys.readouterr()
    assert sentence in told.err
    assert told.err.count("\n") == 1
    assert told.out == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere.yaml"], "nowhere.yaml: cannot be read: No such file or directory"),
        (["question.yaml", "--for", "ever"], "--for: 'ever' must be a span"),
        (["question.yaml", "--at", "2300-01-01"], "--at: 2300-01-01 is in the future: it is "),
    ],
)
def test_what_cannot_be_read_is_told(
    arguments: list[str], sentence: str, tmp_path: Path, capsys: Captured
) -> None:
    written(tmp_path)
    file, *more = arguments

    assert main(["what-if", str(tmp_path / file), *more]) == 2
    assert sentence in capsys.readouterr().err


async def _append(server: NatsServer) -> None:
    connection = await open_connection(server)
    log = JetStreamBus(connection).log
    for message in messages_of("worker-failed"):
        entry = Entry(subject=message.subject, id=str(message.sequence), data=message.data)
        await log.append(entry)
    await connection.close()


async def _ends(server: NatsServer) -> list[LogEnd]:
    connection = await open_connection(server)
    bus = JetStreamBus(connection)
    found = [await each.end() for each in (bus.log, bus.time, bus.news, bus.presence)]
    await connection.close()
    return found


def test_a_living_bus_is_read_and_nothing_is_written_to_it(
    nats: NatsServer, tmp_path: Path, capsys: Captured
) -> None:
    assert main(["init", "--nats-url", nats.url]) == 0
    asyncio.run(_append(nats))
    before = asyncio.run(_ends(nats))
    capsys.readouterr()
    file = written(tmp_path, pods=[{"group": "small", "fate": "delete"}])

    code = main(["what-if", file, "--at", "30", "--for", "30s", "--nats-url", nats.url])

    assert code == 1
    assert "create 2 workers of group small" in capsys.readouterr().out
    assert asyncio.run(_ends(nats)) == before
