"""What Serve is told to run: the user's text, read as YAML."""

from collections.abc import Mapping
from functools import lru_cache

from shared.kernel.hashing import digest
from shared.resources.rayservice import RayService
from shared.resources.runtime_env import read_runtime_env


def serve_config(service: RayService) -> Mapping[str, object] | str:
    """Return what Serve is to run; a sentence if the text cannot be read, or says nothing."""
    return _read(service.spec.serve_config_v2 or "")


@lru_cache(maxsize=256)
def _read(text: str) -> Mapping[str, object] | str:
    """Read a text; the last ones are kept, for a decision looks at its own several times."""
    return read_runtime_env(text) or "it is empty"


def config_digest(service: RayService) -> str:
    """Return the name of the text: another text, be it another space, has another name."""
    return digest(service.spec.serve_config_v2 or "")[:16]
