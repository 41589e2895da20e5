"""Validating webhooks: who is asked before something is stored, and what they say."""
