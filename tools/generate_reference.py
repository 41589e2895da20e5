"""Write the pages of docs/reference that come from code, or check that they are up to date.

    python tools/generate_reference.py            write them
    python tools/generate_reference.py --check    exit 1 and say which are stale

`tests/house/test_reference.py` holds them fresh. Another page: a function here and a line in
`PAGES`.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from shared.kernel.features import GATES
from shared.runtime.kinds import describe, show
from shared.runtime.kuberay import PODS as FIELDS_OF_PODS
from shared.runtime.kuberay import THEIRS, VARIABLES
from shared.runtime.options import (
    APART,
    BESIDE,
    BUDGETS,
    BUS,
    COURIER,
    DECISIONS,
    JOBS,
    KUBE,
    PODS,
    PROCESS,
    SERVICES,
    WEBHOOK,
    Option,
)
from shared.runtime.reading import CONFIG_FLAG, CONFIG_VARIABLE, default_of, kind_of

HOME = Path(__file__).resolve().parents[1]
NOTE = "<!-- Made by tools/generate_reference.py. Change the code, then run it again. -->"


def settings() -> str:
    """Return the page of all settings."""
    return "\n".join(
        (
            "# Settings",
            "",
            NOTE,
            "",
            "Every setting has a flag and an environment variable. A flag wins over its variable,",
            "a variable over the [configuration file](#kuberays-names), the file over the default;",
            "an empty variable counts as not set. Settings are read once, when a service starts; a",
            "wrong one stops it with exit code 2 and a message that names the flag, variable or",
            "field. Flags may have one dash or two, and a switch needs no value.",
            "",
            *_section("The log", BUS),
            *_section("Kubernetes", KUBE),
            *_section("The process", PROCESS),
            *_section("Decisions", DECISIONS),
            *_section("RayJobs", JOBS),
            *_section("All Ray pods", PODS),
            *_section("The webhook", WEBHOOK),
            *_section("Deletions", BUDGETS),
            *_section("The courier", COURIER),
            *_feature_gates(),
            *_kuberay(),
        )
    )


def _section(title: str, options: tuple[Option, ...]) -> list[str]:
    rows = [
        _row(
            f"`{option.flag}`<br>`{option.variable}`",
            f"{option.help} {_accepts(option)}".strip(),
            f"`{default_of(option)}`" if default_of(option) else "",
            _services(option),
        )
        for option in options
    ]
    head = [_row("Flag, variable", "Meaning", "Default", "Services"), _row(*["---"] * 4)]
    return [f"## {title}", "", *head, *rows, ""]


def _services(option: Option) -> str:
    if set(SERVICES) - set(option.services):
        return ", ".join(option.services)
    more = (name for name in option.services if name in (*BESIDE, *APART))
    return ", ".join(("all", *more))


def _accepts(option: Option) -> str:
    kind = kind_of(option)
    return "" if kind is str else f"Takes {describe(kind)}."


def _feature_gates() -> list[str]:
    rows = [
        _row(f"`{name}`", gate.stage.value, show(gate.enabled), gate.guards)
        for name, gate in GATES.items()
    ]
    head = [_row("Gate", "Stage", "Default", "Guards"), _row(*["---"] * 4)]
    introduction = "For `--feature-gates`; `AllAlpha` and `AllBeta` set every gate of a stage."
    return ["## Feature gates", "", introduction, "", *head, *rows, ""]


def _kuberay() -> list[str]:
    samples = {"metrics-addr": "h:1", "log-stdout-encoder": "json", "zap-log-level": "info"}
    rows = []
    for one in THEIRS:
        options = one.translate(samples.get(one.flag, "1")) if one.translate else {}
        flags = ", ".join(f"`--{name.replace('_', '-')}`" for name in options)
        effect = f"the same as {flags}" if flags else f"none: {one.because}"
        flag = f"`--{one.flag}`" if one.flag else ""
        rows.append(_row(flag, f"`{one.field}`" if one.field else "", effect))
    for field, name in FIELDS_OF_PODS.items():
        rows.append(_row("", f"`{field}`", f"the same as `--{name.replace('_', '-')}`"))
    idle = [_row(f"`{name}`", f"none: {because}") for name, because in VARIABLES.items()]
    return [
        "## KubeRay's names",
        "",
        f"`{CONFIG_FLAG} FILE` (`{CONFIG_VARIABLE}`) reads KubeRay's configuration file",
        "(`apiVersion: config.ray.io/v1alpha1`, `kind: Configuration`). A field of the wrong type",
        "stops the start; one that nobody knows is told of in the log. KubeRay's flags are taken,",
        "too; where one and a flag of ours say different things, ours wins. What has no effect is",
        "told of once in the log, with the reason.",
        "",
        _row("Flag", "Field", "Effect"),
        _row(*["---"] * 3),
        *rows,
        "",
        _row("Variable", "Effect"),
        _row(*["---"] * 2),
        *idle,
        "",
    ]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


PAGES: Mapping[str, Callable[[], str]] = MappingProxyType({"settings.md": settings})


def stale(folder: Path) -> list[str]:
    """Return the pages in the folder that differ from what the code says."""
    pages = {folder / name: page() for name, page in PAGES.items()}
    return [
        path.name
        for path, text in pages.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


def write(folder: Path) -> None:
    """Write all pages into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Write or check; return the exit code."""
    folder = HOME / "docs" / "reference"
    if arguments == ["--check"]:
        old = stale(folder)
        for name in old:
            print(f"docs/reference/{name} is stale: run python tools/generate_reference.py")
        return 1 if old else 0
    write(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
