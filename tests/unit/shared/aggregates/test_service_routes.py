"""What a gateway and a route tell of themselves."""

import pytest

from shared.aggregates.service_routes import ABSENT, gateway_ready, route_ready, weight_of
from shared.events.objects import ChildSeen, Meta

META = Meta(name="one", namespace="prod", uid="u", resource_version=1, generation=2)


def conditions(**states: str) -> list[dict[str, object]]:
    return [
        {"type": type_, "status": state, "observedGeneration": 2} for type_, state in states.items()
    ]


def gateway(*told: dict[str, object]) -> ChildSeen:
    return ChildSeen(meta=META, kind="gateway", status={"conditions": list(told)})


def route(parent: str = "gw", namespace: str = "prod", **states: str) -> ChildSeen:
    of = {"name": parent, "namespace": namespace}
    told = {"parentRef": of, "conditions": conditions(**states)}
    return ChildSeen(meta=META, kind="httproute", status={"parents": [told]})


@pytest.mark.parametrize(
    ("states", "ready"),
    [
        ({"Accepted": "True", "Programmed": "True"}, True),
        ({"Accepted": "True"}, False),
        ({"Programmed": "True"}, False),
        ({"Accepted": "True", "Programmed": "False"}, False),
        ({}, False),
    ],
)
def test_a_gateway_is_ready_when_accepted_and_programmed(
    states: dict[str, str], *, ready: bool
) -> None:
    """RayService checklist 73: both conditions of a gateway."""
    assert gateway_ready(gateway(*conditions(**states))) is ready
    assert not gateway_ready(None)


@pytest.mark.parametrize(
    ("states", "ready"),
    [
        ({"Accepted": "True", "ResolvedRefs": "True"}, True),
        ({"Accepted": "True", "ResolvedRefs": "False"}, False),
        ({"ResolvedRefs": "True"}, False),
    ],
)
def test_a_route_is_ready_when_its_gateway_says_so(states: dict[str, str], *, ready: bool) -> None:
    """RayService checklist 73: both conditions, of the parent that is ours."""
    assert route_ready(route(**states), "gw") is ready
    assert not route_ready(route("another", **states), "gw")
    assert not route_ready(route("gw", "elsewhere", **states), "gw")
    assert not route_ready(None, "gw")


def test_what_was_told_of_an_earlier_generation_does_not_count() -> None:
    old = [{**one, "observedGeneration": 1} for one in conditions(Accepted="True")]

    assert not gateway_ready(gateway(*old, *conditions(Programmed="True")))


def test_a_condition_without_a_generation_counts() -> None:
    plain: list[dict[str, object]] = [
        {"type": type_, "status": "True"} for type_ in ("Accepted", "Programmed")
    ]

    assert gateway_ready(gateway(*plain))


def test_weights_are_read_back_and_absent_where_there_is_none() -> None:
    """RayService checklist 75: -1 for a cluster that the route does not lead to."""
    backends = [{"name": "a-serve-svc", "weight": 75}, {"name": "b-serve-svc"}]
    seen = ChildSeen(meta=META, kind="httproute", spec={"rules": [{"backendRefs": backends}]})

    assert weight_of(seen, "a") == 75
    assert weight_of(seen, "b") == 1
    assert weight_of(seen, "c") == ABSENT == -1
    assert weight_of(None, "a") == weight_of(seen, "") == ABSENT
