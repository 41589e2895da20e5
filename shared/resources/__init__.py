"""What users write: the custom resources, their reading and their definitions. All pure.

`written.py` is what all models have in common, `resource.py` what all kinds have; `raycluster.py`,
`rayjob.py`, `rayservice.py` and `raycronjob.py` are the kinds, with their options and statuses in
files of their own. `reading.py` makes them from raw objects, `predicates.py` and `totals.py` answer
questions about them, `crd.py` turns them into what the API server needs to know; the Kubernetes
types inside are in `kubernetes.py`.
"""
