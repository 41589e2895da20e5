"""A real Ray for the sandbox's pods: a Python environment, made once, outside the checkout.

- `__main__.py`: the commands; start here
- `pins.py`, `constraints.txt`: which versions
- `environments.py`: where it is, made or not
- `building.py`: made from the package index

Read next: the section Real Ray of `docs/guides/sandbox.md`; `sandbox.ray`, which runs it.
"""
