"""Every rule about a RayCronJob can be broken, says exactly this, and points at this path."""

from typing import Any

import pytest

from shared.kernel.features import Features
from shared.resources.raycronjob import RayCronJob
from shared.resources.reading import read_raycronjob
from shared.validation.raycronjob import told, validate
from shared.validation.rules import rules_of
from tests.support.rayclusters import head

Fields = dict[str, Any]

TEMPLATE: Fields = {"entrypoint": "python run.py", "rayClusterSpec": {"headGroupSpec": head()}}


def cron(*, name: str = "demo", annotations: Fields | None = None, **spec: object) -> RayCronJob:
    metadata = {"name": name, "namespace": "lab", "annotations": annotations or {}}
    given = {"schedule": "*/5 * * * *", "jobTemplate": TEMPLATE, **spec}
    read = read_raycronjob({"metadata": metadata, "spec": given})
    assert isinstance(read, RayCronJob), read
    return read


CASES: list[tuple[str, Fields, str, str]] = [
    (
        "name-length",
        {"name": "a" * 37},
        "metadata.name",
        "RayCronJob name should be no more than 36 characters",
    ),
    (
        "name-letters",
        {"name": "1.a"},
        "metadata.name",
        (
            "RayCronJob name should be a valid DNS1035 label: use lower case letters, digits "
            "and '-'; "
            "begin with a letter, end with either"
        ),
    ),
    (
        "schedule-zone",
        {"schedule": "CRON_TZ=UTC 0 0 * * *"},
        "spec.schedule",
        "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
    ),
    (
        "schedule-zone",
        {"schedule": "TZ=UTC 0 0 * * *"},
        "spec.schedule",
        "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
    ),
    (
        "schedule",
        {"schedule": "0 0 * *"},
        "spec.schedule",
        "invalid cron schedule: expected exactly 5 fields, found 4: [0 0 * *]",
    ),
    (
        "schedule-never",
        {"schedule": "0 0 30 2 *"},
        "spec.schedule",
        "invalid cron schedule: no day matches: 0 0 30 2 *",
    ),
    (
        "zone-empty",
        {"timeZone": ""},
        "spec.timeZone",
        (
            "timeZone must not be empty string, omit the field to use the local time zone of the "
            "KubeRay operator"
        ),
    ),
    (
        "zone",
        {"timeZone": "Invalid/Zone"},
        "spec.timeZone",
        "invalid time zone: unknown time zone Invalid/Zone",
    ),
]


@pytest.mark.parametrize(("rule_id", "fields", "path", "text"), CASES)
def test_a_rule_says_exactly_this(rule_id: str, fields: Fields, path: str, text: str) -> None:
    """RayCronJob checklist 1, 10, 11 and 14: each in its words."""
    (problem,) = validate(cron(**fields), Features())

    assert (problem.rule, problem.path, problem.message) == (f"RayCronJob.{rule_id}", path, text)
    assert problem.reason == "InvalidRayCronJobSpec"
    assert told(problem, "lab", "demo") == f"lab/demo: {text}"


def test_every_rule_has_a_case() -> None:
    shown = {f"RayCronJob.{rule_id}" for rule_id, *_ in CASES}

    assert {each.id for each in rules_of("RayCronJob")} == shown


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"name": "a" * 36},
        {"timeZone": "Asia/Taipei"},
        {"timeZone": "America/New_York"},
        {"timeZone": "UTC", "suspend": True},
        *({"schedule": each} for each in ("@daily", "@every 90s", "0 0 29 2 *", "0 0 31 1/2 MON")),
    ],
)
def test_this_is_fine(fields: Fields) -> None:
    """RayCronJob checklist 10 and 14: zones that there are, and a name of 36 letters."""
    assert validate(cron(**fields), Features()) == ()


def test_the_template_is_judged_as_a_job_without_name_and_annotations() -> None:
    """RayCronJob checklist 13: no container, told as the template's fault."""
    cluster = {"headGroupSpec": head(template={}), "gcsFaultToleranceOptions": {}}
    wanted = cron(
        annotations={"ray.io/ft-enabled": "true"},
        jobTemplate={"rayClusterSpec": cluster, "backoffLimit": -1},
    )

    found = validate(wanted, Features())

    start = "invalid RayJob template: The RayJob spec is invalid:"
    assert [(each.path, each.message) for each in found] == [
        (
            "spec.jobTemplate.rayClusterSpec.headGroupSpec.template.spec.containers",
            f"{start} headGroupSpec should have at least one container",
        ),
        ("spec.jobTemplate.backoffLimit", f"{start} backoffLimit must be a positive integer"),
    ]
    assert {each.reason for each in found} == {"InvalidRayCronJobSpec"}


def test_an_empty_template_is_told() -> None:
    """RayCronJob checklist 12: neither a cluster nor a way to find one."""
    (problem,) = validate(cron(jobTemplate={}), Features())

    assert told(problem, "lab", "demo") == (
        "lab/demo: invalid RayJob template: The RayJob spec is invalid: one of RayClusterSpec or "
        "ClusterSelector must be set"
    )


def test_the_first_failure_comes_first() -> None:
    wanted = cron(name="A", schedule="x", timeZone="x", jobTemplate={})

    assert [each.rule for each in validate(wanted, Features())] == [
        "RayCronJob.name-letters",
        "RayCronJob.schedule",
        "RayCronJob.zone",
        "RayJob.cluster",
    ]
