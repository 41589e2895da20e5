"""The annotation that says how long a RayService may take to become ready, and its rules.

A duration as Go writes it (`30m`, `1h30m`), or whole seconds. The text is tried in that order, so a
bare `0` is a duration.
"""

import re
from collections.abc import Callable

from shared.cron.durations import whole_seconds
from shared.cron.gotext import whole_number
from shared.resources.service_timeout import ANNOTATION
from shared.validation.findings import Problems
from shared.validation.rule import Layer, Rule

_PATH = f"metadata.annotations['{ANNOTATION}']"
_START = (
    "The RayService metadata is invalid: RayService annotations is invalid: annotation "
    f"{ANNOTATION}"
)
_HINT = "write a duration such as 30m, or seconds such as 1800; remove it for no limit"
_DIGIT = re.compile("[1-9]")

DURATION = Rule(
    id="RayService.timeout-duration",
    layer=Layer.METADATA,
    path=_PATH,
    text=f"{_START} must be a positive duration, got: {{value}}",
    hint=_HINT,
)
SECONDS = Rule(
    id="RayService.timeout-seconds",
    layer=Layer.METADATA,
    path=_PATH,
    text=f"{_START} must be a positive integer (seconds), got: {{value}}",
    hint=_HINT,
)
FORMAT = Rule(
    id="RayService.timeout-format",
    layer=Layer.METADATA,
    path=_PATH,
    text=(
        f"{_START} has invalid format: {{value}}. Expected Go duration format (e.g., '5m', '1h') "
        "or positive integer seconds"
    ),
    hint=_HINT,
)


def timeout_problems(text: str) -> Problems:
    """Check the value of the annotation; an empty one is none."""
    rule = _broken(text) if text else None
    if rule is not None:
        yield rule.found(value=text)


def _broken(text: str) -> Rule | None:
    positive = not text.startswith("-") and _DIGIT.search(text) is not None
    if _reads_as(whole_seconds, text):
        return None if positive else DURATION
    if _reads_as(whole_number, text):
        return None if positive else SECONDS
    return FORMAT


def _reads_as(reader: Callable[[str], object], text: str) -> bool:
    try:
        reader(text)
    except ValueError:
        return False
    return True
