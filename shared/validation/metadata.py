"""Rules about the name of a resource: names of other objects are made from it."""

from shared.validation.findings import Problems
from shared.validation.rule import Layer, Rule
from shared.validation.syntax import dns_1035_label

_PATH = "metadata.name"
_SHORTER = "objects get names made from this one: choose a shorter one"
_LETTERS = "use lower case letters, digits and '-', begin with a letter, such as my-ray"


def name_problems(name: str, limit: int, too_long: Rule, unlike_dns: Rule) -> Problems:
    """Check a name by the rules of its kind."""
    if len(name) > limit:
        yield too_long.found()
    unlike = dns_1035_label(name)
    if unlike:
        yield unlike_dns.found(list="; ".join(unlike))


def name_rules(kind: str, limit: int, prefix: str = "", *, own: bool = False) -> tuple[Rule, Rule]:
    """Return the two rules about the name of a kind; `own` for a second one that is only ours.

    Where a prefix comes first the list stands in brackets: users know it so.
    """
    told = "[{list}]" if prefix else "{list}"
    too_long = Rule(
        id=f"{kind}.name-length",
        layer=Layer.METADATA,
        path=_PATH,
        text=f"{prefix}{kind} name should be no more than {limit} characters",
        hint=_SHORTER,
    )
    unlike_dns = Rule(
        id=f"{kind}.name-letters",
        layer=Layer.METADATA,
        path=_PATH,
        text=f"{prefix}{kind} name should be a valid DNS1035 label: {told}",
        hint=_LETTERS,
        own=own,
    )
    return too_long, unlike_dns
