"""Who asks, and whether they may: tokens, users, roles.

users.py       who somebody is                 tokens.py    tokens of service accounts
attributes.py  what a request wants            rbac.py      whether roles allow it
reviews.py     questions about the above       door.py      all of it, for one server
"""
