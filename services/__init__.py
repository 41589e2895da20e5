"""The services: each reads the log, does one thing, and writes what came of it.

`watcher` sees, `reconciler` decides, `executor` acts, `status` tells people, `scheduler` keeps
time. No service imports another; they meet in the log.
"""
