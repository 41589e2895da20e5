"""The status of a RayService. All pure.

`assess.py` puts it together: `clusters.py` names clusters, `suspension.py` the way to none and
back, `telling.py` what is told of them.
"""
