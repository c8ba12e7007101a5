"""A run of the papers: what is done, judged and reported."""
