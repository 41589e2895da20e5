"""What is drawn for a Secret stays between the executor and the API server."""

from base64 import b64encode

from msgspec.structs import replace

from sandbox.errors import ApiError
from sandbox.faults import Fault, Refuse
from sandbox.requests import Request
from services.executor.performing import Performer
from shared.actions.outcomes import Refused
from tests.support.builders import creation
from tests.unit.services.executor.acted import World, job_of


async def test_what_the_api_server_quotes_of_a_secret_is_told_to_nobody() -> None:
    """Webhooks that deny something tend to quote it, as it was written or as it is kept."""
    world, drawn = World(), list[str]()

    def deny(request: Request) -> Fault:
        drawn.append(request.body["stringData"]["auth_token"])
        kept = b64encode(drawn[-1].encode()).decode()
        return Refuse(error=ApiError.forbidden("secrets", "w1", f"not {drawn[-1]}, nor {kept}"))

    world.cluster.faults = deny
    action = replace(creation("w1"), kind="secret", secret_keys=("auth_token",))
    performer = Performer(world.port, world.server.clock)
    outcome = await performer.perform(job_of(action), action)

    assert isinstance(outcome, Refused)
    assert outcome.message.endswith("not (withheld), nor (withheld)")
    assert len(drawn) == 1
