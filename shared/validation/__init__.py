"""What is wrong with what a user wrote. All pure.

`check.py` judges an object of any kind; `raycluster.py`, `rayjob.py`, `rayservice.py` and
`raycronjob.py` are the order of the rules of each; every other file is a group of rules with one
subject. A rule is a value (`rule.py`), and `rules.py` has them all. Rules return all problems, the
first failure first; texts are those that KubeRay's users know.
"""
