"""What we ask Kubernetes for: pods, services, names and labels. All pure.

Functions of the RayCluster and the settings alone; what they are given they never change.
`names.py` and `labels.py` hold the words, `pods/head.py` and `pods/worker.py` the assembly order.
"""
