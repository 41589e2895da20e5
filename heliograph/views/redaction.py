"""Values without secrets: every value that may be one becomes a stand-in. Pure.

Replaced are literals of environment variables, wherever they stand; values under names that
promise a secret; the values of Secrets; authorization headers, passwords in addresses and commands;
and what was found so, also where it turns up again in a text. Equal values become equal stand-ins
within one `Redactor`, so that what was equal stays equal. A stand-in is a number and nothing else:
no hash, so there is nothing to guess from.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from heliograph.views.secrecy import (
    ASSIGNED,
    SCHEME,
    USERINFO,
    WELL_KNOWN,
    mentions,
    promises,
    tells_value,
)
from shared.resources.runtime_env import read_runtime_env

STAND_IN = re.compile(r"redacted-[0-9]+")
SWEPT_MIN = 6
WORD_MAX = 12
"""Shorter values are not looked for in texts, and words of an environment not below the second."""
_ENVIRONMENTS = frozenset({"env", "default_container_envs"})
_VARIABLES = frozenset({"env_vars", "envVars"})
_YAML = frozenset({"runtimeEnvYAML", "serveConfigV2"})
_NAMES = frozenset(
    {*("name", "namespace", "uid", "kind", "apiVersion", "type", "group", "cluster"), "subject"}
)
"""Keys whose values are names: they are never touched."""
_KEPT = frozenset({"secret_keys"})
_DETAIL = frozenset({"secret"})
"""In our own actions and wants this names a Secret."""
_QUOTED = re.compile(r'"(\{\\"(?:[^"\\]|\\.)*)"')

ENVIRONMENT = "environment values"
NAMED = "values named as secrets"
SECRET = "values of Secrets"  # noqa: S105 - words, not a secret
TEXT = "secrets in texts"


def redacted(value: object) -> object:
    """Return one JSON value without secrets."""
    redactor = Redactor()
    redactor.learn((value,))
    return redactor.redacted(value)


class Redactor:
    """Gives stand-ins; equal values get equal ones for as long as it lives."""

    def __init__(self) -> None:
        self._stand_ins: dict[str, str] = {}
        self._reasons: Counter[str] = Counter()
        self._found: dict[bool, set[str]] = {True: set(), False: set()}
        self._names: set[str] = set()
        self._sweep: Callable[[str], str] = _as_it_is
        self._sweep_words: Callable[[str], str] = _as_it_is

    @property
    def counts(self) -> dict[str, int]:
        """How many different values were replaced, by the reason."""
        return dict(sorted(self._reasons.items()))

    def learn(self, values: Iterable[object], names: Iterable[str] = ()) -> None:
        """Look for secrets first, so that they are found where nothing gives them away.

        `names` are what people call things by: no secrets, also where a variable repeats them.
        """
        for value in values:
            self._walk(value, "")
        self._names.update(names)
        self._sweep = self._sweeping(self._found[True])
        self._sweep_words = self._sweeping(self._found[False] - self._names)

    def _sweeping(self, found: set[str]) -> Callable[[str], str]:
        if not found:
            return _as_it_is
        longest_first = sorted(found, key=lambda text: (-len(text), text))
        pattern = re.compile("|".join(map(re.escape, longest_first)))
        return lambda text: pattern.sub(lambda match: self._stand_ins[match[0]], text)

    def redacted(self, value: object) -> object:
        """Return a JSON value without secrets."""
        return self._walk(value, "")

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        return self._text(text)

    def stand_in(self, text: str, reason: str) -> str:
        """Return what stands for a text that somebody else found to be telling."""
        return str(self._stand_in(text, reason))

    def _stand_in(self, value: object, reason: str) -> object:
        """Return what stands for a value; what is empty, a switch or stands for one stays."""
        if value is None or isinstance(value, bool) or value == "":
            return value
        text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
        if STAND_IN.fullmatch(text):
            return text
        if text not in self._stand_ins:
            self._stand_ins[text] = f"redacted-{len(self._stand_ins) + 1}"
            self._reasons[reason] += 1
            self._remember(text, reason)
        return self._stand_ins[text]

    def _remember(self, text: str, reason: str) -> None:
        """Look for a value in texts from now on; for an ordinary one in sentences only."""
        if len(text) < SWEPT_MIN or text.isdigit():
            return
        if reason != ENVIRONMENT:
            self._found[True].add(text)
        elif len(text) >= WORD_MAX or not text.isalpha():
            self._found[False].add(text)

    def _walk(self, value: object, key: str) -> object:
        if isinstance(value, str):
            return value if key in _NAMES else self._words(key, value)
        if isinstance(value, Mapping):
            return self._mapping(value, key)
        if isinstance(value, list | tuple):
            if key in _ENVIRONMENTS:
                return [self._variable(entry) for entry in value]
            return self._arguments(value, key)
        return value

    def _arguments(self, entries: Sequence[object], key: str) -> list[object]:
        """Redact a list; what follows a flag that promises a secret is one."""
        found: list[object] = []
        flag = False
        for entry in entries:
            is_value = flag and isinstance(entry, str) and not entry.startswith("-")
            found.append(self._stand_in(entry, TEXT) if is_value else self._walk(entry, key))
            flag = isinstance(entry, str) and entry.startswith("-") and promises(entry)
        return found

    def _variable(self, entry: object) -> object:
        if not isinstance(entry, Mapping):
            return self._walk(entry, "")
        rest = {name: self._walk(each, name) for name, each in entry.items()}
        return {**rest, **self._hidden(entry, ("value",), ENVIRONMENT)}

    def _mapping(self, value: Mapping[str, object], key: str) -> dict[str, object]:
        if key in _VARIABLES:
            return self._hidden(value, tuple(value), ENVIRONMENT)
        found = {name: self._entry(value, name, each) for name, each in value.items()}
        if value.get("kind") == "Secret":
            for part in ("data", "stringData"):
                inner = value.get(part)
                if isinstance(inner, Mapping):
                    found[part] = self._hidden(inner, tuple(inner), SECRET)
        named = value.get("name")
        if promises(key) or (isinstance(named, str) and promises(named)):
            found |= self._hidden(value, ("value",), NAMED)
        return found

    def _entry(self, around: Mapping[str, object], name: str, value: object) -> object:
        ours = "because" in around and name in _DETAIL
        if name in _KEPT or ours or not promises(name):
            return self._walk(value, name)
        if isinstance(value, list | tuple):
            return [
                self._stand_in(each, NAMED) if isinstance(each, str) else self._walk(each, name)
                for each in value
            ]
        if isinstance(value, str | int | float):
            return self._stand_in(value, NAMED)
        return self._walk(value, name)

    def _hidden(
        self, value: Mapping[str, object], names: tuple[str, ...], reason: str
    ) -> dict[str, object]:
        return {
            name: self._stand_in(each, reason)
            if isinstance(each := value[name], str | int | float)
            else self._walk(each, name)
            for name in names
            if name in value
        }

    def _words(self, key: str, text: str) -> str:
        return self._yaml(text) if key in _YAML else self._text(text)

    def _yaml(self, text: str) -> str:
        """Return YAML without secrets; as JSON, and so without its comments, if it had any."""
        found = read_runtime_env(text)
        if isinstance(found, str):
            return str(self._stand_in(text, TEXT))
        plain = self._walk(found, "")
        if plain == found and self._text(text) == text:
            return text
        return json.dumps(plain, sort_keys=True, ensure_ascii=False)

    def _text(self, text: str) -> str:
        """Return a text without secrets: in JSON, headers, addresses, assignments, by form."""
        if not text or STAND_IN.fullmatch(text):
            return text
        if "{" in text:
            text = self._json_in(_QUOTED.sub(self._quoted, text))
        text = WELL_KNOWN.sub(lambda match: str(self._stand_in(match[0], TEXT)), text)
        text = SCHEME.sub(self._valued, text) if " " in text else text
        text = USERINFO.sub(self._valued, text) if "://" in text else text
        text = ASSIGNED.sub(self._assigned, text) if mentions(text) else text
        text = self._sweep(text)
        return self._sweep_words(text) if " " in text else text

    def _valued(self, match: re.Match[str]) -> str:
        return f"{match['before']}{self._stand_in(match['value'], TEXT)}"

    def _assigned(self, match: re.Match[str]) -> str:
        if not tells_value(match):
            return match[0]
        value = match["value"]
        bare = value.strip("\\\"'")
        hidden = value.replace(bare, str(self._stand_in(bare, TEXT))) if bare else value
        return f"{match['before']}{hidden}"

    def _quoted(self, match: re.Match[str]) -> str:
        """Return JSON in quotes, as it stands in a command, without secrets."""
        try:
            inner = json.loads(json.loads(match[0]))
        except ValueError:
            return f'"{self._stand_in(match[1], TEXT)}"'
        plain = self._walk(inner, "")
        return match[0] if plain == inner else json.dumps(_compact(plain), ensure_ascii=False)

    def _json_in(self, text: str) -> str:
        """Replace secrets in JSON objects that stand in a text."""
        parts, at, reader = [], 0, json.JSONDecoder()
        while (start := text.find('{"', at)) >= 0:
            try:
                inner, end = reader.raw_decode(text, start)
            except (ValueError, RecursionError):
                parts.append(text[at : start + 2])
                at = start + 2
                continue
            plain = self._walk(inner, "")
            parts += [text[at:start], text[start:end] if plain == inner else _compact(plain)]
            at = end
        return "".join((*parts, text[at:]))


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _as_it_is(text: str) -> str:
    return text
