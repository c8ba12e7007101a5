"""A ranked list of texts with its reasons: for Python, tables, JSON and a page."""
