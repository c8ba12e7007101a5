"""Published experiments run again on real data: one file a paper, its data, methods, tables and claims."""
