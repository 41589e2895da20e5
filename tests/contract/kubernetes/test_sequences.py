"""A small share of the random sequences, always the same; many more by hand (sequences.py)."""

import asyncio
from collections.abc import Iterator

import pytest

from tests.contract.kubernetes.sequences import play
from tests.support.realkube import RealKube, shared_real_kube

SHARE = 100


@pytest.fixture(scope="module")
def real_kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealKube]:
    with shared_real_kube(tmp_path_factory) as shared:
        yield shared


@pytest.mark.timeout(300)
def test_random_sequences_give_the_same_answers_on_both(real_kube: RealKube) -> None:
    found = asyncio.run(play(real_kube.kubeconfig, SHARE))

    assert [each.told() for each in found] == []
