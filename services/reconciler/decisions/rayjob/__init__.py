"""What to do about a RayJob. `decide.py` is the list of concerns by phase; one file each."""
