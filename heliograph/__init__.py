"""Heliograph, a Ray operator for Kubernetes that remembers.

The front door: the command line (`cli`) and the assembly of services from their parts
(`assembly`). Only this package knows more than one service.
"""

__version__ = "0.1.0"
