"""One rule as a value: what it is called, where it looks, what it says and what helps.

Checks find problems by `rule.found(...)` only, so text, path and hint of a problem are those that
the reference page shows (`docs/reference/validation.md`). Words in braces are filled in by the
check; path and text take the same words.
"""

from enum import StrEnum

from msgspec import Struct

from shared.resources.problem import Problem


class Layer(StrEnum):
    """Which part of a resource a rule is about; parts are judged in this order."""

    METADATA = "metadata"
    SPEC = "spec"
    UPGRADE = "upgrade"
    STATUS = "status"


_PARTS = {Layer.METADATA: "Metadata", Layer.STATUS: "Status"}


class Rule(Struct, frozen=True, kw_only=True):
    """Something that must not be; `own` marks a rule that KubeRay does not have."""

    id: str
    path: str
    text: str
    hint: str
    layer: Layer = Layer.SPEC
    own: bool = False

    @property
    def kind(self) -> str:
        """The kind of resource, in the word that starts the id."""
        return self.id.partition(".")[0]

    @property
    def reason(self) -> str:
        """The reason of the Warning event."""
        if self.kind == "RayCronJob":
            return "InvalidRayCronJobSpec"
        return f"Invalid{self.kind}{_PARTS.get(self.layer, 'Spec')}"

    def found(self, **words: object) -> Problem:
        """Return the problem that this rule has with something."""
        return Problem(
            path=self.path.format(**words),
            message=self.text.format(**words),
            reason=self.reason,
            rule=self.id,
            hint=self.hint,
        )
