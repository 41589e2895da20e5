"""Schedules that people write, and the moments that they name. All pure."""
