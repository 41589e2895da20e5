"""KubeRay's own operator, built from its Go module: what Heliograph is compared with.

Start reading at `__main__.py`; `docs/internals/differential.md` is the manual.
"""
