"""`heliograph capsule` and `replay` on files: what they print, and how they end."""

from pathlib import Path

import msgspec
import pytest
import yaml

from heliograph.assembly.capsules import read_manifest
from heliograph.cli.app import main
from tests.support.planted import SECRETS

Captured = pytest.CaptureFixture[str]
FIRST = "raycluster/default/first"


def test_shows_what_a_capsule_is(failed: str, capsys: Captured) -> None:
    assert main(["capsule", "show", failed]) == 0

    assert capsys.readouterr().out.splitlines() == [
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
    assert capsys.readouterr().out.splitlines() == [
        "2 of 2 decisions of 1 resource are identical",
        "identical",
    ]


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


def test_a_smaller_capsule_is_cut_from_a_larger(
    failed: str, tmp_path: Path, capsys: Captured
) -> None:
    part = str(tmp_path / "part.capsule")

    assert main(["capsule", "save", FIRST, "--capsule", failed, "--since", "30s", "-f", part]) == 0
    told = capsys.readouterr().out.splitlines()
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
    arguments: list[str], service: str, capsys: Captured
) -> None:
    assert main([*arguments, service]) == 0
    told = capsys.readouterr().out

    assert told
    assert [secret for secret in SECRETS if secret in told] == []
