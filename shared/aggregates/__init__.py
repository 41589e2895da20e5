"""Folds: what the log tells of one resource.

`view.py` turns the last record of each subject into a `View`, `expectations.py` says which effects
of earlier acts are not seen yet, `raycluster.py` reads a view as a RayCluster and its pods,
`ledger.py` keeps the last records up as they come.
"""
