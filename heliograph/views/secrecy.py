"""Which words promise a secret, and how a secret looks in a text. Pure."""

import re
from functools import lru_cache

_WORDS = (
    r"passw(?:or)?d|passphrase|pwd\b|secret|token(?!s\b|iz)|credential|authorization|cookie"
    r"|(?:api|access|private|auth|account|signing|encryption|shared)[-_. ]?key|\bdsn\b"
    r"|connection[-_]?string"
)
_NAMED = re.compile(_WORDS, re.IGNORECASE)
_ONLY_NAMES = re.compile(
    r"(name|names|namespace|ref|refs|file|path|dir|mount|seconds|mode|type|url|uri|version)$",
    re.IGNORECASE,
)
"""What ends so names a secret, or says where it lies."""

_SCHEMES = frozenset({"bearer", "basic", "token", "digest", "negotiate"})

WELL_KNOWN = re.compile(
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}"
    r"|\bgithub_pat_[A-Za-z0-9_]{20,}"
    r"|\bhf_[A-Za-z0-9]{20,}"
    r"|\bsk-[A-Za-z0-9_-]{16,}"
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.?[A-Za-z0-9_-]*"
)
"""Secrets that tell by their form what they are."""
SCHEME = re.compile(
    r"(?P<before>(?i:\bauthorization[\"']?\s*[:=]\s*[\"']?(?:[a-z]+\s+)?)"
    r"|(?i:\b(?:bearer|basic)\s+)(?=\S*[0-9A-Z=]))"
    r"(?P<value>[A-Za-z0-9._~+/=-]{6,})"
)
"""An authorization header, or what is left of one in a message."""
USERINFO = re.compile(
    r"(?P<before>[a-zA-Z][a-zA-Z0-9+.-]{0,20}://[^\s/:@'\"]*:)(?P<value>[^\s/@'\"]+)(?=@)"
)
"""The password of an address."""
ASSIGNED = re.compile(
    rf"(?P<before>(?<![\w.-])(?P<name>[\w.-]{{0,60}}?(?:{_WORDS})[\w.-]{{0,60}})"
    r"(?P<between>\\?[\"']?\s*[=:]\s*|\s+(?=[^-\s])))"
    r"(?P<value>\\?\"(?:[^\"\\]|\\.)*?\\?\"|'[^']*'|[^\s\"';,&|}\]]+)",
    re.IGNORECASE,
)
"""`NAME=value`, `name: value`, `--name value`, where the name may promise a secret."""


@lru_cache(maxsize=8192)
def promises(name: str) -> bool:
    """Whether a name is that of a secret value, and not of something that names one."""
    return bool(_NAMED.search(name)) and not _ONLY_NAMES.search(name)


def mentions(text: str) -> bool:
    """Whether a text has a word that promises a secret, and so is worth a closer look."""
    return _NAMED.search(text) is not None


def tells_value(match: re.Match[str]) -> bool:
    """Whether a match of `ASSIGNED` gives a secret away: prose after a word does not."""
    option = match["name"].startswith("-") or bool(match["between"].strip())
    return option and promises(match["name"]) and match["value"].lower() not in _SCHEMES
