"""What we deploy, as objects: the plain manifests, and what kustomize makes of them."""

import shutil
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from tests.house.sources import HOME, files
from tests.support.processes import KUBECTL, run

MANIFESTS = HOME / "deploy" / "manifests"
Manifest: TypeAlias = dict[str, Any]


def manifests() -> list[Manifest]:
    """Return every object of the plain manifests."""
    texts = [path.read_text(encoding="utf-8") for path in files("deploy/manifests", ending=".yaml")]
    each = [one for text in texts for one in yaml.load_all(text, yaml.CSafeLoader)]
    return [one for one in each if one["kind"] not in ("Kustomization", "Component")]


def of_kind(*kinds: str) -> dict[str, Manifest]:
    """Return the objects of some kinds by their name, ours left out of it."""
    found = [one for one in manifests() if one["kind"] in kinds]
    return {one["metadata"]["name"].removeprefix("heliograph-"): one for one in found}


def pod_specs() -> dict[str, Manifest]:
    workloads = of_kind("Deployment", "StatefulSet", "Job")
    return {each: one["spec"]["template"]["spec"] for each, one in workloads.items()}


def rendered(folder: Path) -> dict[tuple[str, str], Manifest]:
    """Return what kustomize makes of a folder, by kind and name."""
    made = run(KUBECTL, "kustomize", str(folder))
    assert made.returncode == 0, made.stderr
    return {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(made.stdout)}


def with_component(name: str, folder: Path) -> Path:
    """Copy the manifests and uncomment the two lines that switch a component on, as guides say."""
    copied = folder / "manifests"
    shutil.copytree(MANIFESTS, copied, ignore=shutil.ignore_patterns("certificate"))
    whole = copied / "kustomization.yaml"
    text = whole.read_text(encoding="utf-8")
    for line in ("components:\n", f"  - {name}\n"):
        assert text.count(f"# {line}") == 1
        text = text.replace(f"# {line}", line)
    whole.write_text(text, encoding="utf-8")
    return copied
