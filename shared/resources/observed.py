"""Which kinds decisions and statuses rest on: every one must be listed before any is made.

Our words for them; how each is reached is `shared.kube.kinds`, and a test keeps the two in step.
"""

OBSERVED = (
    "raycluster",
    "pod",
    "service",
    "serviceaccount",
    "persistentvolumeclaim",
    "role",
    "rolebinding",
    "ingress",
    "networkpolicy",
    "job",
)
