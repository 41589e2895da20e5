"""Virtual time for tests: the loop of the simulator that ships with the operator."""

from heliograph.simulator.loop import VirtualLoop as VirtualLoop  # noqa: PLC0414 - by this name
