"""Questions as people write them, and what is wrong with them, each with its place."""

import pytest

from heliograph.simulator.questions import QuestionError, patched, read_question, words_of

FIRST = "raycluster/default/first"
OLD: dict[str, object] = {
    "metadata": {"name": "first", "labels": {"a": "1"}},
    "spec": {
        "suspend": False,
        "workerGroupSpecs": [
            {"groupName": "small", "replicas": 2},
            {"groupName": "large", "replicas": 1},
        ],
    },
}


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (None, "a question is a mapping that names a `resource`"),
        ({}, "Object missing required field `resource`"),
        ({"resource": "first"}, "resource: 'first' is not of the form KIND/NAMESPACE/NAME"),
        ({"resource": "pod/a/b"}, "resource: a pod cannot be asked about, only raycluster"),
        (
            {"resource": FIRST, "spec": {}},
            "spec: there is no such field (there is resource,",
        ),
        ({"resource": FIRST, "after": "soon"}, "after: 'soon' must be a span"),
        ({"resource": FIRST, "operator": {"away": 3}}, "operator.away: Expected `str`, got `int`"),
        ({"resource": FIRST, "pods": [{"fate": "oom"}]}, "pods[0]: say either a `name` or"),
        (
            {"resource": FIRST, "pods": [{"group": "a", "fate": "melt"}]},
            "pods[0].fate: 'melt' is",
        ),
        (
            {"resource": FIRST, "pods": [{"group": "a", "fate": "oom", "count": 0}]},
            "pods[0].count: a number of pods of a group, at least 1",
        ),
        ({"resource": FIRST, "patch": {"status": {}}}, "patch.status: only spec and metadata"),
        ({"resource": FIRST, "dashboard": {"jobs": "LOST"}}, "dashboard.jobs: 'LOST' is none of"),
        ({"resource": FIRST, "dashboard": {"after": "1s"}}, "dashboard.after: goes with `jobs`"),
        (
            {"resource": FIRST, "dashboard": {"jobs": "RUNNING", "after": "1s"}},
            "dashboard.after: goes with `jobs` that end",
        ),
        ({"resource": FIRST, "dashboard": {"for": "1m"}}, "dashboard.for: goes with `answers`"),
        ({"apiVersion": "ray.io/v1", "kind": "RayCluster"}, "metadata.name: a manifest needs"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(document: object, sentence: str) -> None:
    with pytest.raises(QuestionError) as told:
        read_question(document)

    assert str(told.value).startswith(sentence)


def test_a_manifest_is_a_question_about_its_resource() -> None:
    manifest = {
        "apiVersion": "ray.io/v1",
        "kind": "RayCluster",
        "metadata": {"name": "first", "labels": {"b": "2"}, "uid": "strange"},
        "spec": {"suspend": True},
    }

    question = read_question(manifest)

    assert question.resource == FIRST
    assert patched(question, OLD) == {
        "metadata": {"name": "first", "labels": {"a": "1", "b": "2"}},
        "spec": {"suspend": True},
    }


def test_groups_are_changed_by_their_names_and_the_others_stay() -> None:
    question = read_question({"resource": FIRST, "groups": {"small": {"replicas": 0}}})

    assert patched(question, OLD)["spec"] == {
        "suspend": False,
        "workerGroupSpecs": [
            {"groupName": "small", "replicas": 0},
            {"groupName": "large", "replicas": 1},
        ],
    }


def test_a_group_that_is_not_there_is_told_with_those_that_are() -> None:
    question = read_question({"resource": FIRST, "groups": {"tiny": {"replicas": 0}}})

    with pytest.raises(QuestionError, match=r"groups.tiny: .*there is small, large"):
        patched(question, OLD)


def test_a_patch_merges_and_null_removes() -> None:
    patch = {"metadata": {"labels": {"a": None, "c": "3"}}, "spec": {"suspend": True}}
    question = read_question({"resource": FIRST, "patch": patch})

    new = patched(question, OLD)

    assert new["metadata"] == {"name": "first", "labels": {"c": "3"}}
    assert new["spec"] == {**dict(OLD["spec"]), "suspend": True}  # type: ignore[call-overload]


def test_words_name_what_changes_and_no_value_of_it() -> None:
    document = {
        "resource": FIRST,
        "after": "30s",
        "groups": {"small": {"rayStartParams": {"redis-password": "hunter2"}}},
        "patch": {"spec": {"headGroupSpec": {"rayStartParams": {"redis-password": "hunter2"}}}},
        "pods": [{"group": "small", "count": 1, "fate": "oom"}, {"name": "p", "fate": "lose"}],
        "dashboard": {"jobs": "FAILED", "after": "5s", "answers": "hang", "for": "1m"},
        "operator": {"away": "10m"},
    }

    assert words_of(read_question(document)) == tuple(
        f"{words}, 30s after the moment"
        for words in (
            "the patch is applied to raycluster first",
            "group small has another rayStartParams",
            "1 pod of group small runs out of memory",
            "pod p loses its node",
            "jobs end FAILED after 5s",
            "dashboards do not answer in time for 1m",
            "the operator is away for 10m",
        )
    )
