"""One action against a real API: what is done, and what is said to have come of it."""

from msgspec.structs import replace

from sandbox.errors import ApiError, Cause
from sandbox.faults import Refuse
from services.executor.holding import Abandoned
from services.executor.performing import Performer, complete
from shared.actions.objects import Action, ConfirmObject, PostNotice
from shared.actions.outcomes import AlreadySo, Done, Gone, Occupied, Outcome, Refused, Unknown
from tests.support.builders import FORMER_UID, KEY, creation, deletion
from tests.unit.services.executor.acted import LOST, MANIFEST, QUOTA, World, deletion_of, job_of
from tests.unit.services.executor.acted import version_of as version

CREATE = creation("w1")
CONFIRM = ConfirmObject(kind="pod", name="w1", rule="confirm", because="unseen for too long")
NOTICE = PostNotice(
    warning=True, reason="Odd", action="Look", message="odd", rule="r", because="it is odd"
)
NOT_MINE = "pod w1 exists and belongs to something else"
NEVER = 4


async def perform(world: World, action: Action) -> Outcome:
    performer = Performer(world.port, world.server.clock)
    return await performer.perform(job_of(action), action)


async def test_creates_what_is_missing() -> None:
    world = World()
    outcome = await perform(world, CREATE)
    stored = world.cluster.get("pods", KEY.namespace, "w1")

    assert outcome == Done(uid=stored["metadata"]["uid"], resource_version=version(stored))


async def test_what_exists_and_is_ours_is_already_so() -> None:
    world = World()
    there = world.pod("w1")

    assert await perform(world, CREATE) == AlreadySo(
        uid=there["metadata"]["uid"], resource_version=version(there)
    )


async def test_what_exists_and_is_ours_but_going_says_so() -> None:
    world = World()
    world.pod("w1", finalizers=("test/keep",))
    going = world.cluster.delete("pods", KEY.namespace, "w1")

    assert await perform(world, CREATE) == AlreadySo(
        uid=going["metadata"]["uid"], resource_version=version(going), deleting=True
    )


async def test_what_exists_and_is_not_ours_occupies_the_name() -> None:
    world = World()
    there = world.pod("w1", owner=FORMER_UID)

    assert await perform(world, CREATE) == Occupied(
        uid=there["metadata"]["uid"], resource_version=version(there), message=NOT_MINE
    )


async def test_whoever_controls_what_may_be_there_already_it_will_do() -> None:
    world = World()
    there = world.pod("w1", owner=FORMER_UID)

    assert await perform(world, replace(CREATE, may_be_there=True)) == AlreadySo(
        uid=there["metadata"]["uid"], resource_version=version(there)
    )


async def test_a_quota_refuses_in_its_own_words() -> None:
    world = World()
    world.meets("create", QUOTA)

    assert await perform(world, CREATE) == Refused(
        code=403, reason="Forbidden", message='pods "w1" is forbidden: exceeded quota: pods=4'
    )
    assert world.names() == []


async def test_an_invalid_object_is_refused_and_not_tried_again() -> None:
    world = World()
    cause = Cause(field="spec.x", reason="FieldValueInvalid", message="Invalid value")
    world.meets("create", Refuse(error=ApiError.invalid("Pod", "w1", [cause])))

    assert await perform(world, CREATE) == Refused(
        code=422, reason="Invalid", message='Pod "w1" is invalid: spec.x: Invalid value'
    )
    assert world.calls("create") == ["w1"]


async def test_a_creation_whose_answer_was_lost_is_found_at_the_next_try() -> None:
    world = World()
    world.meets("create", LOST)
    outcome = await perform(world, CREATE)
    stored = world.cluster.get("pods", KEY.namespace, "w1")

    assert outcome == AlreadySo(uid=stored["metadata"]["uid"], resource_version=version(stored))


async def test_an_overloaded_server_is_asked_again() -> None:
    world = World()
    world.meets("create", Refuse(error=ApiError.too_many_requests()))

    assert isinstance(await perform(world, CREATE), Done)
    assert world.calls("create") == ["w1", "w1"]


async def test_a_server_that_never_answers_leaves_it_unknown() -> None:
    world = World()
    down = Refuse(error=ApiError.internal("down"))
    world.meets("create", *(down,) * NEVER)

    assert isinstance(await perform(world, CREATE), Unknown)
    assert world.calls("create") == ["w1"] * NEVER


async def test_a_server_that_is_too_busy_all_the_time_refuses() -> None:
    world = World()
    world.meets("create", *(Refuse(error=ApiError.too_many_requests()),) * NEVER)
    outcome = await perform(world, CREATE)

    assert isinstance(outcome, Refused)
    assert outcome.message.startswith("the API server answered 429")


async def test_a_webhook_that_cannot_be_called_refuses() -> None:
    world = World()
    down = Refuse(error=ApiError.internal('failed calling webhook "x": connection refused'))
    world.meets("create", *(down,) * NEVER)
    outcome = await perform(world, CREATE)

    assert isinstance(outcome, Refused)
    assert 'failed calling webhook "x"' in outcome.message


async def test_one_doubtful_try_among_refused_ones_leaves_it_unknown() -> None:
    world = World()
    busy = Refuse(error=ApiError.too_many_requests())
    world.meets("create", Refuse(error=ApiError.internal("down")), *(busy,) * NEVER)
    other = World()
    other.meets("create", Refuse(error=ApiError.internal("down")), QUOTA)

    assert isinstance(await perform(world, CREATE), Unknown)
    assert isinstance(await perform(other, CREATE), Unknown)


async def test_a_deletion_that_never_began_is_refused() -> None:
    world = World()
    there = world.pod("w1")
    world.meets("list", *(Refuse(error=ApiError.internal("down")),) * NEVER)
    outcome = await perform(world, deletion_of(there))

    assert isinstance(outcome, Refused)
    assert "down" in outcome.message


async def test_what_came_and_went_while_we_asked_is_unknown() -> None:
    world = World()
    world.meets("create", Refuse(error=ApiError.already_exists("pods", "w1")))

    assert await perform(world, CREATE) == Unknown(error="it came and went")


async def test_a_taken_name_that_cannot_be_read_is_unknown() -> None:
    world = World()
    world.pod("w1")
    world.meets("list", *(Refuse(error=ApiError.internal("down")),) * NEVER)

    assert isinstance(await perform(world, CREATE), Unknown)


async def test_no_call_begins_once_the_act_may_be_in_another_hand() -> None:
    world = World()
    there = world.pod("w2")

    def abandoned() -> None:
        raise Abandoned("too late")

    for action in (CREATE, deletion_of(there)):
        performer = Performer(world.port, world.server.clock)
        outcome = await performer.perform(job_of(action), action, check=abandoned)
        assert outcome == Unknown(error="too late")
    assert world.names() == ["w2"]


async def test_deletes_what_is_ours_and_of_this_uid() -> None:
    world = World()
    there = world.pod("w1")
    outcome = await perform(world, deletion_of(there))

    assert isinstance(outcome, Done), "people are told of what was deleted at once, too"
    assert outcome.resource_version > version(there)
    assert world.names() == []


async def test_what_is_held_by_a_finalizer_is_going() -> None:
    world = World()
    there = world.pod("w1", finalizers=("test/keep",))
    outcome = await perform(world, deletion_of(there))
    left = world.cluster.get("pods", KEY.namespace, "w1")

    assert outcome == Done(
        uid=there["metadata"]["uid"], resource_version=version(left), deleting=True
    )


async def test_what_is_going_already_is_not_deleted_again() -> None:
    world = World()
    there = world.pod("w1", finalizers=("test/keep",))
    going = world.cluster.delete("pods", KEY.namespace, "w1")
    world.requests.clear()

    assert await perform(world, deletion_of(there)) == AlreadySo(
        uid=there["metadata"]["uid"], resource_version=version(going), deleting=True
    )
    assert world.calls("delete") == []


async def test_what_belongs_to_somebody_else_is_never_deleted() -> None:
    world = World()
    there = world.pod("w1", owner=FORMER_UID)

    assert await perform(world, deletion_of(there)) == Gone(resource_version=version(there))
    assert world.calls("delete") == []
    assert world.names() == ["w1"]


async def test_another_uid_under_the_name_means_that_ours_is_gone() -> None:
    world = World()
    there = world.pod("w1")

    assert await perform(world, deletion("w1")) == Gone(resource_version=version(there))
    assert world.names() == ["w1"]


async def test_what_is_not_there_is_gone_as_of_a_version() -> None:
    world = World()
    newest = version(world.pod("other"))

    assert await perform(world, deletion("w1")) == Gone(resource_version=newest)


async def test_what_changed_since_it_was_judged_is_not_deleted() -> None:
    world = World()
    there = world.pod("w1")
    world.cluster.patch("pods", KEY.namespace, "w1", {"metadata": {"labels": {"a": "b"}}})
    outcome = await perform(world, deletion_of(there, version=version(there)))

    assert isinstance(outcome, Refused)
    assert (outcome.code, outcome.reason) == (409, "Conflict")
    assert world.names() == ["w1"]


async def test_a_deletion_whose_answer_was_lost_is_unknown() -> None:
    world = World()
    there = world.pod("w1")
    world.meets("delete", LOST)

    assert isinstance(await perform(world, deletion_of(there)), Unknown)


async def test_a_reading_that_fails_never_means_absence() -> None:
    world = World()
    there = world.pod("w1")
    assert await perform(world, CONFIRM) == AlreadySo(
        uid=there["metadata"]["uid"], resource_version=version(there)
    )
    world.meets("list", *(Refuse(error=ApiError.internal("down")),) * NEVER)

    assert isinstance(await perform(world, CONFIRM), Unknown)


async def test_a_notice_told_twice_is_told_once() -> None:
    world = World()

    assert [await perform(world, NOTICE) for _ in range(2)] == [Done(), Done()]
    assert len(world.names("events.events.k8s.io")) == 1


async def test_a_manifest_is_completed_with_name_labels_and_who_asked() -> None:
    action = replace(creation("w1"), labels={"ray.io/group": "small"})
    made = complete(job_of(action), action)
    given = MANIFEST["metadata"]

    assert isinstance(given, dict)
    assert made == {
        **MANIFEST,
        "metadata": {
            "name": "w1",
            "namespace": "prod",
            "ownerReferences": given["ownerReferences"],
            "labels": {"ray.io/node-type": "worker", "ray.io/group": "small"},
            "annotations": {
                "heliograph.dev/act": "act-1",
                "heliograph.dev/rule": "worker_groups",
            },
        },
    }
