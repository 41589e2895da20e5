"""What to do for a RayCluster, one concern a file; `decide.py` holds their order."""
