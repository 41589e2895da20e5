"""Structural schemas of custom resources: what they allow, fill in and throw away.

structural.py   `compile_schema` and the `Schema` it makes     nodes.py     the schema as a tree
pruning.py      unknown fields dropped or named                defaulting.py defaults filled in
validation.py   problems found, worded as the API server does  lists.py     sets and maps are unique
rules.py        the CEL rules of a schema, read                judging.py   rules asked, worded
expressions.py  CEL itself, compiled and asked                 celfunctions.py what Kubernetes adds
correlation.py  which old value belongs to a new one
"""
