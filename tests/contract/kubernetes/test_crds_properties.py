"""Made-up resources: what is valid is taken by models and API server, what is broken by neither.

The resources are drawn from our own schemas, down to the pod templates, so that the server judges
every sort of field. The draws are the same in every run.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from shared.kernel.manifests import Raw, entries_at, mapping_at
from shared.resources.crd import definitions, spec_schema
from shared.resources.defaulting import stored
from shared.resources.reading import KINDS, read
from tests.support.crd_server import Api, Refused, install_ours
from tests.support.crds import Broken, mutated, valid
from tests.support.realkube import RealKube, shared_real_kube

OLD_KINDS = tuple(kind for kind in KINDS if kind != "RayCronJob")
BOUNDED = settings(
    max_examples=100,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[*HealthCheck],
)

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="session")
def real_kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealKube]:
    with shared_real_kube(tmp_path_factory) as shared:
        install_ours(shared)
        yield shared


@pytest.fixture(scope="module")
def api(real_kube: RealKube) -> Api:
    return Api(real_kube, real_kube.new_namespace())


def made(kind: str, version: str, spec: object) -> dict[str, Any]:
    metadata = {"name": "made-up", "labels": {"a": "b"}}
    return {"apiVersion": f"ray.io/{version}", "kind": kind, "metadata": metadata, "spec": spec}


@cache
def old_schema(kind: str) -> Raw:
    ours = next(each for each in definitions() if mapping_at(each, "spec", "names")["kind"] == kind)
    old = entries_at(ours, "spec", "versions")[1]
    return mapping_at(old, "schema", "openAPIV3Schema", "properties", "spec")


@st.composite
def resources(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(KINDS))
    return made(kind, "v1", draw(valid(spec_schema(kind))))


@st.composite
def old_resources(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(OLD_KINDS))
    return made(kind, "v1alpha1", draw(valid(old_schema(kind))))


@st.composite
def broken_resources(draw: st.DrawFn) -> tuple[dict[str, Any], Broken]:
    kind = draw(st.sampled_from(KINDS))
    schema = spec_schema(kind)
    broken = draw(mutated(schema, draw(valid(schema))))
    return made(kind, "v1", broken.value), broken


def places(raw: dict[str, Any]) -> set[str]:
    found = read(raw["kind"].lower(), raw)
    return {problem.path for problem in found} if isinstance(found, tuple) else set()


@BOUNDED
@given(raw=resources())
def test_what_is_valid_is_read_and_taken_and_kept_as_we_foretell(
    api: Api, raw: dict[str, Any]
) -> None:
    resource = read(raw["kind"].lower(), raw)
    assert not isinstance(resource, tuple), resource

    kept = api.create(raw, dry=True)

    assert not isinstance(kept, Refused), kept
    assert resource.as_written() == raw
    assert kept["spec"] == stored(raw)["spec"]


@BOUNDED
@given(raw=old_resources())
def test_what_is_valid_in_the_old_version_is_taken_and_read_like_the_new(
    api: Api, raw: dict[str, Any]
) -> None:
    kept = api.create(raw, dry=True)
    assert not isinstance(kept, Refused), kept

    if "rayClusterConfig" in raw["spec"] or raw["kind"] != "RayService":
        assert places(kept) == places(raw) == set()


@settings(BOUNDED, max_examples=300)
@given(drawn=broken_resources())
def test_what_is_broken_is_refused_with_its_place(
    api: Api, drawn: tuple[dict[str, Any], Broken]
) -> None:
    raw, broken = drawn

    answer = api.create(raw, dry=True)

    assert isinstance(answer, Refused), broken
    assert broken.place in places(raw) or broken.place in answer.message, (broken, answer)
