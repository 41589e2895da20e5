"""What an operator measures of one namespace, masked. Pure.

Only metrics of KubeRay's names are compared; spans are measured by clocks and are masked.
"""

import re
from collections.abc import Mapping

from tests.differential.masking import longest_first, text

PREFIX = "kuberay_"
SPANS = re.compile(r"_seconds(_bucket|_sum|_count)?\{")


def metrics(scraped: str, namespace: str, drawn: Mapping[str, str]) -> list[str]:
    """Return the lines about a namespace, labels in the order of their names."""
    names = longest_first(drawn)
    lines = (line for line in scraped.splitlines() if line.startswith(PREFIX))
    ours = (line for line in lines if f'namespace="{namespace}"' in line)
    return sorted({text(_ordered(line), names) for line in ours})


def _ordered(line: str) -> str:
    name, _, rest = line.partition("{")
    labels, _, value = rest.rpartition("}")
    told = ",".join(sorted(re.findall(r'\w+="(?:[^"\\]|\\.)*"', labels)))
    measured = "<seconds>" if SPANS.search(line) else str(float(value))
    return f"{name}{{{told}}} {measured}"
