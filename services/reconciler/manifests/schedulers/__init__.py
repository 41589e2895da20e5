"""What batch schedulers want of a cluster: marks on its pods, and objects that stand for the gang.

One file per scheduler; `gang.py` is how large a gang is, `pods.py` and `objects.py` are the doors:
they choose by the settings. When the objects are made, changed and removed is told in
`services.reconciler.decisions.raycluster.batch_scheduling`.
"""
