"""The Unix program compress, slowly: the twin of ``decompress_z``."""


def compress_z(data, widest=16, clear_after=None):
    """Write ``data`` as a .Z file; ``clear_after``: forget the table once, after so many codes."""
    table = {bytes([i]): i for i in range(256)}
    free, width = 257, 9
    groups, group = bytearray(), []

    def flush():
        # A group of eight codes is written whole before the width changes, as compress does.
        nonlocal group
        if group:
            group += [0] * (8 - len(group))
            number = sum(code << (width * i) for i, code in enumerate(group))
            groups.extend(number.to_bytes(width, "little"))
            group = []

    def put(code):
        group.append(code)
        if len(group) == 8:
            flush()

    def written():
        nonlocal width, free
        # The reader defines its strings one code later than the writer.
        if free > 1 << width and width < widest:
            flush()
            width += 1

    n_codes, current = 0, b""
    for byte in data:
        longer = current + bytes([byte])
        if longer in table:
            current = longer
            continue
        put(table[current])
        n_codes += 1
        if free < 1 << widest:
            table[longer] = free
            free += 1
        written()
        current = bytes([byte])
        if n_codes == clear_after:
            put(256)
            flush()
            table, free, width = {bytes([i]): i for i in range(256)}, 257, 9
    tail = bytearray()
    if current:
        group.append(table[current])
    if group:
        # The last group ends with its last code, not with padding: a reader would take zeros for codes.
        number = sum(code << (width * i) for i, code in enumerate(group))
        tail = number.to_bytes(-(-width * len(group) // 8), "little")
    return bytes([0x1F, 0x9D, 0x80 | widest]) + bytes(groups) + bytes(tail)
