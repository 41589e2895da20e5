"""What Kubernetes accepts as a name or label, and what to say if it does not.

Each function returns sentences, none if all is well.
"""

import re

_LABEL_LENGTH = 63
_SUBDOMAIN_LENGTH = 253
_DNS_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_DNS_1123 = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_WORD = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")


def dns_1035_label(text: str) -> list[str]:
    """Check a name that must begin with a letter."""
    shape = "use lower case letters, digits and '-'; begin with a letter, end with either"
    return [*_too_long(text, _LABEL_LENGTH), *_unlike(text, _DNS_1035, shape)]


def dns_1123_label(text: str) -> list[str]:
    """Check a name that may begin with a digit."""
    shape = "use lower case letters, digits and '-'; begin and end with a letter or digit"
    return [*_too_long(text, _LABEL_LENGTH), *_unlike(text, _DNS_1123, shape)]


def qualified_name(text: str) -> list[str]:
    """Check the key of a label: a word, after an optional domain and '/'."""
    *prefix, word = text.split("/")
    if len(prefix) > 1:
        return ["a key has at most one '/', between its domain and its name"]
    problems = [*_too_long(word, _LABEL_LENGTH), *_unlike(word, _WORD, _WORD_SHAPE)]
    for domain in prefix:
        shape = "the part before '/' must be a domain of lower case letters, digits, '-' and '.'"
        problems += [*_too_long(domain, _SUBDOMAIN_LENGTH), *_unlike(domain, _SUBDOMAIN, shape)]
    return problems


def label_value(text: str) -> list[str]:
    """Check the value of a label; an empty one is fine."""
    if not text:
        return []
    return [*_too_long(text, _LABEL_LENGTH), *_unlike(text, _WORD, _WORD_SHAPE)]


_WORD_SHAPE = "use letters, digits, '-', '_' and '.'; begin and end with a letter or digit"


def _too_long(text: str, most: int) -> list[str]:
    return [f"must be no more than {most} characters"] if len(text) > most else []


def _unlike(text: str, pattern: re.Pattern[str], shape: str) -> list[str]:
    return [] if pattern.fullmatch(text) else [shape]
