"""Where the sandbox answers differently on purpose, or not at all, each with its reason.

`KNOWN` names cases of the suite: they must differ, or they do not belong here. `LIMITS` is what no
case asks about, because there is nothing to compare.
"""

from collections.abc import Mapping

KNOWN: Mapping[str, str] = {
    "dependents: are orphaned when asked": (
        "controllers inside the sandbox write without being counted as owners of fields, and what "
        "they remove keeps its owner"
    ),
}
LIMITS: Mapping[str, str] = {
    "Service account tokens in pods": (
        "no volume is added, and namespaces get neither the account `default` nor the "
        "certificate map: nothing in the sandbox would use them"
    ),
    "Protection of volume claims": "no finalizer is added: no controller would take it off",
    "Costs of CEL rules": "rules are compiled and asked, their cost is not estimated or limited",
    "CEL types": (
        "rules are type-checked when they are asked, not when they are defined; quantities, "
        "addresses, URLs, versions and texts of the formats date-time and duration are plain texts"
    ),
    "Roles of a fresh cluster": (
        "`cluster-admin` is there; `admin`, `edit`, `view` and roles made of other roles are not, "
        "and nobody checks that a role gives no more than its author has"
    ),
    "Tokens": "they are signed by the sandbox for itself; no other server can read them",
    "Admission": "webhooks, policies, quotas and limit ranges are not asked",
    "Validation of built-in kinds": (
        "names, labels, owners, and the fields that Ray's objects use; a value that only a rare "
        "rule of a rare field forbids is taken"
    ),
    "Texts about malformed JSON": "the parser's own words differ",
    "Protobuf": (
        "bodies may come in it where `kubectl create` insists (namespaces, config maps, secrets, "
        "accounts), answers are JSON; `kubectl create role` and `kubectl auth can-i` are refused"
    ),
    "Impersonation": "nobody can ask as somebody else (`kubectl --as`)",
    "Kinds": "only those that Ray's operators meet; discovery shows no others",
    "Descriptions": "columns and built-in fields are shown without the API's own descriptions",
    "Types of what is applied": (
        "items that repeat, items without keys and fields that are not declared fail as on the API "
        "server (500); a value of the wrong type fails later, by the schema (422)"
    ),
    "Lists that an applier empties": (
        "they are removed; the API server may leave a null, and then refuse it by the schema"
    ),
    "Blanks of two appliers": (
        "two may apply the same empty labels; the API server tells the second of a conflict"
    ),
    "Managers": "more than ten updaters of one object are all kept, and none is called ancient",
}
