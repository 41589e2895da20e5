"""What holds for every test: a property takes its time, however busy the machine is."""

from hypothesis import settings

settings.register_profile("unhurried")
settings.load_profile("unhurried")
