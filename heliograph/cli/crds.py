"""`heliograph crds`: print the custom resource definitions, to be applied with kubectl."""

import sys
from argparse import ArgumentParser, Namespace

import yaml

from shared.resources.crd import definitions
from shared.runtime.failures import Exit


def add_arguments(parser: ArgumentParser) -> None:
    """Take nothing."""
    parser.epilog = "Example: heliograph crds | kubectl apply --server-side -f -"


def run(_: Namespace) -> int:
    """Print them as YAML, one document each."""
    yaml.dump_all(definitions(), sys.stdout, Dumper=yaml.CSafeDumper, sort_keys=False)
    return Exit.DONE
