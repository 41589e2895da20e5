"""The rule about a runtime environment: YAML text that must hold a mapping.

What the text says is never repeated: people keep tokens in it, and problems go into Events, logs
and pages.
"""

from shared.resources.runtime_env import read_runtime_env
from shared.validation.findings import Problems
from shared.validation.rule import Rule

UNREADABLE = Rule(
    id="RayJob.runtime-env",
    path="spec.runtimeEnvYAML",
    text="failed to unmarshal RuntimeEnvYAML: {why}",
    hint="write a YAML mapping, such as working_dir: and pip:",
)


def runtime_env_problems(text: str | None) -> Problems:
    """Check the text with the reader that the submitter's command line is made with."""
    found = read_runtime_env(text or "")
    if isinstance(found, str):
        yield UNREADABLE.found(why=found)
