"""Decisions to effects: the only writer of objects in Kubernetes.

`service.py` takes acts and records outcomes, `standing.py` says whether an act still stands,
`performing.py` carries out one action, `notices.py` tells people.
"""
