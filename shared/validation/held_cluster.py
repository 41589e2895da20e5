"""The rules of a RayCluster for a cluster spec that stands inside another resource.

Same rules, same words; paths and reasons are those of the resource that holds the spec, and so are
the annotations, because the cluster gets them.
"""

from collections.abc import Iterable, Mapping
from itertools import chain

from msgspec.structs import replace

from shared.kernel.features import Features
from shared.resources.problem import Problem
from shared.resources.raycluster import RayCluster, RayClusterSpec
from shared.resources.resource import Metadata
from shared.validation.findings import Problems
from shared.validation.raycluster import spec_problems
from shared.validation.upgrade import STRATEGY_FOREIGN

_SPEC = "spec."


def cluster_problems(
    spec: RayClusterSpec, annotations: Mapping[str, str], features: Features, holder: str
) -> Problems:
    """Check the spec of a cluster that a `holder` will make, with paths as in a RayCluster.

    A strategy for upgrades is refused at once: the cluster would be refused for it later, and its
    holder would wait for it in vain.
    """
    metadata = Metadata(annotations=dict(annotations))
    cluster = RayCluster.model_construct(metadata=metadata, spec=spec, status={})
    strategy = spec.upgrade_strategy
    foreign = strategy is not None and strategy.type is not None
    return chain(
        spec_problems(cluster, features),
        (STRATEGY_FOREIGN.found(creator=holder),) if foreign else (),
    )


def moved(problems: Iterable[Problem], *, to: str, prefix: str, reason: str) -> Problems:
    """Tell problems of a spec as problems of the resource that holds it under the path `to`."""
    for problem in problems:
        of_spec = problem.path.startswith(_SPEC)
        path = f"{to}.{problem.path.removeprefix(_SPEC)}" if of_spec else problem.path
        yield replace(problem, path=path, message=f"{prefix}{problem.message}", reason=reason)
