"""Bytes with a digest: what was changed by accident, or written by another version, is seen."""

from hashlib import blake2b

_N_DIGEST = 16  # bytes


def seal(content: bytes, version: str) -> bytes:
    """Return bytes behind their digest.

    Parameters
    ----------
    content : bytes
    version : str
        The settings on which the content depends.

    Examples
    --------
    >>> unseal(seal(b"words", "1"), "1")
    b'words'
    """
    return blake2b(content, digest_size=_N_DIGEST, salt=_salt(version)).digest() + content


def unseal(sealed: bytes, version: str) -> bytes:
    """Return the bytes that were sealed; a ValueError where they are others, or of another version.

    Parameters
    ----------
    sealed : bytes
    version : str
    """
    content = sealed[_N_DIGEST:]
    if sealed != seal(content, version):
        raise ValueError("these bytes were changed, or written by another version.")
    return content


def _salt(version: str) -> bytes:
    return blake2b(version.encode(), digest_size=blake2b.SALT_SIZE).digest()
