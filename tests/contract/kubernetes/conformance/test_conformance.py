"""The sandbox answers as the real API server does, case by case.

The recorded answers of the real one decide; where a control plane is at hand, it must still answer
as recorded. A case that differs is a bug of the sandbox, or it stands in differences.py.
"""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.kubernetes.conformance.calls import Case
from tests.contract.kubernetes.conformance.differences import KNOWN
from tests.contract.kubernetes.conformance.playing import Server, configured, sandboxed
from tests.contract.kubernetes.conformance.recording import recorded
from tests.contract.kubernetes.conformance.suite import CASES
from tests.support.realkube import RealKube, shared_real_kube

ATTEMPTS = 3
Answers = dict[str, list[Any]]


@pytest.fixture(scope="module")
def sandbox_answers() -> Answers:
    """Play every case on one sandbox."""

    async def play() -> Answers:
        async with sandboxed() as server:
            return await server.play_all(CASES)

    return asyncio.run(play())


@pytest.fixture(scope="module")
def real_answers() -> Answers:
    return recorded()


@pytest.fixture(scope="module")
def real_kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealKube]:
    with shared_real_kube(tmp_path_factory) as shared:
        yield shared


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.key)
def test_the_sandbox_answers_as_the_real_one(
    case: Case, sandbox_answers: Answers, real_answers: Answers
) -> None:
    if case.key in KNOWN:
        assert sandbox_answers[case.key] != real_answers[case.key], "differs no longer: unlist it"
    else:
        assert sandbox_answers[case.key] == real_answers[case.key]


def test_every_case_is_recorded_under_its_own_name(real_answers: Answers) -> None:
    keys = [case.key for case in CASES]

    assert len(keys) == len(set(keys))
    assert set(keys) == set(real_answers)
    assert set(KNOWN) <= set(keys)


@pytest.mark.timeout(300)
def test_the_real_one_still_answers_as_recorded(real_kube: RealKube, real_answers: Answers) -> None:
    assert asyncio.run(_differing(real_kube, real_answers)) == {}


async def _differing(real_kube: RealKube, expected: Answers) -> Answers:
    async with configured(real_kube.kubeconfig) as server:
        left = list(CASES)
        played: Answers = {}
        for _ in range(ATTEMPTS):
            played = await _played(server, left)
            left = [case for case in left if played[case.key] != expected[case.key]]
    return {case.key: played[case.key] for case in left}


async def _played(server: Server, cases: list[Case]) -> Answers:
    return await server.play_all(cases)
