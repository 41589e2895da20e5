"""Asking what acts want to know: Ray dashboards, and objects that a resource does not own.

`asker.py` follows acts and keeps one errand for each want; `errands.py` asks again and again and
writes what changed; `questions.py` turns a want into an answer.
"""
