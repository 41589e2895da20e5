"""Compare our custom resource definitions with KubeRay's, path by path.

Types, required fields, defaults, words, bounds, formats, how lists and maps merge, rules with their
messages, and all that a version says beside its schema. Descriptions are not compared: KubeRay's
files have none. A difference needs a reason, here in the table. Without arguments it prints the
differences; with `--write` it writes `docs/reference/crds.md`. It ends with 1 if one is without.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import yaml
from msgspec import Struct

from shared.kernel.manifests import Raw, entries_at, is_raw, mapping_at, text_at, words_at
from shared.resources.crd import definitions
from tools.generate_crds import file_name

HOME = Path(__file__).resolve().parent.parent
THEIRS = HOME.parent / "shared" / "data" / "kuberay-crds"
PAGE = HOME / "docs" / "reference" / "crds.md"

_INNER = frozenset({"properties", "items", "additionalProperties", "description"})


class Reason(Struct, frozen=True, kw_only=True):
    """Why some differences are as they shall be."""

    what: str
    path: str
    why: str
    new: bool = False
    """Whether it is a reason only for what KubeRay's have not at all."""


REASONS = (
    Reason(
        what="Fields that Kubernetes 1.37 has and 1.36 has not",
        path=(
            r"\.(bindMountOptions|evictionResponders|httpGet\.protocol|grpc\.mode|emptyDir\.mode"
            r"|defaultUser|(clusterTrustBundle|podCertificate|serviceAccountToken|items\[\])\.user)"
            r"(\[\].*)?$"
        ),
        why="Ours come from the client of 1.37; an API server that has the field shall get it.",
        new=True,
    ),
    Reason(
        what="`error` of a load balancer's port, in the status of a service in a template",
        path=r"\.status\.loadBalancer\.ingress\[\]\.ports\[\](\.error)?$",
        why="Kubernetes does not require it. Nobody reads the status of a template.",
    ),
    Reason(
        what="Text of the warning for v1alpha1",
        path=r"^v1alpha1 deprecationWarning$",
        why="KubeRay's names the release of KubeRay that ends it.",
    ),
)


class Difference(Struct, frozen=True, kw_only=True):
    """One path of which the two do not say the same."""

    kind: str
    path: str
    ours: object
    theirs: object
    reason: Reason | None


class Comparison(Struct, frozen=True, kw_only=True):
    """What came of comparing one kind."""

    kind: str
    paths: int
    differences: tuple[Difference, ...]

    @property
    def unexplained(self) -> tuple[Difference, ...]:
        """Return the differences that have no reason."""
        return tuple(each for each in self.differences if each.reason is None)


def comparisons(folder: Path = THEIRS) -> tuple[Comparison, ...]:
    """Compare every definition of ours with the file of the same name."""
    return tuple(
        compare(ours, yaml.load((folder / file_name(ours)).read_bytes(), yaml.CSafeLoader))
        for ours in definitions()
    )


def compare(ours: Raw, theirs: Raw) -> Comparison:
    """Compare two definitions of one kind."""
    kind = text_at(ours, "spec", "names", "kind")
    said, told = dict(facts(ours)), dict(facts(theirs))
    paths = sorted({*said, *told})
    differing = [path for path in paths if said.get(path) != told.get(path)]
    return Comparison(
        kind=kind,
        paths=len(paths),
        differences=tuple(
            Difference(
                kind=kind,
                path=path,
                ours=said.get(path),
                theirs=told.get(path),
                reason=_reason(path, told.get(path)),
            )
            for path in differing
        ),
    )


def facts(definition: Raw) -> Iterator[tuple[str, object]]:
    """Yield all that a definition says, by path: `v1 spec.workerGroupSpecs[].replicas`."""
    spec = mapping_at(definition, "spec")
    yield "name", text_at(definition, "metadata", "name")
    yield from ((key, value) for key, value in spec.items() if key != "versions")
    for version in entries_at(spec, "versions"):
        name = text_at(version, "name")
        yield from ((f"{name} {key}", value) for key, value in version.items() if key != "schema")
        for path, said in _flat(mapping_at(version, "schema", "openAPIV3Schema"), ""):
            yield f"{name} {path.removeprefix('.')}", said


def _flat(schema: Raw, path: str) -> Iterator[tuple[str, Raw]]:
    said = {key: value for key, value in schema.items() if key not in _INNER}
    if "required" in said:
        said["required"] = sorted(words_at(said, "required"))
    yield path, said
    for key, inner in mapping_at(schema, "properties").items():
        if is_raw(inner):
            yield from _flat(inner, f"{path}.{key}")
    for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if is_raw(schema.get(key)):
            yield from _flat(mapping_at(schema, key), path + mark)


def _reason(path: str, theirs: object) -> Reason | None:
    fitting = (each for each in REASONS if re.search(each.path, path))
    return next((each for each in fitting if theirs is None or not each.new), None)


def page(found: Sequence[Comparison]) -> str:
    """Return the page of the documentation."""
    return f"""# Custom resource definitions

<!-- Written by tools/compare_crds.py: do not edit. -->

Heliograph serves the four kinds of KubeRay, group `ray.io`: the same names, versions, fields,
defaults, rules and columns. The definitions are in [`deploy/crds`](../../deploy/crds/), made from
the models in `shared/resources`; `heliograph crds` prints them. They are too large for a
client-side apply:

```sh
heliograph crds | kubectl apply --server-side --force-conflicts -f -
```

Both definitions of a kind cannot be installed at once: they have the same name. Whichever was
applied last is in force, and objects stored under one are read under the other.

## Compared with KubeRay 1.7

Path by path: types, required fields, defaults, words, bounds, formats, how lists and maps merge,
rules with messages, columns, categories, subresources. KubeRay's files have no descriptions; ours
describe every field of our own, so that `kubectl explain` tells something.

{_summary(found)}

## Why they differ

{_reasons(found)}
"""


def _summary(found: Sequence[Comparison]) -> str:
    rows = [
        f"| {each.kind} | {each.paths} | {each.paths - len(each.differences)} "
        f"| {len(each.differences) - len(each.unexplained)} | {len(each.unexplained)} |"
        for each in found
    ]
    head = ["| Kind | Paths | Equal | Different, with a reason | Unexplained |", "| --- " * 5 + "|"]
    return "\n".join([*head, *rows])


def _reasons(found: Iterable[Comparison]) -> str:
    counted = Counter(each.reason for one in found for each in one.differences)
    rows = [f"| {each.what} | {counted[each]} | {each.why} |" for each in REASONS]
    return "\n".join(["| Difference | Paths | Reason |", "| --- " * 3 + "|", *rows])


def main(arguments: Sequence[str]) -> int:
    """Print the differences, or write the page."""
    parser = argparse.ArgumentParser(description="Compare our definitions with KubeRay's.")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("--folder", type=Path, default=THEIRS, help="where KubeRay's files are")
    asked = parser.parse_args(arguments)
    found = comparisons(asked.folder)
    for each in (difference for one in found for difference in one.differences):
        because = each.reason.what if each.reason else "UNEXPLAINED"
        print(
            f"{each.kind} {each.path}\n  ours {each.ours}\n  KubeRay's {each.theirs}\n  {because}"
        )
    print(_summary(found))
    if asked.write:
        PAGE.write_text(page(found), encoding="utf-8")
        print(f"wrote {PAGE.name}")
    return 1 if any(one.unexplained for one in found) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
