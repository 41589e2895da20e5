"""What users write: the custom resources, their reading and their definitions. All pure.

`written.py` is what all models have in common, `raycluster.py`, `groups.py` and `options.py` are
the models, `reading.py` makes them from raw objects, `predicates.py` and `totals.py` answer
questions about them, `crd.py` turns them into what the API server needs to know.
"""
