"""Where a record stands: subject to place and back.

`ray.<partition>.<kind>.<namespace>.<name>.<facet>...` for the records of a resource, and
`ray.sync.<kind>`, `ray.settings.<digest>`, `ray.approval.<scope>`, `ray.mode` beside them. Tokens
are encoded so that no name can add a token or a wildcard. The partition is a stable hash of kind,
namespace and name, equal to the server's own `partition(64,1,2,3)`; the count is fixed for the life
of a log.
"""

from functools import lru_cache

from msgspec import Struct

from shared.kernel.keys import ResourceKey

PARTITIONS = 64
ROOT = "ray"
ALL_ACTS = "ray.*.*.*.*.act"
ALL_ANSWERS = "ray.*.*.*.*.res"
ALL_SYNCS = "ray.sync.*"
ALL_APPROVALS = "ray.approval.*"
MODE = "ray.mode"
"""Where it stands whether the log is of an installation that acts, or of one that looks on."""

_HEX = "0123456789ABCDEF"
_EMPTY = "=-"


class Place(Struct, frozen=True):
    """A subject taken apart: whose record it is, which facet, and the facet's own tokens."""

    key: ResourceKey
    facet: str
    rest: tuple[str, ...] = ()


@lru_cache(maxsize=65536)
def encode_token(token: str) -> str:
    """Encode one token: letters, digits and `-` stay, `.` becomes `_`, other bytes `=XX`."""
    if not token:
        return _EMPTY
    return "".join(_encode_letter(letter) for letter in token)


def _encode_letter(letter: str) -> str:
    if letter.isascii() and (letter.isalnum() or letter == "-"):
        return letter
    if letter == ".":
        return "_"
    return "".join(f"={_HEX[byte >> 4]}{_HEX[byte & 15]}" for byte in letter.encode())


def decode_token(token: str) -> str:
    """Undo `encode_token`."""
    if token == _EMPTY:
        return ""
    if "=" not in token:
        return token.replace("_", ".")
    head, *escaped = token.replace("_", ".").split("=")
    raw = head.encode() + b"".join(bytes.fromhex(part[:2]) + part[2:].encode() for part in escaped)
    return raw.decode()


def partition(*tokens: str) -> int:
    """Return the partition of encoded tokens: FNV-1a over their bytes."""
    digest = 0x811C9DC5
    for token in tokens:
        for byte in token.encode():
            digest = ((digest ^ byte) * 0x01000193) & 0xFFFFFFFF
    return digest % PARTITIONS


@lru_cache(maxsize=65536)
def path_of(key: ResourceKey) -> str:
    """Return `<partition>.<kind>.<namespace>.<name>`, the part that timers share with records."""
    tokens = tuple(encode_token(token) for token in (key.kind, key.namespace, key.name))
    return ".".join((str(partition(*tokens)), *tokens))


@lru_cache(maxsize=65536)
def partition_of(key: ResourceKey) -> int:
    """Return the partition that a resource's records live in."""
    return int(path_of(key).partition(".")[0])


def everything_of(key: ResourceKey) -> str:
    """Return the filter for all records of one resource."""
    return f"{ROOT}.{path_of(key)}.>"


def everything_in(partition_number: int) -> str:
    """Return the filter for all records of one partition."""
    return f"{ROOT}.{partition_number}.>"


def everything_of_kind(partition_number: int, kind: str) -> str:
    """Return the filter for all records of one kind of resource in one partition."""
    return f"{ROOT}.{partition_number}.{encode_token(kind)}.>"


def observed(key: ResourceKey, kind: str, name: str) -> str:
    """Return where an object that concerns the resource is told of."""
    return f"{ROOT}.{path_of(key)}.obs.{encode_token(kind)}.{encode_token(name)}"


def observed_everywhere(kind: str) -> str:
    """Return the filter for all observations of one kind of object."""
    return f"{ROOT}.*.*.*.*.obs.{encode_token(kind)}.*"


def own(key: ResourceKey) -> str:
    """Return where the resource itself is told of."""
    return observed(key, key.kind, key.name)


def act(key: ResourceKey) -> str:
    """Return where the resource's decisions stand."""
    return f"{ROOT}.{path_of(key)}.act"


def res(key: ResourceKey) -> str:
    """Return where the outcomes of its decisions stand."""
    return f"{ROOT}.{path_of(key)}.res"


def status(key: ResourceKey) -> str:
    """Return where its written status stands."""
    return f"{ROOT}.{path_of(key)}.status"


def parked(key: ResourceKey) -> str:
    """Return where it stands that the rules broke over the resource."""
    return f"{ROOT}.{path_of(key)}.park"


def fired(key: ResourceKey, timer: str) -> str:
    """Return where a timer that went off is told of."""
    return f"{ROOT}.{path_of(key)}.fire.{encode_token(timer)}"


def life(key: ResourceKey, what: str) -> str:
    """Return where a kind of lifecycle event of the resource stands."""
    return f"{ROOT}.{path_of(key)}.life.{encode_token(what)}"


def whole_life(key: ResourceKey) -> str:
    """Return the filter for all lifecycle events of one resource."""
    return f"{ROOT}.{path_of(key)}.life.>"


def told(key: ResourceKey, name: str) -> str:
    """Return where the answers to one of the resource's wants stand."""
    return f"{ROOT}.{path_of(key)}.dash.{encode_token(name)}"


def sync(kind: str) -> str:
    """Return where the session that has listed a kind is named."""
    return f"{ROOT}.sync.{encode_token(kind)}"


def settings(digest: str) -> str:
    """Return where the settings of this digest are kept."""
    return f"{ROOT}.settings.{digest}"


def approval(scope: str) -> str:
    """Return where the last approval of a scope is kept."""
    return f"{ROOT}.approval.{encode_token(scope)}"


def timer(key: ResourceKey, name: str) -> str:
    """Return the subject in RAYTIME under which a timer is armed."""
    return f"timer.{path_of(key)}.{encode_token(name)}"


def timer_target(key: ResourceKey, name: str) -> str:
    """Return the subject in RAYTIME to which a timer fires; the log takes it from there."""
    return f"fire.{path_of(key)}.{encode_token(name)}"


def timer_and_target(key: ResourceKey, name: str) -> str:
    """Return the filter in RAYTIME for a timer, be it armed or gone off."""
    return f"*.{path_of(key)}.{encode_token(name)}"


@lru_cache(maxsize=262144)
def place_of(subject: str) -> Place | None:
    """Take a resource's subject apart; None for one that no resource of ours can have."""
    tokens = subject.split(".")
    if len(tokens) < 6 or tokens[0] != ROOT:  # noqa: PLR2004 - root, partition, key, facet
        return None
    try:
        kind, namespace, name, *rest = map(decode_token, (*tokens[2:5], *tokens[6:]))
    except ValueError:
        return None
    key = ResourceKey(kind=kind, namespace=namespace, name=name)
    return Place(key=key, facet=tokens[5], rest=tuple(rest))
