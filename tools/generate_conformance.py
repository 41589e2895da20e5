"""What the sandbox takes from a real API server, made again: its types and its recorded answers.

`types` writes the fields of built-in kinds, `answers` plays every conformance case and records what
the real server says, `page` writes `docs/internals/sandbox.md` from the suite. All but `page` need
a real control plane: its kubeconfig is given by `--kubeconfig` (`python -m tools.realkube up`).
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sandbox.builtin import BUILTIN_KINDS
from tests.contract.kubernetes.conformance.calls import Call
from tests.contract.kubernetes.conformance.page import page
from tests.contract.kubernetes.conformance.playing import Server, configured
from tests.contract.kubernetes.conformance.recording import record, recorded
from tests.contract.kubernetes.conformance.suite import CASES

HOME = Path(__file__).resolve().parents[1]
PAGE = HOME / "docs" / "internals" / "sandbox.md"
TYPES = HOME / "sandbox" / "schemas" / "builtin_types.json"
OPEN = frozenset(("JSONSchemaProps", "FieldsV1", "RawExtension", "JSON"))
ATTEMPTS = 3
REFERENCE = "#/components/schemas/"


def main(arguments: Sequence[str]) -> int:
    """Run one command."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.generate_conformance", description=__doc__
    )
    parser.add_argument("command", choices=("types", "answers", "page"))
    parser.add_argument("--kubeconfig", type=Path, help="of a real control plane")
    options = parser.parse_args(arguments)
    if options.command == "page":
        PAGE.write_text(page())
        return 0
    if options.kubeconfig is None:
        parser.error("--kubeconfig is needed: start one with `python -m tools.realkube up`")
    asyncio.run({"types": _types, "answers": _answers}[options.command](options.kubeconfig))
    return 0


async def _answers(kubeconfig: Path) -> None:
    """Record; a case that hangs on time keeps its record if one of three plays gives it again."""
    known = recorded()
    async with configured(kubeconfig) as server:
        answers = await server.play_all(CASES)
        for _ in range(ATTEMPTS - 1):
            moved = [case for case in CASES if answers[case.key] != known.get(case.key)]
            answers |= await server.play_all(moved)
    record(answers)


async def _types(kubeconfig: Path) -> None:
    async with configured(kubeconfig) as server:
        described: dict[str, Any] = {}
        for kind in BUILTIN_KINDS:
            described |= await _described(server, kind.api_version())
    kinds = {
        f"{kind.api_version()}/{kind.kind}": _named(described, kind.api_version(), kind.kind)
        for kind in BUILTIN_KINDS
    }
    types: dict[str, dict[str, str]] = {}
    for name in kinds.values():
        _collect(name, described, types)
    text = json.dumps({"kinds": kinds, "types": types}, sort_keys=True, separators=(",", ":"))
    TYPES.write_text(text.replace("},", "},\n") + "\n")


async def _described(server: Server, api_version: str) -> dict[str, Any]:
    place = f"apis/{api_version}" if "/" in api_version else f"api/{api_version}"
    answer = await server.ask(Call(method="GET", path=f"/openapi/v3/{place}"))
    schemas: dict[str, Any] = answer["body"]["components"]["schemas"]
    return {_short(name): schema for name, schema in schemas.items()}


def _named(described: Mapping[str, Any], api_version: str, kind: str) -> str:
    group, _, version = api_version.rpartition("/")
    wanted = {"group": group, "version": version, "kind": kind}
    return next(
        name
        for name, schema in described.items()
        if wanted in schema.get("x-kubernetes-group-version-kind", ())
    )


def _collect(name: str, described: Mapping[str, Any], types: dict[str, dict[str, str]]) -> None:
    if name in types or name not in described:
        return
    properties = described[name].get("properties") or {}
    open_type = name.rpartition(".")[2] in OPEN
    types[name] = {} if open_type else {field: _kind(row) for field, row in properties.items()}
    for kind in types[name].values():
        _collect(kind.strip("[]{}"), described, types)


def _kind(row: Mapping[str, Any]) -> str:
    if "items" in row:
        return f"[{_kind(row['items'])}]"
    if isinstance(row.get("additionalProperties"), Mapping):
        return f"{{{_kind(row['additionalProperties'])}}}"
    return next((_short(found) for found in _references(row)), "")


def _references(row: Mapping[str, Any]) -> Iterator[str]:
    for each in (row, *row.get("allOf", ())):
        if "$ref" in each:
            yield str(each["$ref"]).removeprefix(REFERENCE)


def _short(name: str) -> str:
    return ".".join(name.split(".")[-3:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
