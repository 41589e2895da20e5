"""Our definitions and KubeRay's: equal, or different for a reason that is written down."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from shared.kernel.manifests import thawed
from shared.resources.crd import definitions
from tools.compare_crds import (
    PAGE,
    REASONS,
    THEIRS,
    Comparison,
    compare,
    comparisons,
    main,
    page,
)

NEEDED = pytest.mark.skipif(not THEIRS.is_dir(), reason="../shared/data/kuberay-crds is not here")


@cache
def found() -> tuple[Comparison, ...]:
    return comparisons()


@NEEDED
def test_every_difference_from_kuberay_has_a_reason() -> None:
    unexplained = [each for one in found() for each in one.unexplained]

    assert unexplained == []


@NEEDED
def test_every_reason_is_needed() -> None:
    used = {each.reason for one in found() for each in one.differences}

    assert used == {*REASONS}


@NEEDED
def test_all_four_files_of_kuberay_are_compared() -> None:
    assert len(found()) == len(list(THEIRS.glob("*.yaml")))
    assert all(one.paths > 4000 for one in found())


@NEEDED
def test_the_page_is_up_to_date() -> None:
    told = PAGE.read_text(encoding="utf-8")

    assert told == page(found()), "run python -m tools.compare_crds --write"


def changed(*path: str | int, to: object) -> Any:
    """Our RayCluster with one value changed."""
    definition: Any = thawed(definitions()[0])
    place = definition
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return definition


SPEC = ("spec", "versions", 0, "schema", "openAPIV3Schema", "properties", "spec", "properties")
GROUPS = (*SPEC, "workerGroupSpecs", "items", "properties")


@pytest.mark.parametrize(
    ("path", "to", "told"),
    [
        ((*GROUPS, "replicas", "default"), 1, "v1 spec.workerGroupSpecs[].replicas"),
        ((*GROUPS, "replicas", "type"), "string", "v1 spec.workerGroupSpecs[].replicas"),
        ((*GROUPS, "labels", "additionalProperties"), {}, "v1 spec.workerGroupSpecs[].labels{}"),
        ((*SPEC, "managedBy", "x-kubernetes-validations"), [], "v1 spec.managedBy"),
        ((*SPEC, "surplus"), {"type": "string"}, "v1 spec.surplus"),
        ((*SPEC, "defaultUser"), {"type": "string"}, "v1 spec.defaultUser"),
        (("spec", "versions", 0, "additionalPrinterColumns", 0, "priority"), 1, "v1 additional"),
        (("spec", "names", "categories"), [], "names"),
    ],
)
def test_sees_a_difference_of_any_sort(path: tuple[str | int, ...], to: object, told: str) -> None:
    compared = compare(definitions()[0], changed(*path, to=to))

    assert [each.path[: len(told)] for each in compared.unexplained] == [told]


@NEEDED
def test_says_so_at_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "RayCronJob" in capsys.readouterr().out


def test_needs_kuberays_files(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        comparisons(tmp_path)
