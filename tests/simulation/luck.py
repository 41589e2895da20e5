"""Luck from the seed, as the simulator that ships with the operator has it."""

from heliograph.simulator.luck import lucky as lucky  # noqa: PLC0414 - by this name
