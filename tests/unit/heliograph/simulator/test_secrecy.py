"""No secret of a spec, of a question or of a status comes out of a fork."""

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest

from heliograph.simulator.forking import Asked, what_if
from heliograph.simulator.questions import read_question
from shared.events.codec import encode
from shared.events.envelope import Record
from tests.support.builders import Raw
from tests.support.planted import SECRETS, cluster_recreated, job_done

MINE = "correct-horse-battery"
HISTORIES: dict[str, Callable[[], Sequence[Record]]] = {
    "raycluster/prod/demo": lambda: cluster_recreated().records,
    "rayjob/prod/train": lambda: job_done().records,
}


@pytest.mark.parametrize("resource", HISTORIES)
def test_a_fork_tells_no_secret(resource: str) -> None:
    records = HISTORIES[resource]()
    spec: Raw = {"headGroupSpec": {"rayStartParams": {"redis-password": MINE}}}
    if resource.startswith("rayjob/"):
        spec = {"rayClusterSpec": spec}
    document = {
        "resource": resource,
        "patch": {"metadata": {"annotations": {"note": MINE}}, "spec": spec},
    }
    wish = Asked(question=read_question(document), lasts=timedelta(seconds=20))

    told = encode(what_if(records, wish, lambda _: None)).decode()

    assert len(told) > 200
    assert [secret for secret in (*SECRETS, MINE) if secret in told] == []
