"""The RayCronJob as its user wrote it: a RayJob, and when it runs again and again.

The template is a bare RayJob spec, without metadata of its own. Whether the schedule can be read is
decided in `shared.validation`, with `shared.cron`. There is one served version, v1.
"""

from pydantic import Field

from shared.resources.rayjob import RayJobSpec
from shared.resources.resource import Resource
from shared.resources.status import Moment
from shared.resources.written import Flag, Text, Written

KIND = "RayCronJob"


class RayCronJobSpec(Written):
    """What shall run, and when."""

    schedule: Text = Field(description="When, as five fields of cron or one of its short words.")
    job_template: RayJobSpec = Field(description="The spec of the jobs to make.")
    time_zone: Text | None = Field(
        None,
        description="Time zone of the schedule, by its IANA name.",
        json_schema_extra={"minLength": 1},
    )
    suspend: Flag | None = Field(None, description="Make no more jobs.")


class RayCronJobStatus(Written):
    """What became of the schedule."""

    last_schedule_time: Moment | None = Field(
        None, description="The scheduled time of the last job that was made."
    )


class RayCronJob(Resource[RayCronJobSpec]):
    """A RayCronJob with its metadata and the status it was last seen with."""

    kind: Text = KIND
