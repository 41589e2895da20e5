"""One value as JSON or YAML, for programs; control characters are escaped by both."""

import sys
from argparse import ArgumentParser

import msgspec
import yaml

from shared.events.codec import encode

FORMS = ("table", "json", "yaml")


def add_output(parser: ArgumentParser, forms: tuple[str, ...] = FORMS) -> None:
    """Let people choose the form of the answer."""
    parser.add_argument(
        "-o", "--output", choices=forms, default=forms[0], help=f"How to print it ({forms[0]})."
    )


def print_value(value: object, form: str) -> None:
    """Print a whole value."""
    text = encode(value)
    if form == "yaml":
        plain = msgspec.json.decode(text)
        yaml.dump(plain, sys.stdout, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)
    else:
        sys.stdout.write(msgspec.json.format(text, indent=2).decode() + "\n")
