"""Find the few documents that matter: what to show next, when to stop, how much is left."""
