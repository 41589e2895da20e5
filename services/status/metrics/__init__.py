"""What can be measured of statuses.

`counters.py` counts this service's own work. `clusters.py` and `jobs.py` read a resource as
KubeRay's metrics tell of it, `collector.py` and `attempts.py` show that to Prometheus;
`services.py` does both for RayServices, `obstacles.py` for whatever is in a resource's way.
`sources.py` is what all of them that show have in common.
"""
