import numpy as np

def hashed_columns(
    documents: list[bytes], n: int, max_bytes: int, n_features: int
) -> tuple[np.ndarray, np.ndarray]: ...
def learned_columns(
    documents: list[bytes], n: int, max_bytes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]: ...
def known_columns(
    documents: list[bytes], n: int, max_bytes: int, keys: np.ndarray, slots: np.ndarray
) -> tuple[np.ndarray, np.ndarray]: ...
