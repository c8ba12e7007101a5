"""Compiled loops. They import NumPy and nothing of ours; policy stays in Python."""
