"""What is, told as status. Pure: one file per kind, `transitions.py` for what all share."""
