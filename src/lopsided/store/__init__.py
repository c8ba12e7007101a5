"""Projects in a database: items, labels, decisions and an audit log. Knows no algorithm."""
