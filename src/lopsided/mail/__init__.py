"""A mail filter that learns from the inbox alone: one message in, a decision out, one small state a user."""
