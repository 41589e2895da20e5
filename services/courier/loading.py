"""The subscription file and the files that it names, read again whenever they change.

What cannot be read is a problem like any other: told with its path, and looked at again later.
What files hold is given out only for a request that is about to be made.
"""

from pathlib import Path

import yaml

from services.courier.posting import Credentials
from services.courier.subscriptions import (
    FromFile,
    Problem,
    Read,
    Subscription,
    is_address,
    is_header_value,
    read_subscriptions,
)

SECRET_MAX = 64 * 1024
Stamp = tuple[int, int, int]


class UnreadableError(ValueError):
    """A file of a subscription cannot be used; the sentence tells nothing of what it holds."""


class Source:
    """One subscription file; what it names is looked up beside it."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._stamp: Stamp | None = None
        self._whole = False

    def look(self) -> Read | None:
        """Read it if it changed, or if it was not all well; None if there is nothing new."""
        stamp = _stamp(self._path)
        if self._whole and stamp == self._stamp:
            return None
        self._stamp = stamp
        read = self.read()
        self._whole = not read.problems
        return read

    def read(self) -> Read:
        """Read it now."""
        try:
            raw: object = yaml.safe_load(self._path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as problem:
            return _unusable(f"{self._path} cannot be read: {_why(problem)}")
        except (yaml.YAMLError, ValueError, RecursionError) as problem:  # also dates that are none
            return _unusable(f"{self._path} is not YAML: {_mistake(problem)}")
        return read_subscriptions(raw, self._missing)

    def credentials(self, subscription: Subscription) -> Credentials:
        """Return where to send, and with what; raise UnreadableError."""
        url = subscription.url or self._text(subscription.url_file, "urlFile")
        if not is_address(url):
            raise UnreadableError("urlFile holds no http or https address")
        headers = {
            name: self._text(value.file, f"headers.{name}")
            if isinstance(value, FromFile)
            else value
            for name, value in subscription.headers.items()
        }
        bad = [name for name, value in headers.items() if not is_header_value(value)]
        if bad:
            raise UnreadableError(f"headers.{bad[0]}: its file holds more than one line of text")
        key = b""
        if subscription.secret_file:
            key = self._bytes(subscription.secret_file, "secretFile")
        return Credentials(url, headers, key)

    def authorities(self, subscription: Subscription) -> str:
        """Return the file with the authorities that its sink is trusted by; empty for the usual."""
        return str(self._beside(subscription.ca_file)) if subscription.ca_file else ""

    def _missing(self, name: str) -> str | None:
        try:
            self._bytes(name, name)
        except UnreadableError as problem:
            return str(problem)
        return None

    def _text(self, name: str, path: str) -> str:
        try:
            return self._bytes(name, path).decode()
        except UnicodeDecodeError:
            raise UnreadableError(f"{path}: its file is no text") from None

    def _bytes(self, name: str, path: str) -> bytes:
        try:
            with self._beside(name).open("rb") as file:
                held = file.read(SECRET_MAX + 1)
        except OSError as problem:
            raise UnreadableError(f"{path} cannot be read: {_why(problem)}") from None
        if not held.strip() or len(held) > SECRET_MAX:
            raise UnreadableError(f"{path} is empty, or longer than {SECRET_MAX} bytes")
        return held.strip()

    def _beside(self, name: str) -> Path:
        return self._path.parent / name


def _stamp(path: Path) -> Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _unusable(sentence: str) -> Read:
    return Read(problems=(Problem("", sentence),))


def _mistake(problem: Exception) -> str:
    """Say what is wrong and where, without the text around it, which may be a secret."""
    if isinstance(problem, yaml.MarkedYAMLError) and problem.problem_mark is not None:
        return f"line {problem.problem_mark.line + 1}: {problem.problem}"
    return str(problem) if isinstance(problem, ValueError) else type(problem).__name__


def _why(problem: OSError | UnicodeDecodeError) -> str:
    return getattr(problem, "strerror", None) or type(problem).__name__
