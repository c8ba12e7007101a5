"""Published experiments run again on real data: one package per paper."""
