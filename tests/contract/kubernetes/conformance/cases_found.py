"""What random sequences found (../sequences.py), one case each, so that it stays found."""

from typing import Any

from tests.contract.kubernetes.conformance.calls import (
    OPERATIONS,
    apply,
    at,
    cases,
    delete,
    get,
    patch,
    post,
    put,
)
from tests.contract.kubernetes.conformance.definitions import (
    WIDGETS,
    configmap,
    of,
    service,
    widget,
)

WIDGET, MAP, SERVICE = at(WIDGETS, "w"), at("configmaps", "c"), at("services", "s")
X, Y = {"name": "x", "port": 80}, {"name": "y", "port": 443}
RULE = {"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}


def several(count: int) -> tuple[Any, ...]:
    """Let many write one field each."""
    return tuple(
        patch(MAP, {"data": {f"k{number}": "1"}}, fieldManager=f"m{number:02}")
        for number in range(count)
    )


APPLYING = cases(
    "apply",
    that_leaves_empty_lists_and_maps_behind=(
        apply(WIDGET, widget(replicas=0, limits={}, tags=[])),
        apply(WIDGET, widget()),
    ),
    of_an_empty_list_after_a_full_one=(
        apply(WIDGET, widget(tags=["a", "b"], groups=[{"name": "x"}])),
        apply(WIDGET, widget(tags=[], groups=[])),
    ),
    of_blanks_by_two_is_a_conflict=(
        apply(WIDGET, widget(metadata={"labels": {}})),
        apply(WIDGET, widget(metadata={"labels": {}}), "second"),
    ),
    of_a_null_over_a_map_leaves_it=(
        apply(WIDGET, widget(limits={"a": 1})),
        apply(WIDGET, widget(limits=None), "second"),
    ),
    keeps_the_order_that_it_says=(
        post(at("services"), service(ports=[X, Y])),
        apply(SERVICE, service(ports=[Y, {"name": "z", "port": 90}, X]), force="true"),
    ),
    names_what_is_near_before_what_is_deep=(
        apply(SERVICE, service(ports=[X], selector={"a": "b"})),
        apply(SERVICE, service(ports=[{**X, "name": "z"}], selector={"a": "c"}), "second"),
    ),
    of_what_is_there_already_has_a_time=(
        apply(MAP, configmap(a="1")),
        apply(MAP, configmap(metadata={"finalizers": []}, a="1"), "second"),
    ),
)
CONFLICTS = cases(
    "apply",
    that_conflicts_with_one_field_of_one_and_two_of_another=(
        apply(WIDGET, widget(size="small", limits={"x": 1}), "first"),
        patch(WIDGET, {"spec": {"fixed": "2"}}, fieldManager="second"),
        apply(WIDGET, widget(size="big", limits={"x": 2}, fixed="3"), "third"),
    ),
    that_conflicts_names_ports_in_their_order=(
        post(at("services"), service(ports=[X, Y]), fieldManager="first"),
        apply(SERVICE, service(ports=[{**X, "name": "v"}, {**Y, "name": "w"}]), "second"),
    ),
)
OWNING = cases(
    "managed fields",
    of_many_updaters_are_put_together=(post(at("configmaps"), configmap()), *several(12)),
    of_who_scales_what_nobody_owns=(
        apply(WIDGET, widget()),
        patch(at(WIDGETS, "w", "scale"), {"spec": {"replicas": 2}}),
        get(WIDGET),
    ),
    of_who_scales_what_somebody_owns=(
        apply(WIDGET, widget(replicas=1)),
        patch(at(WIDGETS, "w", "scale"), {"spec": {"replicas": 2}}),
        get(WIDGET),
    ),
    of_who_scales_to_what_it_is_already=(
        post(at(WIDGETS), widget(replicas=1), fieldManager="first"),
        patch(at(WIDGETS, "w", "scale"), {"spec": {"replicas": 1}}),
        get(WIDGET),
        patch(at(WIDGETS, "w", "scale"), {"spec": {"replicas": 1}}),
        get(WIDGET),
    ),
    of_who_scales_to_nothing=(
        post(at(WIDGETS), widget(replicas=3), fieldManager="first"),
        patch(at(WIDGETS, "w", "scale"), {"spec": {"replicas": 0}}),
        get(WIDGET),
    ),
    of_an_applied_number_that_is_scaled_to_itself=(
        apply(WIDGET, widget(replicas=1)),
        patch(at(WIDGETS, "w", "scale"), {"spec": {"replicas": 1}}),
        get(WIDGET),
    ),
)
SCALING = cases(
    "subresource",
    scale_to_nothing=(
        post(at(WIDGETS), widget(replicas=3)),
        patch(at(WIDGETS, "w", "scale"), {"spec": {"replicas": 0}}),
        get(at(WIDGETS, "w", "scale")),
    ),
    scale_to_less_than_none_says_why=(
        post(at(WIDGETS), widget(replicas=3)),
        patch(at(WIDGETS, "w", "scale"), {"spec": {"replicas": -1}}),
    ),
)
REPLACING = [{"op": "replace", "path": "/spec/size", "value": "big"}]
PATCHING = cases(
    "json patch",
    replaces_what_is_missing=(
        post(at(WIDGETS), widget()),
        patch(WIDGET, REPLACING, OPERATIONS),
        post(at("services"), service()),
        patch(SERVICE, REPLACING, OPERATIONS),
        patch(WIDGET, [{**REPLACING[0], "path": "/no/size"}], OPERATIONS),
    ),
)
ENDING = cases(
    "delete",
    takes_no_new_finalizers_afterwards=(
        post(at(WIDGETS), widget(metadata={"finalizers": ["x.io/one"]})),
        delete(WIDGET),
        patch(WIDGET, {"metadata": {"finalizers": ["x.io/one", "x.io/two"]}}),
        post(at("configmaps"), configmap(metadata={"finalizers": ["x.io/one"]})),
        delete(MAP),
        patch(MAP, {"metadata": {"finalizers": ["x.io/one", "x.io/two"]}}),
    ),
)
UPDATING = cases(
    "update",
    of_no_service_makes_one=(put(SERVICE, service()), get(SERVICE)),
    of_no_role_makes_one=(
        put(
            at("roles.rbac.authorization.k8s.io/v1", "r"),
            of("rbac.authorization.k8s.io/v1", "Role", "r", rules=[RULE]),
        ),
        delete(at("roles.rbac.authorization.k8s.io/v1", "r")),
    ),
)
SERVICES = cases(
    "built-in",
    service_that_keeps_clients=(post(at("services"), service(sessionAffinity="ClientIP")),),
    service_with_an_empty_selector=(post(at("services"), service(selector={})),),
    service_refuses_a_bad_protocol=(
        post(at("services"), service(ports=[{**X, "appProtocol": "a b"}])),
        post(at("services"), service(ports=[{**X, "appProtocol": ""}])),
    ),
    service_refuses_a_repeated_name=(post(at("services"), service(ports=[X, {**Y, "name": "x"}])),),
)
DRY_RUNS = cases(
    "dry run",
    of_two_services_shows_one_address=(
        post(at("services"), service(), dryRun="All"),
        post(at("services"), service("t"), dryRun="All"),
        get(SERVICE),
    ),
)

ALL = (
    *APPLYING,
    *CONFLICTS,
    *OWNING,
    *SCALING,
    *PATCHING,
    *ENDING,
    *UPDATING,
    *SERVICES,
    *DRY_RUNS,
)
