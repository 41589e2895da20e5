"""From history to decisions.

`decisions` says what to do and why, `manifests` what to ask Kubernetes for, `validation` what is
wrong with what a user wrote. All three are pure.
"""
