"""The observer that other tests rely on: what was there before it looked is seen as well."""

from sandbox.outside.connection import Access, open_session
from sandbox.server import serve
from shared.resources.crd import definitions
from tests.support.fleet import World

SERVICES = "/api/v1/namespaces/default/services"


def service(name: str) -> dict[str, object]:
    spec = {"clusterIP": "None", "ports": [{"port": 1}]}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec}


async def test_what_came_before_the_first_list_is_seen() -> None:
    """A service is made once and never changed: who misses it then waits for it in vain."""
    sandbox = await serve(crds=definitions())
    try:
        async with open_session(Access(url=sandbox.url)) as session:
            async with session.post(SERVICES, json=service("before")) as answer:
                assert answer.status == 201
            async with World(session, "default").following() as world:
                before = set(world.now["services"])
                async with session.post(SERVICES, json=service("after")) as answer:
                    assert answer.status == 201
                await world.until(lambda now: "after" in now.now["services"], "it is seen")
                seen = [one.name for one in world.history if one.plural == "services"]
    finally:
        await sandbox.close()

    assert before == {"before"}
    assert seen == ["before", "after"]
