"""The command tree: help, mistakes, exit codes, and nothing imported too early."""

import subprocess
import sys
from argparse import Namespace

import pytest

from heliograph.cli.app import COMMANDS, Parser, UsageError, main, usage


def test_the_tree_holds_these_commands() -> None:
    assert list(COMMANDS) == [
        *("run", "init", "up", "demo", "sandbox", "timeline"),
        *("why", "get", "diff", "replay", "rehearse", "parity", "what-if", "capsule"),
        *("tail", "subscribe", "doctor", "approve", "validate", "crds", "subscriptions"),
        *("completion",),
    ]


@pytest.mark.parametrize("flag", ["-h", "--help", "help"])
def test_help_lists_every_command(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag]) == 0
    told = capsys.readouterr().out
    assert told == f"{usage()}\n"
    assert all(f"  {name} " in told for name in COMMANDS)


def test_without_a_command_the_help_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert capsys.readouterr() == ("", f"{usage()}\n")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("rnu", "heliograph: unknown command 'rnu': did you mean run?\n"),
        (
            "--loud",
            "heliograph: unknown option '--loud': a command comes first (see heliograph --help)\n",
        ),
    ],
)
def test_a_mistake_is_one_message(
    word: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word]) == 2
    assert capsys.readouterr() == ("", message)


def parser() -> Parser:
    made = Parser(prog="test", allow_abbrev=False)
    made.add_argument("--http-port", type=int)
    return made


def test_flags_are_read() -> None:
    assert parser().parse_args(["--http-port", "7"]) == Namespace(http_port=7)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--htp-port=7"],
            "unrecognized arguments: --htp-port=7: did you mean --http-port? (see test --help)",
        ),
        (["--bright"], "unrecognized arguments: --bright (see test --help)"),
        (
            ["--http-port", "x"],
            "argument --http-port: invalid int value: 'x' (see test --help)",
        ),
    ],
)
def test_a_wrong_flag_is_one_message(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        parser().parse_args(words)

    assert str(refused.value) == message


def test_a_flag_is_not_guessed_from_its_beginning() -> None:
    with pytest.raises(UsageError, match="did you mean --http-port"):
        parser().parse_args(["--http", "7"])


def test_the_help_imports_no_command() -> None:
    program = (
        "import sys; from heliograph.__main__ import main; main(['--help']);"
        "print(sorted(n for n in sys.modules if n.startswith(('heliograph.cli.', 'asyncio'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines()[-1] == "['heliograph.cli.app']"
