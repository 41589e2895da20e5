"""Rights of the autoscaler: made where they are missing, under the names they are looked for."""

from msgspec.structs import replace

from services.reconciler.decisions.raycluster import access
from shared.actions.objects import CreateObject, Notice, Words
from shared.actions.outcomes import Occupied
from shared.events.objects import ResourceSeen
from tests.support.builders import KEY, NOON, cluster_spec, resource
from tests.support.concerns import ConcernPlot, child


def asking(**head_spec: str) -> ResourceSeen:
    containers = [{"name": "ray", "image": "ray:2"}]
    head = {"template": {"spec": {"containers": containers, **head_spec}}}
    return resource(cluster_spec(enableInTreeAutoscaling=True, headGroupSpec=head))


def names(plot: ConcernPlot) -> list[tuple[str, str]]:
    return [
        (action.kind, action.name) for action in plot.asks() if isinstance(action, CreateObject)
    ]


def test_makes_account_role_and_binding_in_this_order() -> None:
    plot = ConcernPlot(access.ensure)
    plot.sees(asking())

    assert names(plot) == [("serviceaccount", "demo"), ("role", "demo"), ("rolebinding", "demo")]


def test_nothing_is_made_without_an_autoscaler() -> None:
    plot = ConcernPlot(access.ensure)
    plot.sees(resource())

    assert plot.left_alone()


def test_people_are_told_in_kuberays_words() -> None:
    plot = ConcernPlot(access.ensure)
    plot.sees(asking())

    notices = [action.notice for action in plot.asks() if isinstance(action, CreateObject)]

    assert notices == [
        Notice(
            done=Words(reason=f"Created{kind}", message=f"Created {what} prod/demo"),
            refused=Words(
                reason=f"FailedToCreate{kind}", message=f"Failed creating {what} prod/demo, "
            ),
        )
        for kind, what in (
            ("ServiceAccount", "service account"),
            ("Role", "role"),
            ("RoleBinding", "role binding"),
        )
    ]


def test_an_account_that_the_user_named_is_never_made() -> None:
    """Checklist 80: role and binding are made, the user's own account is not."""
    plot = ConcernPlot(access.ensure)
    plot.sees(asking(serviceAccountName="theirs"))

    act = plot.commits()

    assert [action.manifest for action in act.actions if isinstance(action, CreateObject)] == [
        "role",
        "role-binding",
    ]
    assert act.manifests["role-binding"]["subjects"] == [
        {"kind": "ServiceAccount", "name": "theirs", "namespace": "prod"}
    ]


def test_what_is_there_or_on_its_way_out_is_not_made_again() -> None:
    role = child("role", "demo")
    going = replace(role, meta=replace(role.meta, deleted_at=NOON))
    plot = ConcernPlot(access.ensure)
    plot.sees(asking(), child("serviceaccount", "demo"), going, child("rolebinding", "demo"))

    assert plot.left_alone()


def test_what_is_made_and_not_seen_yet_is_not_made_again() -> None:
    plot = ConcernPlot(access.ensure)
    plot.sees(asking())
    plot.executes(plot.commits())

    assert plot.decides() is None


def test_only_the_missing_one_comes_back() -> None:
    plot = ConcernPlot(access.ensure)
    plot.sees(asking(), child("serviceaccount", "demo"), child("rolebinding", "demo"))

    assert names(plot) == [("role", "demo")]


def test_a_role_of_somebody_else_waits_for_a_timer_and_blocks_nothing() -> None:
    plot = ConcernPlot(access.ensure)
    plot.sees(asking(), child("serviceaccount", "demo"), child("rolebinding", "demo"))
    foreign = Occupied(uid="other", resource_version=5, message="role demo belongs to another")
    plot.answers(plot.commits(), foreign)

    act = plot.commits()

    assert (act.actions, [timer.name for timer in act.timers]) == ((), ["retry", "refresh"])
    assert plot.decides() is None


def test_a_long_name_is_looked_up_as_it_is_made() -> None:
    """What was made under a shortened name is found under it."""
    long = "1" + "c" * 51
    seen = asking()
    plot = ConcernPlot(access.ensure)
    plot.key = replace(KEY, name=long)
    plot.sees(replace(seen, meta=replace(seen.meta, name=long)))
    short = "c" * 50

    assert names(plot) == [("serviceaccount", short), ("role", short), ("rolebinding", short)]

    plot.sees(*(child(kind, short) for kind in ("serviceaccount", "role", "rolebinding")))

    assert plot.left_alone()
