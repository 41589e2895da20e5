"""What can be measured of statuses.

`counters.py` counts this service's own work, `clusters.py` reads a resource as KubeRay's metrics
tell of it, `collector.py` shows that to Prometheus.
"""
