"""`heliograph completion SHELL`: the script with which a shell completes our commands and flags.

Made from the commands' own parsers, so it knows what they know.
"""

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from importlib import import_module
from typing import cast

import shtab

from heliograph.cli.app import COMMANDS, Command
from shared.runtime.failures import Exit

SHELLS = ("bash", "zsh", "fish")
PROGRAM = "heliograph"
EXAMPLES = """examples:
  source <(heliograph completion bash)
  heliograph completion bash > ~/.local/share/bash-completion/completions/heliograph
  heliograph completion zsh  > ~/.zfunc/_heliograph     with fpath+=~/.zfunc in ~/.zshrc
  heliograph completion fish > ~/.config/fish/completions/heliograph.fish"""


def add_arguments(parser: ArgumentParser) -> None:
    """Name the shell."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    parser.add_argument("shell", choices=SHELLS, help="Which shell it is for.")


def run(args: Namespace) -> int:
    """Print the script."""
    sys.stdout.write(shtab.complete(tree(), shell=args.shell) + "\n")
    return Exit.DONE


def tree() -> ArgumentParser:
    """Return one parser of all commands."""
    whole = ArgumentParser(prog=PROGRAM, allow_abbrev=False)
    whole.add_argument("--version", action="store_true", help="Say which this is.")
    parts = whole.add_subparsers(dest="command")
    for name, (module, sentence) in COMMANDS.items():
        command = cast("Command", import_module(module))
        one = parts.add_parser(name, help=sentence, allow_abbrev=False)
        command.add_arguments(one)
        _complete_files(one)
    return whole


def _complete_files(parser: ArgumentParser) -> None:
    """Let flags and words that name a file complete to files."""
    for action in parser._actions:  # noqa: SLF001 - argparse tells its actions nowhere else
        words = action.metavar if isinstance(action.metavar, str) else action.dest
        if words.upper() in ("FILE", "MANIFEST", "PATH") and action.nargs != 0:
            action.complete = shtab.FILE  # type: ignore[attr-defined] # how shtab is told
