"""One thing that is wrong with what a user wrote.

A path as the user wrote it and a sentence. Values only: who finds problems is told in
`shared.resources.reading` (shape) and `shared.validation` (meaning).
"""

from msgspec import Struct


class Problem(Struct, frozen=True, kw_only=True):
    """Where, what, and the event reason under which Kubernetes users know it.

    `rule` is the id of the rule that found it, empty for a problem of shape; `hint` says what to
    do about it.
    """

    path: str
    message: str
    reason: str = ""
    rule: str = ""
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"
