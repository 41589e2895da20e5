"""What a RayCronJob needs now. `decide.py` is the list of concerns, `runs.py` the policy."""
