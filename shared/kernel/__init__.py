"""The smallest words: keys, ids, moments, invariants, look-ups in raw objects. All pure."""
