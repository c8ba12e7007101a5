"""The ``.Z`` files of the Unix program compress, in which Statlog's shuttle training set is kept."""

_CLEAR = 256


def decompress_z(data: bytes) -> bytes:
    """Undo compress (Lempel-Ziv-Welch with codes of 9 to 16 bits).

    Each code stands for a string of bytes; a new string (the previous one and the first byte of the
    present one) gets the next free code. When the codes outgrow their width they are written one bit
    wider, and the reader skips to the end of the group of eight codes that the writer had begun.

    Examples
    --------
    >>> decompress_z(bytes([0x1F, 0x9D, 0x90, 0x61, 0xC4, 0x00]))
    b'ab'
    """
    if data[:2] != b"\x1f\x9d" or len(data) < 3:
        raise ValueError("expected a file made by compress (.Z)")
    widest, blocks = data[2] & 0x1F, bool(data[2] & 0x80)
    if not 9 <= widest <= 16:
        raise ValueError(f"expected codes of 9 to 16 bits in a .Z file, got {widest}")
    first_free = _CLEAR + 1 if blocks else _CLEAR
    table = [bytes([i]) for i in range(256)] + [b""] * (first_free - 256)
    out = []
    previous = b""
    width, position, start = 9, 24, 24  # in bits; `start`: where codes of this width began
    while position + width <= 8 * len(data):
        byte = position >> 3
        code = (int.from_bytes(data[byte : byte + 3], "little") >> (position & 7)) & ((1 << width) - 1)
        position += width
        if code == _CLEAR and blocks:
            position = _end_of_group(position, start, width)
            del table[first_free:]
            width, start, previous = 9, position, b""
            continue
        if code < len(table):
            entry = table[code]
        elif code == len(table) and previous:  # the string that is being defined right now
            entry = previous + previous[:1]
        else:
            raise ValueError(f"code {code} in a .Z file is not defined yet; the file is damaged")
        out.append(entry)
        if previous and len(table) < 1 << widest:
            table.append(previous + entry[:1])
        previous = entry
        if len(table) == 1 << width and width < widest:
            position = _end_of_group(position, start, width)
            width, start = width + 1, position
    return b"".join(out)


def _end_of_group(position: int, start: int, width: int) -> int:
    """Return where the group of eight codes ends that holds the last bit read."""
    group = 8 * width
    return start + -(-(position - start) // group) * group
