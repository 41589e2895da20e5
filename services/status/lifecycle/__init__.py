"""What to tell everybody of a resource, from what was told last and what is. Pure.

One file for each kind of resource. Each says which event comes next, and the state that it leaves
behind; asked again with that state, it says what comes after, until nothing is left to tell. So
whoever stops in the middle is continued by whoever comes next, and nothing is told twice.
"""
