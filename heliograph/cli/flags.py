"""The settings that a command has a use for, as flags.

`run` takes them all (`shared.runtime.reading.add_settings`); other commands show only what changes
what they do. Every variable of the environment is read all the same.
"""

from argparse import ArgumentParser

from shared.runtime.options import OPTIONS
from shared.runtime.reading import default_of

BUS = ("nats_url", "nats_creds", "nats_ca", "nats_cert", "nats_key")


def add_flags(parser: ArgumentParser, title: str, names: tuple[str, ...]) -> None:
    """Give a command the flags of these settings."""
    group = parser.add_argument_group(title)
    for option in OPTIONS:
        if option.name in names:
            default = default_of(option)
            told = f"default {default}; " if default else ""
            text = f"{option.help} ({told}${option.variable})".replace("%", "%%")
            group.add_argument(option.flag, metavar="VALUE", help=text)
