"""The command line that starts Ray, and how it becomes the container's command.

Parameters are sorted, so that the same parameters are always the same line. A user who starts Ray
in the container's own command keeps that command; any other command runs before ours.
"""

from collections.abc import Mapping

from services.reconciler.manifests.pods.draft import PodDraft
from shared.kernel.manifests import words_at
from shared.resources.labels import OVERWRITE_COMMAND

_ALWAYS_WITH_VALUE = frozenset({"log-color", "include-dashboard", "include-log-monitor"})
_RAISE_FILE_LIMIT = "ulimit -n ${RAY_START_ULIMIT_OPEN_FILES:-65536}; "


def ray_start_command(params: Mapping[str, str], *, head: bool) -> str:
    """Render the whole command."""
    rendered = "".join(_rendered(key, params[key]) for key in sorted(params))
    return f"ray start {'--head ' if head else ''}{rendered}"


def wrap_command(draft: PodDraft, start_command: str) -> None:
    """Make the Ray container start Ray, unless its user does."""
    ray = draft.ray
    own = "".join(f" {word} " for word in (*words_at(ray, "command"), *words_at(ray, "args")))
    overwritten = draft.annotations.get(OVERWRITE_COMMAND, "").lower() == "true"
    if overwritten or "ray start" in own:
        return
    ours = f"{_RAISE_FILE_LIMIT}{start_command}"
    ray["command"] = draft.settings.shell
    ray["args"] = [f"{own} && {ours}" if own else ours]


def _rendered(key: str, value: str) -> str:
    switch = value.lower()
    if switch in ("true", "false") and key not in _ALWAYS_WITH_VALUE:
        return f" --{key} " if switch == "true" else ""
    return f" --{key}={value} "
