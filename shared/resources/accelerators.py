"""Which Kubernetes resources Ray counts as accelerators."""

import re
from types import MappingProxyType

TPU = "google.com/tpu"
RAY_NAMES = MappingProxyType({"aws.amazon.com/neuroncore": "neuron_cores", TPU: "TPU"})

_SLICE_OF_GPU = re.compile(r"nvidia\.com/mig-\d+g\.\d+gb$")


def is_gpu(resource: str) -> bool:
    """Whether the resource is a GPU or a slice of one."""
    return resource.endswith("gpu") or _SLICE_OF_GPU.search(resource) is not None
