"""Custom kinds: pruning, defaults, schemas, rules, and definitions that are no good."""

from typing import Any

from tests.contract.kubernetes.conformance.calls import (
    at,
    cases,
    delete,
    get,
    only,
    patch,
    post,
    put,
)
from tests.contract.kubernetes.conformance.definitions import LOOSE, WIDGETS, loose, of, widget

DEFINED = at("customresourcedefinitions.apiextensions.k8s.io/v1", everywhere=True)
WIDGET = at(WIDGETS, "w")
REVISION = {"resourceVersion": "$0.metadata.resourceVersion"}


def make(**spec: Any) -> Any:
    return post(at(WIDGETS), widget(**spec))


def change(**spec: Any) -> Any:
    return patch(WIDGET, {"spec": spec})


SHAPING = cases(
    "schema",
    fills_in_defaults=(make(),),
    fills_in_defaults_of_items=(make(groups=[{"name": "a"}]),),
    fills_in_defaults_for_nulls=(make(replicas=None, filled=None),),
    keeps_a_null_where_it_may_stand=(make(maybe=None),),
    prunes_unknown_fields=(make(typo=1, nested={"typo": 2}, groups=[{"name": "a", "typo": 3}]),),
    keeps_unknown_fields_where_it_says_so=(make(open={"any": {"thing": [1, {"a": None}]}}),),
    keeps_everything_of_a_loose_kind=(post(at(LOOSE), loose(any={"thing": 1}, more=[1, "a"])),),
    keeps_an_embedded_object=(
        make(template={"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {}}),
    ),
    needs_the_kind_of_an_embedded_object=(make(template={"metadata": {"name": "x"}}),),
    takes_a_number_or_a_text=(make(port=80), make(name="v", port="http")),
    refuses_neither_number_nor_text=(make(port=[1]),),
    refuses_a_wrong_type=(make(flag="yes"),),
    refuses_a_text_for_a_number=(make(low="1"),),
    refuses_a_number_for_a_text=(make(code=5),),
    refuses_an_object_for_a_list=(make(atoms={"a": 1}),),
    refuses_a_fraction=(make(low=1.5),),
    takes_a_whole_fraction=(make(low=2.0),),
    refuses_what_is_not_listed=(make(size="huge"),),
    refuses_too_little=(make(replicas=-1),),
    refuses_too_much=(make(replicas=101),),
    refuses_the_excluded_limit=(make(ratio=0),),
    refuses_what_is_no_multiple=(make(step=0.7),),
    refuses_a_text_that_does_not_match=(make(code="ABC"),),
    refuses_a_short_text=(make(code="a"),),
    refuses_a_long_text=(make(code="abcdef"),),
    refuses_a_bad_moment=(make(moment="yesterday"),),
    takes_a_good_moment=(make(moment="2030-01-01T00:00:00Z"),),
    refuses_too_many_items=(make(tags=["a", "b", "c", "d"]),),
    refuses_too_many_properties=(make(labels={"a": "1", "b": "2", "c": "3"}),),
    refuses_a_repeated_item=(make(tags=["a", "a"]),),
    refuses_a_repeated_key=(make(groups=[{"name": "a"}, {"name": "a"}]),),
    needs_what_is_required=(make(groups=[{"size": 1}]),),
    needs_the_spec=(post(at(WIDGETS), of("conformance.example.com/v1", "Widget", "w")),),
    refuses_neither_of_two=(make(nested={"either": {}}),),
    refuses_both_of_two=(make(nested={"either": {"a": "1", "b": "2"}}),),
    takes_one_of_two=(make(nested={"either": {"a": "1"}}),),
    names_several_problems=(make(replicas=-1, size="huge", flag=3),),
    checks_the_status_too=(make(), patch(f"{WIDGET}/status", {"status": {"phase": "Odd"}})),
    refuses_a_change_for_the_worse=(make(code="abc"), change(code="ABC")),
)
RULING = cases(
    "rules",
    let_good_objects_pass=(make(low=1, high=2),),
    refuse_with_their_message=(make(low=3, high=2),),
    refuse_a_change_too=(make(low=1, high=2), change(low=5)),
    forbid_with_their_own_reason_and_path=(make(forbidden="x"),),
    show_the_value_of_a_scalar=(make(fixed="a"), change(fixed="b")),
    about_changes_let_the_first_value_pass=(make(), change(fixed="a")),
    about_changes_let_the_same_value_pass=(make(fixed="a"), change(fixed="a", low=1)),
    about_changes_let_a_removal_pass=(make(fixed="a"), change(fixed=None)),
    compute_their_message=(make(told=12), make(told=99)),
    without_a_message_show_themselves=(make(untold=["abc", "abcdef"]),),
    follow_items_by_their_key=(
        make(groups=[{"name": "a", "size": 2}, {"name": "b", "size": 2}]),
        change(groups=[{"name": "b", "size": 1}, {"name": "a", "size": 3}]),
    ),
    name_values_by_their_key=(make(limits={"a": 1, "b": 0}),),
    with_an_optional_past_are_asked_at_birth=(make(late="x"),),
    with_an_optional_past_see_the_past=(make(), change(late="x")),
    wait_for_the_right_form=(make(low="x", high=1),),
    are_asked_of_an_update=(
        make(low=1, high=2),
        put(WIDGET, widget(metadata=REVISION, low=3, high=2)),
    ),
    are_not_asked_of_a_status=(
        make(low=1, high=2),
        patch(f"{WIDGET}/status", {"status": {"replicas": 1}}),
    ),
)
VERSION: dict[str, Any] = {
    "name": "v1",
    "served": True,
    "storage": True,
    "schema": {"openAPIV3Schema": {"type": "object"}},
}


def definition(plural: str = "things", **spec: Any) -> Any:
    group = "$ns.example.com"
    names = {"plural": plural, "kind": "Thing"}
    body = {"group": group, "scope": "Namespaced", "names": names, "versions": [VERSION], **spec}
    return of("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"{plural}.{group}", spec=body)


def version(**fields: Any) -> list[Any]:
    return [{**VERSION, **fields}]


def schema(**fields: Any) -> list[Any]:
    return version(schema={"openAPIV3Schema": {"type": "object", **fields}})


THINGS = "/apis/$ns.example.com/v1/namespaces/$ns/things"
DEFINING = cases(
    "definition",
    is_completed=(only("spec", post(DEFINED, definition())),),
    is_served=(
        only("code", post(DEFINED, definition())),
        only("code", get(THINGS, until=200)),
        only("code", post(THINGS, of("$ns.example.com/v1", "Thing", "t"))),
        only("kind", get(f"{THINGS}/t")),
    ),
    names_itself_after_plural_and_group=(
        post(DEFINED, {**definition(), "metadata": {"name": "x.y"}}),
    ),
    needs_one_stored_version=(
        only("reason", post(DEFINED, definition(versions=version(storage=False)))),
    ),
    needs_a_schema=(post(DEFINED, definition(versions=version(schema=None))),),
    needs_versions=(only("reason", post(DEFINED, definition(versions=[]))),),
    needs_a_known_scope=(post(DEFINED, definition(scope="Somewhere")),),
    refuses_a_rule_that_is_no_expression=(
        only(
            "reason",
            post(
                DEFINED,
                definition(versions=schema(**{"x-kubernetes-validations": [{"rule": "self.("}]})),
            ),
        ),
    ),
    goes_with_its_objects=(
        only("code", post(DEFINED, definition())),
        only("code", get(THINGS, until=200)),
        only("code", post(THINGS, of("$ns.example.com/v1", "Thing", "t"))),
        only("code", delete(f"{DEFINED}/things.$ns.example.com")),
        only("code", get(f"{DEFINED}/things.$ns.example.com", until=404)),
        only("code", get(THINGS, until=404)),
    ),
)
STRICT = {"fieldValidation": "Strict"}
VALIDATING = cases(
    "field validation",
    warns_of_unknown_fields=(make(typo=1),),
    refuses_unknown_fields_when_strict=(post(at(WIDGETS), widget(typo=1, more=2), **STRICT),),
    ignores_unknown_fields_when_told=(post(at(WIDGETS), widget(typo=1), fieldValidation="Ignore"),),
    refuses_an_unknown_word=(post(at(WIDGETS), widget(), fieldValidation="Melt"),),
    is_strict_for_patches=(make(), only("reason", patch(WIDGET, {"spec": {"typo": 1}}, **STRICT))),
    warns_in_patches=(make(), patch(WIDGET, {"spec": {"typo": 1}})),
    is_strict_for_updates=(
        make(),
        put(WIDGET, widget(metadata=REVISION, typo=1), **STRICT),
    ),
    warns_of_unknown_fields_of_a_map=(
        post(at("configmaps"), {**of("v1", "ConfigMap", "c"), "dat": {}}),
    ),
    refuses_unknown_fields_of_a_map_when_strict=(
        post(at("configmaps"), {**of("v1", "ConfigMap", "c"), "dat": {}}, **STRICT),
    ),
    warns_of_unknown_fields_of_a_pod=(
        only(
            "code",
            post(
                at("pods"),
                of(
                    "v1",
                    "Pod",
                    "p",
                    spec={"containers": [{"name": "a", "image": "i", "imag": "x"}], "nodname": "n"},
                ),
            ),
        ),
    ),
    refuses_unknown_fields_of_a_pod_when_strict=(
        post(
            at("pods"),
            of(
                "v1",
                "Pod",
                "p",
                spec={"containers": [{"name": "a", "image": "i", "imag": "x"}], "nodname": "n"},
            ),
            **STRICT,
        ),
    ),
    refuses_unknown_metadata_when_strict=(
        post(
            at("configmaps"),
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "labls": {}}},
            **STRICT,
        ),
    ),
    refuses_a_wrong_type_of_a_map=(
        only("code", post(at("configmaps"), of("v1", "ConfigMap", "c", data={"a": 1}))),
    ),
    refuses_a_wrong_type_of_a_pod=(
        only("code", post(at("pods"), of("v1", "Pod", "p", spec={"containers": "none"}))),
    ),
)

ALL = (*SHAPING, *RULING, *DEFINING, *VALIDATING)
