"""The sandbox in process as the ports of a cluster: the adapter of the simulator that ships."""

from heliograph.simulator.kubernetes import (
    SandboxCluster as SandboxCluster,  # noqa: PLC0414 - by this name
)
