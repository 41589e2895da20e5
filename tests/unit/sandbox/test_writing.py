"""Create, update and patch: generations, conflicts, subresources, dry runs."""

import pytest

from sandbox.errors import ApiError
from sandbox.objects import Object, bury
from sandbox.requests import Request
from tests.unit.sandbox.widgets import cluster, configmap, pod, service, widget, widget_definition

JSON_PATCH = "application/json-patch+json"


def stamp(obj: Object) -> tuple[int, str]:
    """Return generation and resourceVersion."""
    return obj["metadata"]["generation"], obj["metadata"]["resourceVersion"]


def refusal(error: pytest.ExceptionInfo[ApiError]) -> tuple[int, str, str]:
    return error.value.code, error.value.reason, str(error.value)


def test_a_newborn_gets_the_servers_metadata_and_its_defaults() -> None:
    made = cluster().create("widgets", widget(size="big"))

    assert made == {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {
            "name": "one",
            "namespace": "default",
            "uid": made["metadata"]["uid"],
            "creationTimestamp": "2030-01-01T12:00:00Z",
            "generation": 1,
            "resourceVersion": "6",
        },
        "spec": {"replicas": 1, "size": "big"},
    }


def test_a_name_can_be_taken_once() -> None:
    ours = cluster()
    ours.create("widgets", widget())

    with pytest.raises(ApiError) as error:
        ours.create("widgets", widget())
    assert refusal(error) == (409, "AlreadyExists", 'widgets.example.com "one" already exists')


def test_generates_names_that_differ() -> None:
    ours = cluster()
    named = {"metadata": {"generateName": "w-"}, "spec": {}}

    names = {ours.create("widgets", named)["metadata"]["name"] for _ in range(20)}

    assert len(names) == 20
    assert {(name[:2], len(name)) for name in names} == {("w-", 7)}


def test_refuses_a_missing_namespace() -> None:
    with pytest.raises(ApiError) as error:
        cluster().create("configmaps", bury(configmap(), "metadata.namespace", "nowhere"))
    assert refusal(error) == (404, "NotFound", 'namespaces "nowhere" not found')


def test_only_a_change_of_spec_counts_a_generation() -> None:
    ours = cluster()
    made = ours.create("widgets", widget())

    labelled = ours.update("widgets", bury(made, "metadata.labels", {"a": "b"}))
    grown = ours.update("widgets", bury(labelled, "spec.replicas", 2))
    told = ours.update("widgets", {**grown, "status": {"replicas": 2}}, subresource="status")

    assert [stamp(each) for each in (made, labelled, grown, told)] == [
        (1, "6"),
        (1, "7"),
        (2, "8"),
        (2, "9"),
    ]


def test_an_update_that_changes_nothing_spends_no_revision() -> None:
    ours = cluster()
    made = ours.create("widgets", widget())

    assert ours.update("widgets", made) == made
    assert ours.patch("widgets", "default", "one", {"spec": {"replicas": 1}}) == made


def test_main_resource_and_status_ignore_each_others_part() -> None:
    ours = cluster()
    made = ours.create("widgets", {**widget(), "status": {"replicas": 9}})
    both = {**bury(made, "spec.replicas", 5), "status": {"replicas": 3}}

    told = ours.update("widgets", both, subresource="status")
    grown = ours.patch("widgets", "default", "one", {"spec": both["spec"], "status": None})

    assert "status" not in made
    assert (told["spec"]["replicas"], told["status"]) == (1, {"replicas": 3})
    assert (grown["spec"]["replicas"], grown["status"]) == (5, {"replicas": 3})


def test_refuses_an_update_of_an_object_that_moved_on() -> None:
    ours = cluster()
    made = ours.create("widgets", widget())
    ours.update("widgets", bury(made, "spec.replicas", 2))

    with pytest.raises(ApiError) as error:
        ours.update("widgets", bury(made, "spec.replicas", 3))
    assert refusal(error) == (
        409,
        "Conflict",
        (
            'Operation cannot be fulfilled on widgets.example.com "one": the object has been '
            "modified; please apply your changes to the latest version and try again"
        ),
    )


def test_refuses_an_update_of_another_object_of_that_name() -> None:
    ours = cluster()
    made = ours.create("widgets", widget())

    with pytest.raises(ApiError, match="Precondition failed: UID in precondition: other"):
        ours.update("widgets", bury(made, "metadata.uid", "other"))


def test_custom_objects_cannot_be_updated_blindly_but_configmaps_can() -> None:
    ours = cluster()
    ours.create("widgets", widget())
    ours.create("configmaps", configmap(a="1"))

    assert ours.update("configmaps", configmap(a="2"))["data"] == {"a": "2"}
    with pytest.raises(ApiError, match="must be specified for an update"):
        ours.update("widgets", widget(replicas=3))


def test_a_dry_run_answers_as_if_and_keeps_nothing() -> None:
    ours = cluster()
    before = ours.state.store.revision

    made = ours.create("widgets", widget(), dry_run=True)

    assert "resourceVersion" not in made["metadata"]
    assert (ours.list("widgets").items, ours.state.store.revision) == ((), before)


def test_patches_by_operations() -> None:
    ours = cluster()
    ours.create("widgets", widget())
    operations = [{"op": "replace", "path": "/spec/replicas", "value": 4}]

    grown = ours.patch("widgets", "default", "one", operations, content_type=JSON_PATCH)

    assert grown["spec"]["replicas"] == 4


def test_a_patch_can_insist_on_a_revision() -> None:
    ours = cluster()
    ours.create("widgets", widget())

    with pytest.raises(ApiError, match="the object has been modified"):
        ours.patch("widgets", "default", "one", {"metadata": {"resourceVersion": "1"}})


def test_refuses_strategic_patches_of_custom_objects() -> None:
    ours = cluster()
    ours.create("widgets", widget())

    with pytest.raises(ApiError) as error:
        ours.patch(
            "widgets",
            "default",
            "one",
            {"spec": {}},
            content_type="application/strategic-merge-patch+json",
        )
    assert (error.value.code, error.value.reason) == (415, "UnsupportedMediaType")


def test_scaling_changes_the_replicas_and_shows_them() -> None:
    ours = cluster()
    ours.create("widgets", widget())

    scale = ours.patch("widgets", "default", "one", {"spec": {"replicas": 5}}, subresource="scale")

    assert (scale["kind"], scale["spec"], scale["status"]) == (
        "Scale",
        {"replicas": 5},
        {"replicas": 0},
    )
    assert ours.get("widgets", "default", "one")["spec"] == {"replicas": 5, "size": "small"}


def test_says_which_fields_of_a_custom_object_are_wrong() -> None:
    with pytest.raises(ApiError) as error:
        cluster().create("widgets", widget(replicas=-1, size="huge"))

    assert (error.value.code, error.value.reason) == (422, "Invalid")
    assert error.value.status["details"] == {
        "name": "one",
        "group": "example.com",
        "kind": "Widget",
        "causes": [
            {
                "reason": "FieldValueInvalid",
                "message": "Invalid value: -1: should be a non-negative integer",
                "field": ".spec.replicas",
            },
            {
                "reason": "FieldValueInvalid",
                "message": "Invalid value: -1: spec.replicas in body should be greater than or "
                "equal to 0",
                "field": "spec.replicas",
            },
            {
                "reason": "FieldValueNotSupported",
                "message": 'Unsupported value: "huge": supported values: "small", "big"',
                "field": "spec.size",
            },
        ],
    }


def test_unknown_fields_are_dropped_told_or_refused() -> None:
    ours = cluster()
    request = Request(
        verb="create", resource="widgets", namespace="default", body=widget(typo=1), dry_run=True
    )
    strict = Request(
        verb="create",
        resource="widgets",
        namespace="default",
        body=widget(typo=1),
        field_validation="Strict",
    )

    answer = ours.carry_out(request)

    assert answer.warnings == ('unknown field "spec.typo"',)
    assert answer.body["spec"] == {"replicas": 1, "size": "small"}
    with pytest.raises(ApiError, match=r'strict decoding error: unknown field "spec\.typo"'):
        ours.carry_out(strict)


def test_every_served_version_shows_the_same_object() -> None:
    ours = cluster()
    definition = widget_definition()
    first = definition["spec"]["versions"][0]
    old = {**first, "name": "v1alpha1", "storage": False, "deprecated": True}
    ours.patch(
        "customresourcedefinitions",
        None,
        "widgets.example.com",
        {"spec": {"versions": [first, old]}},
    )
    body = {**widget(), "apiVersion": "example.com/v1alpha1"}

    answer = ours.carry_out(
        Request(
            verb="create", resource="widgets", version="v1alpha1", namespace="default", body=body
        )
    )

    assert answer.body["apiVersion"] == "example.com/v1alpha1"
    assert answer.warnings == (
        "example.com/v1alpha1 Widget is deprecated; use example.com/v1 Widget",
    )
    assert ours.get("widgets", "default", "one") == {**answer.body, "apiVersion": "example.com/v1"}


def test_refuses_a_body_of_another_kind_version_or_name() -> None:
    ours = cluster()
    ours.create("configmaps", configmap())

    with pytest.raises(ApiError, match="Pod in version"):
        ours.create("configmaps", pod())
    with pytest.raises(ApiError, match=r"no kind .* is registered for version"):
        ours.create("configmaps", {**configmap(), "apiVersion": "v2"})
    with pytest.raises(ApiError, match="does not match the name on the URL"):
        ours.patch("configmaps", "default", "one", {"metadata": {"name": "two"}})


def test_pods_keep_their_spec_but_for_images() -> None:
    ours = cluster()
    ours.create("pods", pod())
    image = [{"op": "replace", "path": "/spec/containers/0/image", "value": "ray:3"}]
    name = [{"op": "replace", "path": "/spec/containers/0/name", "value": "other"}]

    renewed = ours.patch("pods", "default", "one", image, content_type=JSON_PATCH)

    assert renewed["spec"]["containers"][0]["image"] == "ray:3"
    with pytest.raises(ApiError, match="pod updates may not change fields other than"):
        ours.patch("pods", "default", "one", name, content_type=JSON_PATCH)


def test_services_keep_their_address() -> None:
    ours = cluster()
    made = ours.create("services", service())

    again = ours.update("services", service(selector={"a": "b"}))

    assert again["spec"]["clusterIP"] == made["spec"]["clusterIP"]
    with pytest.raises(ApiError, match="may not change once set"):
        ours.update("services", service(clusterIP="10.96.0.99"))


def test_a_custom_object_applied_with_blanks_costs_a_revision_until_it_is_written_anew() -> None:
    ours = cluster()
    meta = {"name": "one", "labels": {}}
    blank = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": meta, "spec": {}}

    def applied() -> Object:
        how = {"content_type": "application/apply-patch+yaml", "field_manager": "me"}
        return ours.patch("widgets", "default", "one", blank, **how)

    revisions = [
        obj["metadata"]["resourceVersion"]
        for obj in (
            applied(),
            applied(),
            ours.patch("widgets", "default", "one", {}),
            ours.patch("widgets", "default", "one", {}),
        )
    ]

    assert revisions == ["6", "7", "8", "8"]


def test_some_kinds_are_born_by_an_update() -> None:
    here = cluster()
    wanted = {**service(), "metadata": {"name": "s", "namespace": "default"}}

    made = here.update("services", wanted)

    assert made["metadata"]["uid"]
    with pytest.raises(ApiError, match="not found"):
        here.update("configmaps", configmap("c"))
