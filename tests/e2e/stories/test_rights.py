"""Each service runs under an account of its own, which may do what we deploy and nothing else."""

import pytest

from sandbox.outside.connection import open_session, read_kubeconfig
from tests.support.processes import Installation

pytestmark = [pytest.mark.xdist_group("stories"), pytest.mark.timeout(420)]

FORBIDDEN = {
    "watcher": ("POST", "/api/v1/namespaces/{}/pods"),
    "reconciler": ("GET", "/api/v1/namespaces/{}/pods"),
    "executor": ("PATCH", "/apis/ray.io/v1/namespaces/{}/rayclusters/x/status"),
    "status": ("GET", "/api/v1/namespaces/{}/pods"),
    "scheduler": ("GET", "/apis/ray.io/v1/namespaces/{}/rayclusters"),
}
ALLOWED = {"watcher": "/api/v1/namespaces/{}/pods"}


@pytest.mark.parametrize("service", FORBIDDEN)
async def test_a_service_may_not_do_what_is_not_its_business(
    here: Installation, service: str
) -> None:
    method, path = FORBIDDEN[service]
    access = read_kubeconfig(here.folder / f"{service}.kubeconfig")
    headers = {"Content-Type": "application/merge-patch+json"} if method == "PATCH" else {}
    async with open_session(access) as session:
        data = None if method == "GET" else "{}"
        where = path.format(here.namespace)
        async with session.request(method, where, data=data, headers=headers) as answer:
            told = await answer.json()
        async with session.get(ALLOWED.get(service, "/version").format(here.namespace)) as answer:
            allowed = answer.status

    assert (told["code"], told["reason"]) == (403, "Forbidden")
    assert f"system:serviceaccount:heliograph:heliograph-{service}" in told["message"]
    assert allowed == 200
