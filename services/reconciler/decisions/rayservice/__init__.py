"""What to do about a RayService. `decide.py` is the list of concerns; one file each."""
