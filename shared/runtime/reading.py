"""Flags and environment to settings, once, at the door.

A flag wins over its variable, a variable over the default; an empty variable is one that is not
set. What is wrong is told under the name the user wrote it: `--http-port: must be ...`.
"""

from argparse import ArgumentParser
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec
from msgspec.structs import FieldInfo, fields

from shared.runtime.failures import FatalError
from shared.runtime.kinds import parse, show
from shared.runtime.options import BUS, DECISIONS, KUBE, OPTIONS, PROCESS, SERVICES, Option
from shared.runtime.settings import (
    BusSettings,
    KubeSettings,
    ProcessSettings,
    RuleSettings,
    Settings,
)

Concern = TypeVar("Concern", bound=msgspec.Struct)

_FIELDS: Mapping[str, FieldInfo] = MappingProxyType(
    {
        field.name: field
        for concern in (BusSettings, KubeSettings, ProcessSettings, RuleSettings)
        for field in fields(concern)
    }
)
_TITLES = MappingProxyType(
    {"the log": BUS, "Kubernetes": KUBE, "this process": PROCESS, "decisions": DECISIONS}
)


class SettingsError(FatalError):
    """A flag or variable that cannot be used; the message names it."""


def add_settings(parser: ArgumentParser, services: Collection[str] = SERVICES) -> None:
    """Give a command the flags that these services know, grouped by concern."""
    for title, options in _TITLES.items():
        wanted = [option for option in options if set(option.services) & set(services)]
        if wanted:
            group = parser.add_argument_group(title)
            for option in wanted:
                group.add_argument(option.flag, metavar="VALUE", help=_help(option))


def read_settings(
    flags: Mapping[str, object], environment: Mapping[str, str], *, member: str
) -> Settings:
    """Read everything; raise SettingsError at the first setting that is wrong.

    `flags` are parsed arguments by name, None where not given; `member` names this process when
    the user did not.
    """
    given = dict(_given(option, flags, environment) for option in OPTIONS)
    chosen = {name: value for name, value in given.items() if value is not None}
    return Settings(
        bus=_fill(BusSettings, chosen),
        kube=_fill(KubeSettings, chosen),
        process=_fill(ProcessSettings, chosen | {"member_id": chosen.get("member_id") or member}),
        rules=_fill(RuleSettings, chosen),
    )


def kind_of(option: Option) -> object:
    """Return the annotation of the option's field."""
    return _FIELDS[option.name].type


def default_of(option: Option) -> str:
    """Return the default as a user would write it; empty where there is none."""
    return show(_FIELDS[option.name].default)


def _help(option: Option) -> str:
    default = default_of(option)
    told = f"default {default}; " if default else ""
    return f"{option.help} ({told}${option.variable})".replace("%", "%%")


def _given(
    option: Option, flags: Mapping[str, object], environment: Mapping[str, str]
) -> tuple[str, object]:
    flag = flags.get(option.name)
    source, text = (
        (option.flag, str(flag))
        if flag is not None
        else (option.variable, environment.get(option.variable, ""))
    )
    if flag is None and not text:
        return option.name, None
    try:
        return option.name, parse(kind_of(option), text)
    except ValueError as error:
        raise SettingsError(f"{source}: {error}") from None


def _fill(concern: type[Concern], chosen: Mapping[str, Any]) -> Concern:
    known = {field.name for field in fields(concern)}
    return concern(**{name: value for name, value in chosen.items() if name in known})
