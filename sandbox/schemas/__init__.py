"""Structural schemas of custom resources: what they allow, fill in and throw away.

structural.py   `compile_schema` and the `Schema` it makes     nodes.py     the schema as a tree
pruning.py      unknown fields dropped or named                defaulting.py defaults filled in
validation.py   problems found, worded as the API server does  lists.py     sets and maps are unique
"""
