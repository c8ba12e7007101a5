"""The triage page. Thin: the work is in `screening`, the data are in `store`."""
