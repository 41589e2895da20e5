"""The command line: `app` is the tree of commands, each other file but `render` is one of them.

A command's file has `add_arguments(parser)` and `run(args) -> int`; it is imported only when it is
called. `render` holds tables, colours and progress, and knows no meaning.
"""
