"""What services need from the world, as protocols.

`event_log.py` is the bus (adapters in `shared.bus`), `cluster.py` is Kubernetes (adapter in
`shared.kube`), `clock.py` is time.
"""
