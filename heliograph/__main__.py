"""`python -m heliograph`, and the `heliograph` command.

Our packages have plain names, so `python -m` started beside a stranger's `shared/` or `services/`
would take that one. Then we say so and stop, before anything of it runs. Read next:
`heliograph.cli.app`.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

_OURS = ("services", "shared", "sandbox")
_REFUSED = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    stranger = find_stranger()
    if stranger:
        print(stranger, file=sys.stderr)  # noqa: T201 - the command line is not there yet
        return _REFUSED
    app = import_module("heliograph.cli.app")
    return int(app.main(sys.argv[1:] if arguments is None else arguments))


def find_stranger() -> str | None:
    """Say which package Python would take from elsewhere, and what to do; None if all are ours."""
    home = Path(__file__).resolve().parents[1]
    for name in _OURS:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            return f"heliograph: the package '{name}' is missing from {home}: install it again"
        found = Path(spec.origin).resolve().parent
        if found != home / name:
            return (
                f"heliograph: Python would use the package '{name}' of {found.parent}, not ours: "
                "run the `heliograph` command, or `python -P -m heliograph`, "
                "or start from another folder"
            )
    return None


if __name__ == "__main__":
    sys.exit(main())
