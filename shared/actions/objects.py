"""What the executor may be asked to do to one object, and to tell Ray Serve.

Every action is safe to repeat: creations have names fixed by the decision, deletions name the uid
they mean. Each says which rule made it and, for people, `because`. A manifest stands once in its
act; actions name it and say what differs. Actions of one `unit` stand in one act or in none.
"""

from msgspec import Struct, field

from shared.actions.jobs import StopJob, SubmitJob


class Words(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Reason and message of a Kubernetes Event."""

    reason: str
    message: str


class Notice(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What to tell people as Kubernetes Events: when it was done, and when it was refused.

    The API server's own words are appended to `refused.message`. Words without a reason are not
    told.
    """

    done: Words
    refused: Words
    taken: Words | None = None
    """What to tell instead of `refused`, as it stands, if the name is somebody else's."""
    verb: str = ""
    """What to call it in the Event, where it is not the plain action."""


class CreateObject(Struct, frozen=True, kw_only=True, tag="create", omit_defaults=True):
    """Create an object of this kind and name from one of the act's manifests."""

    kind: str
    name: str
    manifest: str
    rule: str
    because: str
    group: str = ""
    unit: str = ""
    labels: dict[str, str] = field(default_factory=dict)
    secret_keys: tuple[str, ...] = ()
    """Keys of a Secret whose values the executor draws; no value is ever in an act."""
    may_be_there: bool = False
    """Whether an object of that name will do, whoever controls it."""
    notice: Notice | None = None


class DeleteObject(Struct, frozen=True, kw_only=True, tag="delete", omit_defaults=True):
    """Delete the object of this uid; with a resourceVersion, only as it was seen."""

    kind: str
    name: str
    uid: str
    rule: str
    because: str
    unit: str = ""
    resource_version: int | None = None
    notice: Notice | None = None


class PatchObject(Struct, frozen=True, kw_only=True, tag="patch", omit_defaults=True):
    """Merge a change into the object of this uid; with a resourceVersion, only as it was seen.

    `owner` is the uid that controls the object, where that is not the resource but something that
    the resource controls. Without a uid the change is for whichever object has the name then.
    """

    kind: str
    name: str
    uid: str
    patch: dict[str, object]
    rule: str
    because: str
    resource_version: int | None = None
    owner: str = ""
    mark: str = ""
    """What later acts are to remember of it once it is done, where nothing else shows that."""
    provided: dict[str, str] = field(default_factory=dict)
    """Labels of pods, one of which must be ready when the change is made; empty if none need be."""
    notice: Notice | None = None


class ConfigureServe(Struct, frozen=True, kw_only=True, tag="configure_serve", omit_defaults=True):
    """Tell Serve on a cluster what to run: the whole of it, so repeating it changes nothing.

    `digest` names the text that the configuration was read from.
    """

    cluster: str
    digest: str
    address: str
    service: str
    rule: str
    because: str
    secret: str = ""
    config: dict[str, object] = field(default_factory=dict)
    notice: Notice | None = None


class ConfirmObject(Struct, frozen=True, kw_only=True, tag="confirm", omit_defaults=True):
    """Read an object that stayed unseen for too long; presence or absence is the outcome."""

    kind: str
    name: str
    rule: str
    because: str


class PostNotice(Struct, frozen=True, kw_only=True, tag="notice", omit_defaults=True):
    """Tell people something about the resource, as a Kubernetes Event."""

    warning: bool
    reason: str
    action: str
    message: str
    rule: str
    because: str


ObjectAction = CreateObject | DeleteObject | PatchObject | ConfirmObject
"""Actions on one named object."""
RayAction = SubmitJob | StopJob | ConfigureServe
"""Actions at a Ray dashboard."""
Action = ObjectAction | PostNotice | RayAction
