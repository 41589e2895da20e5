"""`heliograph capsule`, `replay` and `rehearse` on files: what they print, and how they end."""

import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import yaml

from heliograph.assembly.capsules import read_manifest, write_capsule
from heliograph.cli.app import main
from heliograph.cli.capsule import manifest_of
from heliograph.cli.render import Screen
from heliograph.cli.stepping import step_lines
from heliograph.views.capsule import cut
from heliograph.views.sealing import seal
from heliograph.views.steps import Step
from services.reconciler.decisions.raycluster import decide as rules
from services.reconciler.decisions.raycluster import unhealthy
from services.reconciler.decisions.raycluster.situation import Situation
from shared.actions.objects import Action
from shared.events.envelope import Record
from shared.events.objects import PodSeen
from tests.contract.test_histories import records_of
from tests.support.builders import NOON, deletion
from tests.support.planted import SECRETS, histories

Captured = pytest.CaptureFixture[str]
FIRST = "raycluster/default/first"
WISHES = "create service first-head-svc, create pod of group headgroup, create pod of group small"


def saved(path: Path, records: tuple[Record, ...]) -> str:
    found = cut(records, None, None)
    sealed = seal(found)
    write_capsule(path, manifest_of(found, sealed, "log-1"), sealed.lines)
    return str(path)


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A worker fails."""
    return saved(tmp_path_factory.mktemp("a") / "failed.capsule", records_of("worker-failed"))


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A service is upgraded, with secrets everywhere."""
    records = tuple(histories()["service"])
    return saved(tmp_path_factory.mktemp("b") / "service.capsule", records)


def lines_of(capsys: Captured) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_shows_what_a_capsule_is(failed: str, capsys: Captured) -> None:
    assert main(["capsule", "show", failed]) == 0

    assert lines_of(capsys) == [
        "made by         heliograph 0.1.0, format 1",
        "from log        log-1; whether of a shadow is not known",
        "records         45, 0 of them from before the range",
        "range           2030-01-01 00:00:05 to 2030-01-01 00:01:40",
        "                records 1 to 45",
        "resources       raycluster/default/first",
        "holds           beside: 1 settings, 10 sync",
        "                raycluster: 2 act, 2 fire, 24 obs, 2 res, 4 status",
        "redacted        9 environment values",
        "on the source   2 decisions, identical",
        "in the capsule  2 decisions, identical",
        f"sha256          {read_manifest(Path(failed)).sha256}",
    ]


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_shows_it_to_programs(failed: str, form: str, capsys: Captured) -> None:
    assert main(["capsule", "show", failed, "-o", form]) == 0
    text = capsys.readouterr().out
    told = msgspec.json.decode(text) if form == "json" else yaml.safe_load(text)

    assert told["resources"] == [FIRST]
    assert told["in_capsule"] == {"identical": 2, "different": 0, "missing": 0}


@pytest.mark.parametrize(
    "arguments", [["capsule", "replay"], ["replay", "--capsule"], ["replay", FIRST, "--capsule"]]
)
def test_replays_a_file(failed: str, arguments: list[str], capsys: Captured) -> None:
    assert main([*arguments, failed]) == 0
    assert lines_of(capsys) == ["2 of 2 decisions of 1 resource are identical", "identical"]


def test_replays_for_programs(failed: str, capsys: Captured) -> None:
    assert main(["replay", "--capsule", failed, "-o", "json"]) == 0
    assert msgspec.json.decode(capsys.readouterr().out) == {
        "decisions": 2,
        "resources": 1,
        "identical": 2,
        "missing": 0,
        "different": 0,
        "differences": [],
    }


@pytest.mark.parametrize(
    ("bounds", "count"),
    [
        (["--from", "20"], 1),
        (["--to", "20"], 1),
        (["--from", "60s"], 2),
        (["--from", "30s"], 1),
        (["--from", "2030-01-01T00:01:00Z", "--to", "2030-01-01T00:02:00Z"], 1),
    ],
)
def test_replays_a_range(failed: str, bounds: list[str], count: int, capsys: Captured) -> None:
    assert main(["replay", "--capsule", failed, *bounds, "-o", "json"]) == 0
    assert msgspec.json.decode(capsys.readouterr().out)["identical"] == count


def test_a_range_without_decisions_is_no_identical_one(failed: str, capsys: Captured) -> None:
    assert main(["replay", FIRST, "--capsule", failed, "--from", "44"]) == 2
    assert f"there are no decisions of {FIRST} in that part of the log" in capsys.readouterr().err


def test_steps_from_decision_to_decision(failed: str, capsys: Captured) -> None:
    assert main(["replay", FIRST, "--capsule", failed, "--step"]) == 0
    told = lines_of(capsys)

    assert told[:9] == [
        "act 13 of raycluster/default/first, 2030-01-01 00:00:40 (1 of 2)",
        "  based on record 11, since the last act:",
        "    11  seen  first appeared",
        f"  decided {WISHES} (2)",
        "    because the cluster has no head service",
        "    because the cluster has no head pod",
        "    because group small has 0 of 2 workers",
        "  decided the same now",
        "",
    ]
    assert told[9].endswith("(2 of 2)")


def test_a_step_that_differs_says_where() -> None:
    step = Step(
        resource=FIRST,
        sequence=7,
        at=NOON,
        based_on=6,
        news=(),
        decided="to wait",
        because=("so",),
        verdict="different",
        differences=tuple(f"line {number}" for number in range(14)),
    )

    told = step_lines(Screen(io.StringIO(), {}), step, "1 of 1")

    assert told[1] == "  based on record 6"
    assert "  decided otherwise now" in told
    assert told[-2] == "    and 2 more"


def test_a_changed_rule_is_told_by_replay_and_by_rehearsal(
    failed: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    kept = tuple(one for one in rules.PODS if one.__module__ != unhealthy.__name__)
    monkeypatch.setattr(rules, "PODS", kept)

    assert main(["capsule", "replay", failed]) == 1
    replayed = lines_of(capsys)
    assert replayed[0] == "1 of 2 decisions of 1 resource are identical"
    assert replayed[-1] == "1 differ"
    assert main(["rehearse", "--capsule", failed]) == 1
    assert lines_of(capsys) == [
        "heliograph 0.1.0 decided 2 decisions of 1 resource again",
        "harmless, rule unhealthy: 1",
        "  raycluster/default/first, act 34, 2030-01-01 00:01:20",
        "    would not delete pod first-small-worker-bn2nt",
        "1 differ, harmlessly",
    ]


def test_a_rule_that_newly_deletes_ends_with_3(
    failed: str, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def greedy(found: Situation) -> Iterator[Action]:
        for (kind, name), seen in found.view.children.items():
            if kind == "pod" and isinstance(seen, PodSeen) and "head" in name:
                yield msgspec.structs.replace(deletion(name), uid=seen.meta.uid, rule="greedy")

    monkeypatch.setattr(rules, "PODS", (greedy, *rules.PODS))

    assert main(["rehearse", "--capsule", failed]) == 3
    told = lines_of(capsys)
    assert told[1] == "destructive, rule greedy: 1"
    assert told[3].startswith("    would delete pod first-head-")
    assert told[-1] == "1 differ, 1 of them destructively"
    assert main(["rehearse", "--capsule", failed, "-o", "json"]) == 3
    assert msgspec.json.decode(capsys.readouterr().out)["destructive"] == 1


def test_nothing_differs_and_rehearsal_ends_with_0(service: str, capsys: Captured) -> None:
    assert main(["rehearse", "--capsule", service, "--from", "7d"]) == 0
    assert lines_of(capsys) == [
        "heliograph 0.1.0 decided 30 decisions of 1 resource again",
        "identical",
    ]


def test_a_smaller_capsule_is_cut_from_a_larger(
    failed: str, tmp_path: Path, capsys: Captured
) -> None:
    part = str(tmp_path / "part.capsule")

    assert main(["capsule", "save", FIRST, "--capsule", failed, "--since", "30s", "-f", part]) == 0
    told = lines_of(capsys)
    assert "asked for       since 2030-01-01 00:01:10" in told
    assert "in the capsule  1 decision, identical" in told
    assert main(["capsule", "replay", part]) == 0


def test_the_same_slice_gives_the_same_file(failed: str, tmp_path: Path, capsys: Captured) -> None:
    paths = [tmp_path / name for name in ("one", "other")]
    for path in paths:
        assert main(["capsule", "save", "--all", "--capsule", failed, "-f", str(path)]) == 0

    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["save", "-f", "x"], "name resources as KIND/NAMESPACE/NAME, or say --all"),
        (["save", FIRST, "--all", "-f", "x"], "name resources as KIND/NAMESPACE/NAME, or say"),
        (["save", "first", "-f", "x"], "'first' is not of the form KIND/NAMESPACE/NAME"),
        (["save", "raycluster/a/b", "-f", "x"], "the log knows nothing of raycluster/a/b"),
        (["save", "--all", "--since", "soon", "-f", "x"], "--since: 'soon' is no sequence"),
        (["save", "--all", "--since", "12", "-f", "x"], "--since: '12' is a sequence, and a mom"),
        (["save", "--all", "--since", "1s", "--until", "9s", "-f", "x"], "this is after --until"),
        (["save", "--all", "--until", "9d", "-f", "x"], "holds nothing of these resources"),
        (["shew", "x"], "invalid choice: 'shew'"),
    ],
)
def test_mistakes_are_told(arguments: list[str], told: str, failed: str, capsys: Captured) -> None:
    source = ["--capsule", failed] if arguments[0] == "save" else []

    assert main(["capsule", *arguments, *source]) == 2
    assert told in capsys.readouterr().err


def test_writes_a_regression_test_that_runs_as_it_is(
    failed: str, tmp_path: Path, capsys: Captured
) -> None:
    assert main(["capsule", "test", failed, "-o", str(tmp_path / "tests")]) == 0
    written = tmp_path / "tests" / "test_failed.py"
    assert lines_of(capsys) == [f"{written}: 2 decisions; run it with pytest"]

    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(written)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "1 passed" in ran.stdout


def test_a_regression_test_fails_when_a_rule_has_changed(
    failed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    monkeypatch.setattr(rules, "PODS", rules.PODS[:1])

    assert main(["capsule", "test", failed, "-o", str(tmp_path)]) == 0
    assert lines_of(capsys)[1].startswith("it fails now: raycluster/default/first, act ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["capsule", "show"],
        ["capsule", "replay", "-o", "yaml"],
        ["replay", "--step", "--capsule"],
        ["replay", "--step", "-o", "json", "--capsule"],
        ["rehearse", "--capsule"],
    ],
)
def test_nothing_that_is_printed_tells_a_planted_secret(
    arguments: list[str],
    service: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:
    assert main([*arguments, service]) == 0
    told = capsys.readouterr().out

    assert told
    assert [secret for secret in SECRETS if secret in told] == []
