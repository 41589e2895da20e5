"""Measurements: ratios within one run, never absolute promises. `make bench` runs them all."""
