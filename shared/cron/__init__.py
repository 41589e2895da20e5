"""Schedules that people write, and the moments that they name. All pure.

`parsing.py` reads a text, `schedule.py` is what was read, `ticks.py` finds the moment before or
after another one, `missed.py` says which went by. Zone data comes from the package `tzdata` alone,
so that every replica and every replay sees the same clocks.
"""
