"""Flags, environment and configuration file to settings, once, at the door.

A flag wins over its variable, a variable over the file, the file over the default. Of two flags
for the same thing ours wins over KubeRay's. An empty variable is one that is not set. What is wrong
is told under the name the user wrote it: `--http-port: must be ...`.
"""

from argparse import ArgumentParser
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec
from msgspec.structs import FieldInfo, fields

from shared.kernel.schedulers import choose_scheduler
from shared.runtime.configuration import NOTHING, Configuration
from shared.runtime.failures import SettingsError
from shared.runtime.kinds import parse, show
from shared.runtime.kuberay import THEIRS, translated
from shared.runtime.options import (
    APART,
    BESIDE,
    BUDGETS,
    BUS,
    COURIER,
    DECISIONS,
    JOBS,
    KUBE,
    OPTIONS,
    PODS,
    PROCESS,
    SERVICES,
    WEBHOOK,
    Option,
)
from shared.runtime.parts import MisshapenError
from shared.runtime.settings import (
    BudgetSettings,
    BusSettings,
    CourierSettings,
    KubeSettings,
    ProcessSettings,
    RuleSettings,
    Settings,
    WebhookSettings,
)

CONFIG_FLAG, CONFIG_VARIABLE = "--config", "HELIOGRAPH_CONFIG"
CONCERNS = (
    BusSettings,
    KubeSettings,
    ProcessSettings,
    RuleSettings,
    WebhookSettings,
    BudgetSettings,
    CourierSettings,
)

Concern = TypeVar("Concern", bound=msgspec.Struct)

_FIELDS: Mapping[str, FieldInfo] = MappingProxyType(
    {field.name: field for concern in CONCERNS for field in fields(concern)}
)
_TITLES = MappingProxyType(
    {
        "the log": BUS,
        "Kubernetes": KUBE,
        "this process": PROCESS,
        "decisions": DECISIONS,
        "RayJobs": JOBS,
        "all Ray pods": PODS,
        "the webhook": WEBHOOK,
        "the courier": COURIER,
        "deletions": BUDGETS,
    }
)


def add_settings(
    parser: ArgumentParser, services: Collection[str] = (*SERVICES, *BESIDE, *APART)
) -> None:
    """Give a command the flags that these services know, grouped by concern."""
    for title, options in _TITLES.items():
        wanted = [option for option in options if set(option.services) & set(services)]
        if wanted:
            group = parser.add_argument_group(title)
            for option in wanted:
                group.add_argument(option.flag, metavar="VALUE", help=_help(option))
    theirs = parser.add_argument_group("KubeRay's flags")
    theirs.add_argument(
        CONFIG_FLAG,
        metavar="FILE",
        help=f"KubeRay's configuration file; flags and variables win over it. (${CONFIG_VARIABLE})",
    )
    for one in THEIRS:
        if one.flag:
            text = f"No effect: {one.because}." if one.because else "As in KubeRay."
            theirs.add_argument(f"--{one.flag}", metavar="VALUE", help=text)


def read_settings(
    flags: Mapping[str, object],
    environment: Mapping[str, str],
    *,
    member: str,
    file: Configuration = NOTHING,
) -> Settings:
    """Read everything; raise SettingsError at the first setting that is wrong.

    `flags` are parsed arguments by name, None where not given; `member` names this process when
    the user did not; `file` is what a configuration file says.
    """
    try:
        theirs = translated(flags)
    except ValueError as error:
        raise SettingsError(str(error)) from None
    chosen = dict(file.parts)
    for option in OPTIONS:
        said = _said(option, flags, theirs, environment, file)
        if said is not None:
            chosen[option.name] = _parsed(option, *said)
    settings = _filled(chosen, member)
    _check_scheduler(settings.rules)
    return settings


def _filled(chosen: Mapping[str, Any], member: str) -> Settings:
    return Settings(
        bus=_fill(BusSettings, chosen),
        kube=_fill(KubeSettings, chosen),
        process=_fill(ProcessSettings, {**chosen, "member_id": chosen.get("member_id") or member}),
        rules=_fill(RuleSettings, chosen),
        webhook=_fill(WebhookSettings, chosen),
        budgets=_fill(BudgetSettings, chosen),
        courier=_fill(CourierSettings, chosen),
    )


def kind_of(option: Option) -> object:
    """Return the annotation of the option's field."""
    return _FIELDS[option.name].type


def default_of(option: Option) -> str:
    """Return the default as a user would write it; empty where there is none."""
    default = _FIELDS[option.name].default
    return "" if default is msgspec.NODEFAULT else show(default)


def _help(option: Option) -> str:
    default = default_of(option)
    told = f"default {default}; " if default else ""
    return f"{option.help} ({told}${option.variable})".replace("%", "%%")


def _said(
    option: Option,
    flags: Mapping[str, object],
    theirs: Mapping[str, tuple[str, str]],
    environment: Mapping[str, str],
    file: Configuration,
) -> tuple[str, str] | None:
    """Return who wins for an option, and what it says; None if nobody says anything."""
    flag = flags.get(option.name)
    if flag is not None:
        return option.flag, str(flag)
    if option.name in theirs:
        return theirs[option.name]
    if environment.get(option.variable):
        return option.variable, environment[option.variable]
    if option.name in file.texts:
        return file.sources[option.name], file.texts[option.name]
    return None


def _parsed(option: Option, source: str, text: str) -> object:
    try:
        return parse(kind_of(option), text)
    except MisshapenError as error:
        raise SettingsError(f"{source}{error.path}: {error.sentence}") from None
    except ValueError as error:
        raise SettingsError(f"{source}: {error}") from None


def _check_scheduler(rules: RuleSettings) -> None:
    try:
        choose_scheduler(
            rules.batch_scheduler,
            enabled=rules.enable_batch_scheduler,
            features=rules.feature_gates,
        )
    except ValueError as error:
        raise SettingsError(f"--batch-scheduler: {error}") from None


def _fill(concern: type[Concern], chosen: Mapping[str, Any]) -> Concern:
    known = {field.name for field in fields(concern)}
    return concern(**{name: value for name, value in chosen.items() if name in known})
