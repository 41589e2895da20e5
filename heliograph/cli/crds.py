"""`heliograph crds`: print the custom resource definitions, to be applied with kubectl."""

import sys
from argparse import ArgumentParser, Namespace

import yaml

from shared.resources.crd import raycluster_crd
from shared.runtime.failures import Exit


def add_arguments(parser: ArgumentParser) -> None:
    """Take nothing."""
    parser.epilog = "Example: heliograph crds | kubectl apply --server-side -f -"


def run(_: Namespace) -> int:
    """Print them as YAML."""
    yaml.safe_dump(raycluster_crd(), sys.stdout, sort_keys=False)
    return Exit.DONE
