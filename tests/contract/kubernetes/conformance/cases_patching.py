"""Patches of every sort, and server-side apply: what is merged, who owns it, what conflicts."""

from typing import Any

from tests.contract.kubernetes.conformance.calls import (
    MERGE,
    OPERATIONS,
    STRATEGIC,
    apply,
    at,
    cases,
    get,
    only,
    patch,
    post,
    put,
    raw,
)
from tests.contract.kubernetes.conformance.definitions import (
    WIDGETS,
    configmap,
    pod,
    service,
    widget,
)

MAPS, MAP = at("configmaps"), at("configmaps", "c")
WIDGET = at(WIDGETS, "w")
BORN = post(MAPS, configmap(a="1", b="2"))
GROUPS = [{"name": "a", "color": "red"}, {"name": "b", "color": "blue"}]
OWNERLESS = post(at(WIDGETS), widget(replicas=3, tags=["a"], groups=GROUPS))
FORGET = patch(WIDGET, {"metadata": {"managedFields": [{}]}})
BLANKS: dict[str, Any] = {"labels": {}, "finalizers": []}
BLANK = apply(WIDGET, widget(metadata=BLANKS))


def operations(*rows: dict[str, Any]) -> Any:
    return patch(MAP, list(rows), OPERATIONS)


MERGING = cases(
    "merge patch",
    changes_what_it_names=(BORN, patch(MAP, {"data": {"a": "3"}})),
    removes_with_null=(BORN, patch(MAP, {"data": {"a": None}})),
    removes_a_whole_field=(BORN, patch(MAP, {"data": None})),
    adds_labels=(BORN, patch(MAP, {"metadata": {"labels": {"x": "y"}}})),
    that_changes_nothing_costs_no_revision=(BORN, patch(MAP, {"data": {"a": "1"}})),
    replaces_lists_whole=(
        post(at(WIDGETS), widget(atoms=[1, 2])),
        patch(WIDGET, {"spec": {"atoms": [3]}}),
    ),
    replaces_keyed_lists_too=(
        post(at(WIDGETS), widget(groups=GROUPS)),
        patch(WIDGET, {"spec": {"groups": [{"name": "b"}]}}),
    ),
    guards_by_revision=(
        BORN,
        patch(MAP, {"metadata": {"resourceVersion": "1"}, "data": {"a": "9"}}),
    ),
    guards_by_uid=(BORN, patch(MAP, {"metadata": {"uid": "other"}, "data": {"a": "9"}})),
    may_not_rename=(BORN, patch(MAP, {"metadata": {"name": "d"}})),
    may_not_move=(BORN, patch(MAP, {"metadata": {"namespace": "elsewhere"}})),
    of_nothing_is_refused=(patch(MAP, {"data": {}}),),
    needs_an_object=(BORN, only("code", patch(MAP, [1]))),
    needs_json=(BORN, only("code", raw("PATCH", MAP, "{", MERGE))),
    counts_a_generation=(
        post(at(WIDGETS), widget()),
        patch(WIDGET, {"spec": {"replicas": 4}}),
        patch(WIDGET, {"metadata": {"labels": {"a": "b"}}}),
    ),
    is_checked_by_the_schema=(
        post(at(WIDGETS), widget()),
        patch(WIDGET, {"spec": {"replicas": -1}}),
    ),
    fills_in_a_default_where_it_removes=(
        post(at(WIDGETS), widget(replicas=5)),
        patch(WIDGET, {"spec": {"replicas": None}}),
    ),
    forgets_owners_when_asked=(BORN, patch(MAP, {"metadata": {"managedFields": [{}]}})),
)
JSON_PATCHING = cases(
    "json patch",
    adds_replaces_and_removes=(
        BORN,
        operations(
            {"op": "add", "path": "/data/c", "value": "3"},
            {"op": "replace", "path": "/data/a", "value": "9"},
            {"op": "remove", "path": "/data/b"},
        ),
    ),
    tests_before_it_changes=(
        BORN,
        operations(
            {"op": "test", "path": "/data/a", "value": "1"},
            {"op": "replace", "path": "/data/a", "value": "2"},
        ),
    ),
    stops_at_a_failed_test=(
        BORN,
        only("reason", operations({"op": "test", "path": "/data/a", "value": "7"})),
        get(MAP),
    ),
    refuses_to_remove_what_is_not_there=(
        BORN,
        only("reason", operations({"op": "remove", "path": "/data/zzz"})),
    ),
    refuses_an_unknown_operation=(
        BORN,
        only("code", operations({"op": "melt", "path": "/data/a"})),
    ),
    needs_a_list=(BORN, only("code", patch(MAP, {"op": "remove"}, OPERATIONS))),
    copies_and_moves=(
        BORN,
        operations(
            {"op": "copy", "from": "/data/a", "path": "/data/c"},
            {"op": "move", "from": "/data/b", "path": "/data/d"},
        ),
    ),
    appends_to_a_list=(
        post(at(WIDGETS), widget(atoms=[1])),
        patch(WIDGET, [{"op": "add", "path": "/spec/atoms/-", "value": 2}], OPERATIONS),
    ),
)
CONTAINERS = [{"name": "side", "image": "side:1"}]
STRATEGIES = cases(
    "strategic patch",
    merges_maps=(BORN, patch(MAP, {"data": {"a": None, "c": "3"}}, STRATEGIC)),
    replaces_when_told=(BORN, patch(MAP, {"data": {"$patch": "replace", "z": "1"}}, STRATEGIC)),
    merges_ports_by_key=(
        post(at("services"), service(ports=[{"port": 80, "name": "a"}])),
        patch(
            at("services", "s"),
            {"spec": {"ports": [{"port": 81, "name": "b"}]}},
            STRATEGIC,
        ),
    ),
    deletes_an_item_by_key=(
        post(
            at("services"),
            service(ports=[{"port": 80, "name": "a"}, {"port": 81, "name": "b"}]),
        ),
        patch(
            at("services", "s"),
            {"spec": {"ports": [{"port": 80, "$patch": "delete"}]}},
            STRATEGIC,
        ),
    ),
    changes_one_container=(
        post(at("pods"), pod()),
        patch(
            at("pods", "p"),
            {"spec": {"containers": [{"name": "main", "image": "ray:3"}]}},
            STRATEGIC,
        ),
    ),
    takes_finalizers_out=(
        post(MAPS, configmap(metadata={"finalizers": ["x.io/a", "x.io/b"]})),
        patch(
            MAP,
            {"metadata": {"$deleteFromPrimitiveList/finalizers": ["x.io/a"]}},
            STRATEGIC,
        ),
    ),
    adds_finalizers=(
        post(MAPS, configmap(metadata={"finalizers": ["x.io/a"]})),
        patch(MAP, {"metadata": {"finalizers": ["x.io/b"]}}, STRATEGIC),
    ),
    is_not_for_custom_kinds=(
        post(at(WIDGETS), widget()),
        patch(WIDGET, {"spec": {"replicas": 2}}, STRATEGIC),
    ),
    of_an_unknown_sort_is_refused=(BORN, patch(MAP, {}, "application/strange-patch")),
)
APPLYING = cases(
    "apply",
    creates=(apply(MAP, configmap(a="1")),),
    creates_a_custom_object=(apply(WIDGET, widget(replicas=3, groups=GROUPS)),),
    twice_changes_nothing=(apply(MAP, configmap(a="1")), apply(MAP, configmap(a="1"))),
    takes_back_what_it_no_longer_says=(
        apply(MAP, configmap(a="1", b="2")),
        apply(MAP, configmap(b="2")),
    ),
    leaves_what_others_own=(
        apply(MAP, configmap(a="1")),
        apply(MAP, configmap(b="2"), "second"),
        apply(MAP, configmap(), "second"),
    ),
    shares_what_both_say=(
        apply(MAP, configmap(a="1")),
        apply(MAP, configmap(a="1"), "second"),
        apply(MAP, configmap(), "first"),
    ),
    conflicts_with_another_applier=(
        apply(MAP, configmap(a="1")),
        apply(MAP, configmap(a="2"), "second"),
    ),
    conflicts_over_several_fields=(
        apply(MAP, configmap(a="1", b="1")),
        apply(MAP, configmap(a="2", b="2"), "second"),
    ),
    conflicts_with_an_updater=(
        apply(MAP, configmap(a="1")),
        patch(MAP, {"data": {"a": "5"}}),
        apply(MAP, configmap(a="1")),
    ),
    wins_by_force=(
        apply(MAP, configmap(a="1")),
        apply(MAP, configmap(a="2"), "second", force="true"),
    ),
    of_blanks_to_a_map_costs_none=(
        apply(MAP, configmap(metadata=BLANKS)),
        apply(MAP, configmap(metadata=BLANKS)),
    ),
    of_blanks_makes_the_next_write_cost_a_revision=(
        BLANK,
        patch(WIDGET, [{"op": "add", "path": "/metadata/labels", "value": {}}], OPERATIONS),
        patch(WIDGET, {}),
    ),
    refuses_a_null_that_may_not_stand=(
        apply(WIDGET, widget(code=None, limits={"a": None}, groups=[{"name": "a", "color": None}])),
    ),
    puts_defaults_in_the_place_of_nulls=(
        apply(WIDGET, widget(replicas=None, maybe=None, groups=[{"name": "a", "size": None}])),
    ),
    fills_what_it_left_empty=(apply(WIDGET, widget()), apply(WIDGET, widget(replicas=0))),
    fills_labels_it_left_empty=(
        apply(MAP, configmap(metadata={"labels": {}})),
        apply(MAP, configmap(metadata={"labels": {"a": "b"}})),
    ),
    keeps_what_others_put_into_its_object=(
        apply(WIDGET, widget(limits={})),
        patch(WIDGET, {"spec": {"limits": {"z": 1}}}),
        apply(WIDGET, widget()),
    ),
    that_empties_an_object_is_refused=(
        apply(WIDGET, widget(limits={"a": 1})),
        apply(WIDGET, widget(limits={})),
        apply(WIDGET, widget()),
    ),
    that_empties_a_keyed_list_removes_it=(
        apply(WIDGET, widget(groups=[{"name": "a"}])),
        apply(WIDGET, widget()),
    ),
    that_empties_labels_leaves_blanks=(
        apply(WIDGET, widget(metadata={"labels": {"l": "1"}, "finalizers": ["x.io/a"]})),
        apply(WIDGET, widget(metadata={"labels": {}})),
        patch(WIDGET, {}),
    ),
    refuses_a_repeated_value_of_a_set=(apply(WIDGET, widget(tags=["a", "b", "a"])),),
    refuses_a_repeated_key=(apply(WIDGET, widget(groups=[{"name": "a"}, {"name": "a"}])),),
    refuses_a_repeated_finalizer=(
        apply(MAP, configmap(metadata={"finalizers": ["x.io/a", "x.io/a"]})),
    ),
    refuses_a_field_that_is_not_declared=(apply(WIDGET, widget(groups=[{"name": "a", "b": 1}])),),
    after_creation_by_another=(BORN, apply(MAP, configmap(a="1", c="3"))),
    shares_what_nobody_owned=(
        post(MAPS, configmap()),
        put(MAP, configmap(metadata={"labels": {"l": "1"}})),
        apply(MAP, configmap()),
    ),
    conflicts_with_what_nobody_owned=(OWNERLESS, FORGET, apply(WIDGET, widget(replicas=4))),
    wins_over_what_nobody_owned=(
        OWNERLESS,
        FORGET,
        apply(WIDGET, widget(replicas=4), force="true"),
    ),
    of_a_status_ignores_the_rest=(
        OWNERLESS,
        FORGET,
        apply(
            at(WIDGETS, "w", "status"),
            {**widget(metadata={"labels": {"a": "b"}}, replicas=9), "status": {"phase": "New"}},
        ),
    ),
    ignores_the_status=(apply(WIDGET, {**widget(), "status": {"phase": "New"}}),),
    needs_a_manager=(patch(MAP, configmap(), "application/apply-patch+yaml"),),
    refuses_owners_in_the_body=(
        only("code", apply(MAP, configmap(metadata={"managedFields": [{"manager": "x"}]}))),
    ),
    refuses_another_name=(apply(MAP, configmap("other")),),
    refuses_another_kind=(only("code", apply(MAP, {**configmap(), "kind": "Secret"})),),
    needs_a_type=(only("code", apply(MAP, {"metadata": {"name": "c"}})),),
    merges_groups_by_name=(
        apply(WIDGET, widget(groups=GROUPS)),
        apply(WIDGET, widget(groups=[{"name": "c", "color": "green"}]), "second"),
        apply(WIDGET, widget(groups=GROUPS[:1])),
    ),
    conflicts_within_a_group=(
        apply(WIDGET, widget(groups=GROUPS)),
        apply(WIDGET, widget(groups=[{"name": "a", "color": "black"}]), "second"),
    ),
    merges_sets=(
        apply(WIDGET, widget(tags=["a", "b"])),
        apply(WIDGET, widget(tags=["c"]), "second"),
        apply(WIDGET, widget(tags=["b"])),
    ),
    replaces_atomic_lists=(
        apply(WIDGET, widget(atoms=[1, 2])),
        apply(WIDGET, widget(atoms=[3])),
    ),
    conflicts_over_an_atomic_list=(
        apply(WIDGET, widget(atoms=[1, 2])),
        apply(WIDGET, widget(atoms=[3]), "second"),
    ),
    conflicts_over_an_atomic_map=(
        apply(WIDGET, widget(whole={"a": "1"})),
        apply(WIDGET, widget(whole={"b": "1"}), "second"),
    ),
    of_a_status_owns_the_status_only=(
        post(at(WIDGETS), widget()),
        apply(
            f"{WIDGET}/status",
            {
                **{key: widget()[key] for key in ("apiVersion", "kind", "metadata")},
                "status": {"conditions": [{"type": "Ready", "status": "True"}]},
            },
        ),
    ),
    of_a_pod_owns_what_it_says=(apply(at("pods", "p"), pod(metadata={"labels": {"a": "b"}})),),
    of_a_service_owns_what_it_says=(apply(at("services", "s"), service()),),
    refuses_a_group_without_its_key=(apply(WIDGET, widget(groups=[{"color": "red"}])),),
    as_a_dry_run_stores_nothing=(
        apply(MAP, configmap(a="1"), dryRun="All"),
        get(MAP),
    ),
)
OWNING = cases(
    "managed fields",
    of_a_creator=(post(at(WIDGETS), widget(groups=GROUPS, tags=["x"], limits={"a": 1})),),
    of_an_updater_are_what_it_changed=(
        BORN,
        put(MAP, configmap(a="1", b="3", c="4"), fieldManager="editor"),
    ),
    of_a_patcher_are_what_it_changed=(
        BORN,
        patch(MAP, {"data": {"b": "9"}}, fieldManager="patcher"),
    ),
    that_are_removed_have_no_owner=(BORN, patch(MAP, {"data": {"a": None, "b": None}})),
    move_when_another_changes_them=(
        BORN,
        patch(MAP, {"data": {"a": "9"}}, fieldManager="other"),
        patch(MAP, {"data": {"b": "9"}}, fieldManager="other"),
    ),
    of_a_pod=(
        post(
            at("pods"),
            pod(
                metadata={"labels": {"a": "b"}, "generateName": "g-"},
                containers=[
                    {
                        "name": "main",
                        "image": "i",
                        "env": [{"name": "A", "value": "1"}],
                        "ports": [{"containerPort": 80}],
                        "resources": {"limits": {"cpu": "1"}},
                    }
                ],
                tolerations=[{"key": "k", "operator": "Exists"}],
                volumes=[{"name": "v", "emptyDir": {}}],
            ),
        ),
    ),
    of_a_status=(
        post(at(WIDGETS), widget()),
        patch(f"{WIDGET}/status", {"status": {"replicas": 2}}, fieldManager="keeper"),
        patch(f"{WIDGET}/status", {"status": {"replicas": 3}}, fieldManager="keeper"),
    ),
    refuse_a_manager_with_a_long_name=(
        only("code", post(MAPS, configmap(), fieldManager="m" * 129)),
    ),
)

ALL = (*MERGING, *JSON_PATCHING, *STRATEGIES, *APPLYING, *OWNING)
