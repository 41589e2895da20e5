"""Pods of a RayCluster.

`head.py` and `worker.py` are the assembly order, a line per step; `finishing.py` is what both have
in common at the end. Every step is a file that works on a `draft.py`.
"""
