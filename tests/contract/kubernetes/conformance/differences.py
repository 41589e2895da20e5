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
    "Scheduling gates": "they are stored; they hold no pod back and set no condition",
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
    "Admission": (
        "validating webhooks are asked where they have a URL (pods behind a service do not "
        "listen); mutating webhooks, policies, quotas and limit ranges are not"
    ),
    "Too many requests": (
        "nobody is slowed down unless a fault says so; the answer (429) is the real one's. "
        "Disruption budgets are not known, and so an eviction is never refused"
    ),
    "When a past is forgotten": (
        "a list forgets with the events of its kind, the API server with its snapshots and etcd's "
        "compactions; what both answer then (410) is compared"
    ),
    "Validation of built-in kinds": (
        "names, labels, owners, and the fields that Ray's objects use; a value that only a rare "
        "rule of a rare field forbids is taken"
    ),
    "Texts about malformed JSON": "the parser's own words differ",
    "Protobuf": (
        "bodies may come in it where kubectl insists (namespaces, config maps, secrets, accounts, "
        "roles, bindings, `kubectl auth can-i`), answers are JSON"
    ),
    "Impersonation": "nobody can ask as somebody else (`kubectl --as`)",
    "Kinds": "only those that Ray's operators meet; discovery shows no others",
    "Descriptions": "columns and built-in fields are shown without the API's own descriptions",
    "Types of what is applied": (
        "items that repeat, items without keys and fields that are not declared fail as on the API "
        "server (500); a value of the wrong type fails later, by the schema (422)"
    ),
}
