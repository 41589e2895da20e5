"""What the executor may be asked to do at a Ray dashboard.

Both are safe to repeat: a job is submitted under an id that the decision fixed, and Ray refuses an
id that it knows; stopping what has ended changes nothing. The token that a dashboard asks for is
read from the named Secret when it is needed and never stands here.
"""

from msgspec import Struct, field


class SubmitJob(Struct, frozen=True, kw_only=True, tag="submit_job", omit_defaults=True):
    """Submit a job under this id; `request` is the rest of what Ray's job API takes."""

    job_id: str
    address: str
    service: str
    rule: str
    because: str
    secret: str = ""
    request: dict[str, object] = field(default_factory=dict)


class StopJob(Struct, frozen=True, kw_only=True, tag="stop_job", omit_defaults=True):
    """Stop the job of this id."""

    job_id: str
    address: str
    service: str
    rule: str
    because: str
    secret: str = ""
