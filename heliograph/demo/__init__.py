"""The demo: `stage.py` holds what is on stage, `script.py` what happens there."""
