"""What is wrong with what a user wrote. All pure.

`raycluster.py` is the order of the rules; every other file is a group of rules with one subject.
Rules return all problems, the first failure first; texts are those that KubeRay's users know.
"""
