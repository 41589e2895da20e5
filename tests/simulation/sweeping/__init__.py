"""Every moment of a story: whatever can happen there happens there once."""
