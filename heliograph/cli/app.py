"""The command tree and its help.

A command's module is imported when that command is called and not before, so `heliograph --help`
stays quick. A mistake on the command line, and anything a `FatalError` tells, is one message and
exit code 2.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from types import MappingProxyType
from typing import NoReturn, Protocol, cast

from heliograph import __version__
from shared.runtime.failures import Exit, FatalError

_INTERRUPTED = 130


class Command(Protocol):
    """What the module of a command offers."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Say what the command takes."""
        ...

    def run(self, args: Namespace) -> int:
        """Do it; return the exit code."""
        ...


COMMANDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "run": ("heliograph.cli.run", "run one service, several, or all in one process"),
        "init": ("heliograph.cli.init", "make or update the streams of the log"),
        "up": ("heliograph.cli.up", "everything on this machine, for you and kubectl"),
        "demo": ("heliograph.cli.demo", "watch a RayCluster live, suffer and end; then see why"),
        "sandbox": ("heliograph.cli.sandbox", "a Kubernetes in one process, with a scripted Ray"),
        "timeline": ("heliograph.cli.timeline", "one resource's history: seen, decided, done"),
        "why": ("heliograph.cli.why", "why an object is as it is, or is gone: cause and chain"),
        "get": ("heliograph.cli.get", "a resource as it was at any moment of the log"),
        "diff": ("heliograph.cli.diff", "what changed of a resource between two moments"),
        "replay": ("heliograph.cli.replay", "decide recorded history again and compare"),
        "rehearse": ("heliograph.cli.rehearse", "what this version would have decided otherwise"),
        "parity": ("heliograph.cli.parity", "what a shadow would do beside what was done"),
        "what-if": ("heliograph.cli.what_if", "fork a history, change a fact, compare outcomes"),
        "capsule": ("heliograph.cli.capsule", "a redacted slice of the log in one file"),
        "tail": ("heliograph.cli.tail", "what happens, in people's words, as it happens"),
        "subscribe": ("heliograph.cli.subscribe", "lifecycle events, as any subscriber hears them"),
        "doctor": ("heliograph.cli.doctor", "what is wrong with an installation, and what to do"),
        "approve": ("heliograph.cli.approve", "allow more deletions than the budget, for a while"),
        "validate": ("heliograph.cli.validate", "check manifests the way the operator does"),
        "crds": ("heliograph.cli.crds", "print the custom resource definitions"),
        "subscriptions": ("heliograph.cli.subscriptions", "webhooks for lifecycle events"),
        "completion": ("heliograph.cli.completion", "print what a shell needs to complete words"),
    }
)


class UsageError(FatalError):
    """The command line cannot be understood."""


class Parser(ArgumentParser):
    """An argument parser that tells a mistake in one message."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing all the usage."""
        raise UsageError(f"{message}{_nearest(message, self)} (see {self.prog} --help)")


def main(arguments: Sequence[str]) -> int:
    """Run the command named first; return the exit code."""
    try:
        return _dispatch(arguments)
    except FatalError as error:
        print(f"heliograph: {error}", file=sys.stderr)
        return Exit.REFUSED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.DONE


def _dispatch(arguments: Sequence[str]) -> int:
    match arguments:
        case []:
            print(usage(), file=sys.stderr)
            return Exit.REFUSED
        case ["-h" | "--help" | "help", *_]:
            print(usage())
            return Exit.DONE
        case ["--version", *_]:
            print(f"heliograph {__version__}")
            return Exit.DONE
        case [name, *rest] if name in COMMANDS:
            return _call(name, rest)
        case [name, *_]:
            raise UsageError(_unknown(name))
        case _:
            return Exit.REFUSED


def usage() -> str:
    """Return the help of the whole."""
    width = max(map(len, COMMANDS))
    lines = (f"  {name:<{width}}  {sentence}" for name, (_, sentence) in COMMANDS.items())
    return "\n".join(
        (
            "usage: heliograph COMMAND [OPTION ...]",
            "",
            "A Ray operator for Kubernetes that remembers.",
            "",
            "commands:",
            *lines,
            "",
            "heliograph COMMAND --help tells about one; heliograph --version, which this is.",
        )
    )


def _call(name: str, rest: Sequence[str]) -> int:
    from shared.runtime.flags import rewritten  # noqa: PLC0415 - --help needs no settings

    module, sentence = COMMANDS[name]
    command = cast("Command", import_module(module))
    parser = Parser(
        prog=f"heliograph {name}",
        description=f"{sentence[0].upper()}{sentence[1:]}.",
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    return command.run(parser.parse_args(rewritten(rest)))


def _unknown(name: str) -> str:
    if name.startswith("-"):
        return f"unknown option {name!r}: a command comes first (see heliograph --help)"
    close = get_close_matches(name, COMMANDS, n=1)
    advice = f"did you mean {close[0]}?" if close else f"there are {', '.join(COMMANDS)}"
    return f"unknown command {name!r}: {advice}"


def _nearest(message: str, parser: ArgumentParser) -> str:
    flags = [flag for flag in parser._option_string_actions if flag.startswith("--")]  # noqa: SLF001 - argparse tells its flags nowhere else
    words = [word for word in message.split() if word.startswith("-")]
    wrong = [f"--{word.partition('=')[0].lstrip('-')}" for word in words]
    if not wrong or not message.startswith("unrecognized"):
        return ""
    close = get_close_matches(wrong[0], flags, n=1)
    return f": did you mean {close[0]}?" if close else ""
