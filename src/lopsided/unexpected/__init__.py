"""The unexpected: rows that belong to none of the known classes."""
