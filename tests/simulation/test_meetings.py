"""What the simulation says of itself: what was tried, and the smallest story that fails."""

from msgspec.structs import replace

from services.status.conditions.rayservice.table import TABLE
from tests.simulation.faults import crash, network
from tests.simulation.kinds import CLUSTER, CRON, JOB, SERVICE
from tests.simulation.meetings import STATES, Meetings, state_of, table, unmet
from tests.simulation.plan import Plan, Step, draw
from tests.simulation.run import run_plan
from tests.simulation.services import create_service
from tests.simulation.shrinking import shrunk, told
from tests.simulation.users import create

CREATED = Step(at=0.1, luck="first", deed=create)


def condition(word: str) -> dict[str, object]:
    return {"status": {"conditions": [{"type": word, "status": "True"}], "state": "ready"}}


def test_states_are_those_of_the_status() -> None:
    assert state_of(CLUSTER, {}) == "coming"
    assert state_of(CLUSTER, {"status": {"state": "ready"}}) == "ready"
    assert state_of(CLUSTER, condition("RayClusterSuspending")) == "suspending"
    assert state_of(CLUSTER, condition("SpecInvalid")) == "senseless"
    assert state_of(JOB, {"status": {"jobDeploymentStatus": "Running"}}) == "Running"
    assert state_of(SERVICE, {"status": {}}) == "Beginning"
    assert state_of(CRON, {"spec": {"suspend": True}}) == "suspended"


def test_an_upgrade_that_has_moved_some_traffic_is_a_state_of_its_own() -> None:
    shares = {
        f"{which}ServiceStatus": {"rayClusterName": which, "trafficRoutedPercent": percent}
        for which, percent in (("active", 75), ("pending", 25))
    }

    assert state_of(SERVICE, {"status": shares}) == "Moving"
    assert state_of(SERVICE, {"status": {**shares, "pendingServiceStatus": {}}}) == "Serving"


def test_a_step_waits_for_a_state_and_may_wait_in_vain() -> None:
    steps = (
        CREATED,
        Step(at=0.2, luck="shop", deed=create_service),
        Step(at=0.3, luck="soon", fault=crash.crash, awaits="Serving"),
        Step(at=0.3, luck="never", fault=network.restart_bus, awaits="Suspended"),
    )

    met = run_plan(1, Plan(steps=steps, lasts=30.0)).met

    assert met["crash", SERVICE, "Serving"] == 1
    assert not any(fault == "restart_bus" for fault, _, _ in met)


def test_what_is_on_its_way_out_is_nothing_else() -> None:
    going = {"metadata": {"deletionTimestamp": "2030-01-01T00:00:00Z"}}

    assert {state_of(kind, going) for kind in STATES} == {"deleting"}


def test_every_state_of_a_kind_has_a_column() -> None:
    assert {"Running", "Retrying", "ValidationFailed"} <= set(STATES[JOB])
    assert set(TABLE) <= set(STATES[SERVICE])


def test_a_fault_is_counted_with_the_state_it_meets() -> None:
    steps = (
        Step(at=0.05, luck="early", fault=network.restart_bus),
        CREATED,
        Step(at=40.0, luck="late", fault=crash.crash),
    )

    met = run_plan(1, Plan(steps=steps, lasts=41.0)).met

    assert met == Meetings({("restart_bus", CLUSTER, "none"): 1, ("crash", CLUSTER, "ready"): 1})


def test_the_table_tells_what_was_never_tried() -> None:
    met = Meetings({("crash", CLUSTER, "ready"): 12, ("hang", CRON, "active"): 3})

    lines = [line.split() for line in table(met)]

    assert lines[1] == ["crash", "-", "-", "12", *"----"]
    assert lines[-1] == ["hang", "3", "-", "-"]
    assert "crash x raycluster suspended" in unmet(met)
    assert "crash x raycluster ready" not in unmet(met)
    assert not any("crash x raycronjob" in pair for pair in unmet(met))


def test_a_failing_plan_is_made_as_small_as_it_can_be() -> None:
    plan = draw(11)
    needed = {plan.steps[1].luck, plan.steps[-1].luck}

    small = shrunk(plan, lambda tried: needed <= {step.luck for step in tried.steps})

    assert {step.luck for step in small.steps} == needed
    assert len(told(small)) == len(needed)


def test_shrinking_ends_although_everything_fails() -> None:
    plan = replace(draw(11), lasts=1.0)

    assert shrunk(plan, lambda _: True).steps == ()
