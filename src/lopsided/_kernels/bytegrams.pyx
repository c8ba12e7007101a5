"""Distinct byte n-grams of many messages, as sorted column numbers of a CSR matrix.

Each message is swept once; a bit is set for the column of every gram, and reading the bits back gives
the distinct columns in order, so that no sort and no set a message is needed. A gram's column is its hash
(`hashed_columns`), or the number it got when it was first seen (`learned_columns`, `known_columns`).
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import numpy as np

cdef extern from "bytegrams.h" nogil:
    ctypedef struct Vocabulary:
        uint64_t* slots
        uint64_t* keys
        int log2_slots
        int n
        int32_t n_keys

    uint64_t multiplier(int n)
    void mark_hashed(
        const uint8_t* start, Py_ssize_t count, int n, uint64_t n_features, uint64_t* words, uint8_t* summary
    )
    void mark_known(
        Vocabulary* vocabulary, const uint8_t* start, Py_ssize_t count, int learn, uint64_t* words, uint8_t* summary
    )
    void fill_bit_table()
    Py_ssize_t collect(uint64_t* words, uint8_t* summary, Py_ssize_t n_words, int32_t* columns)
    int32_t find_gram(const Vocabulary* vocabulary, uint64_t key, uint64_t product, uint64_t* place)
    int32_t add_gram(Vocabulary* vocabulary, uint64_t key, uint64_t product, uint64_t place)


fill_bit_table()


cdef struct Message:
    const uint8_t* start
    Py_ssize_t n_bytes  # already cut to max_bytes


cdef class _Messages:
    """Addresses and lengths of a list of bytes objects, so that the sweep needs no GIL."""

    cdef Message* items
    cdef Py_ssize_t count
    cdef list owner

    def __cinit__(self, list documents not None, Py_ssize_t max_bytes):
        cdef Py_ssize_t i
        self.owner = documents
        self.count = len(documents)
        self.items = <Message*>malloc(max(self.count, 1) * sizeof(Message))
        if self.items == NULL:
            raise MemoryError
        for i in range(self.count):
            document = documents[i]
            if not isinstance(document, bytes):
                raise TypeError(f"document {i} is {type(document).__name__}, not bytes")
            self.items[i].start = <const uint8_t*>PyBytes_AS_STRING(document)
            self.items[i].n_bytes = min(PyBytes_GET_SIZE(document), max_bytes)

    def __dealloc__(self):
        free(self.items)

    def room(self, int n):
        """Columns for the most grams there can be (pages never touched cost nothing) and row starts."""
        cdef Py_ssize_t i, n_grams = 0
        for i in range(self.count):
            n_grams += max(self.items[i].n_bytes - n + 1, 0)
        return np.empty(n_grams + 1, dtype=np.int32), np.zeros(self.count + 1, dtype=np.int64)


def hashed_columns(list documents, int n, Py_ssize_t max_bytes, Py_ssize_t n_features):
    """Columns of the distinct grams of each document, a gram's column being its hash.

    Returns (columns, row starts): indices and indptr of a CSR matrix with ``n_features`` columns.
    """
    cdef _Messages messages = _Messages(documents, max_bytes)
    cdef Py_ssize_t i
    cdef int64_t used = 0
    cdef Parts parts
    columns, starts = messages.room(n)
    words, summary = _bitmap(n_features)
    cdef int32_t[::1] columns_view = columns
    cdef int64_t[::1] starts_view = starts
    cdef uint64_t[::1] words_view = words
    cdef uint8_t[::1] summary_view = summary
    with nogil:
        for i in range(messages.count):
            split(messages.items[i], n, &parts)
            mark_hashed(parts.body, parts.n_body, n, n_features, &words_view[0], &summary_view[0])
            mark_hashed(parts.tail, parts.n_tail, n, n_features, &words_view[0], &summary_view[0])
            used += collect(&words_view[0], &summary_view[0], summary_view.shape[0], &columns_view[used])
            starts_view[i + 1] = used
    columns.resize(used, refcheck=False)
    return columns, starts


def learned_columns(list documents, int n, Py_ssize_t max_bytes):
    """Columns of the distinct grams of each document, numbered in the order they were first seen.

    Returns (columns, row starts, keys, slots): ``keys[j]`` is the gram of column j, its first byte lowest;
    ``slots`` is the table that `known_columns` looks them up in.
    """
    # A vocabulary is seldom more than a sixteenth of the grams read; starting there saves growing on the way.
    room = min(max(sum(map(len, documents)) // 20, 1 << 12), 1 << 20)
    keys, slots = _grown(np.empty(0, dtype=np.uint64), 0, n, room)
    return _table_columns(documents, n, max_bytes, keys, slots, True)


def known_columns(list documents, int n, Py_ssize_t max_bytes, keys, slots):
    """Columns of the distinct grams of each document that a vocabulary holds; the others are left out.

    Returns (columns, row starts). ``keys`` and ``slots`` are only read, so threads may share them.
    """
    return _table_columns(documents, n, max_bytes, keys, slots, False)[:2]


def _table_columns(list documents, int n, Py_ssize_t max_bytes, keys, slots, bint learn):
    """With ``learn``, ``keys`` is empty room; otherwise it is the vocabulary and nothing is written to it."""
    cdef _Messages messages = _Messages(documents, max_bytes)
    cdef Py_ssize_t i, n_grams
    cdef int64_t used = 0
    cdef Parts parts
    cdef Vocabulary vocabulary
    cdef const uint64_t[::1] keys_view = keys
    cdef const uint64_t[::1] slots_view = slots
    columns, starts = messages.room(n)
    words, summary = _bitmap(len(keys))
    cdef int32_t[::1] columns_view = columns
    cdef int64_t[::1] starts_view = starts
    cdef uint64_t[::1] words_view = words
    cdef uint8_t[::1] summary_view = summary
    vocabulary.n = n
    vocabulary.n_keys = 0 if learn else len(keys)
    vocabulary.log2_slots = len(slots).bit_length() - 1
    vocabulary.keys = <uint64_t*>&keys_view[0] if len(keys) else NULL
    vocabulary.slots = <uint64_t*>&slots_view[0]
    with nogil:
        for i in range(messages.count):
            n_grams = split(messages.items[i], n, &parts)
            # Room for a message of nothing but new grams, so that nothing has to grow in the middle of one.
            if learn and vocabulary.n_keys + n_grams > keys_view.shape[0]:
                with gil:
                    keys, slots = _grown(keys, vocabulary.n_keys, n, n_grams)
                    keys_view, slots_view = keys, slots
                    words_view, summary_view = _bitmap(len(keys))
                    vocabulary.keys = <uint64_t*>&keys_view[0]
                    vocabulary.slots = <uint64_t*>&slots_view[0]
                    vocabulary.log2_slots = len(slots).bit_length() - 1
            mark_known(&vocabulary, parts.body, parts.n_body, learn, &words_view[0], &summary_view[0])
            mark_known(&vocabulary, parts.tail, parts.n_tail, learn, &words_view[0], &summary_view[0])
            used += collect(&words_view[0], &summary_view[0], summary_view.shape[0], &columns_view[used])
            starts_view[i + 1] = used
    columns.resize(used, refcheck=False)
    return columns, starts, keys[:vocabulary.n_keys].copy() if learn else keys, slots


def _grown(keys, int32_t n_keys, int n, Py_ssize_t n_more):
    """Keys and slots for at least ``n_more`` more grams, the slots at most half in use."""
    room = max(2 * n_keys, n_keys + n_more)
    if room > 2**31 - 2:
        raise ValueError(f"more than {2**31 - 2} distinct grams; use n_features=2**24 or so to hash them instead")
    new_keys = np.empty(room, dtype=np.uint64)
    new_slots = np.empty(1 << (3 * room // 2 - 1).bit_length(), dtype=np.uint64)
    new_slots.fill(0)
    cdef const uint64_t[::1] old = keys
    cdef uint64_t[::1] keys_view = new_keys
    cdef uint64_t[::1] slots_view = new_slots
    cdef uint64_t factor = multiplier(n), place = 0
    cdef int32_t j
    cdef Vocabulary vocabulary
    vocabulary.n = n
    vocabulary.n_keys = 0
    vocabulary.log2_slots = len(new_slots).bit_length() - 1
    vocabulary.keys = &keys_view[0]
    vocabulary.slots = &slots_view[0]
    with nogil:
        for j in range(n_keys):
            find_gram(&vocabulary, old[j], old[j] * factor, &place)
            add_gram(&vocabulary, old[j], old[j] * factor, place)
    return new_keys, new_slots


def _bitmap(n_columns):
    """One bit a column, and one byte for each 64 of those."""
    n_words = max(8 * ((n_columns + 511) // 512), 8)  # the bytes are read eight at a time
    return np.zeros(n_words, dtype=np.uint64), np.zeros(n_words, dtype=np.uint8)


cdef struct Parts:
    const uint8_t* body  # grams with eight readable bytes
    Py_ssize_t n_body
    const uint8_t* tail  # the last few, in a padded copy
    Py_ssize_t n_tail
    uint8_t copy[16]


cdef Py_ssize_t split(Message message, int n, Parts* parts) noexcept nogil:
    """Part a message so that eight bytes can be read at every gram. Returns the number of grams."""
    cdef Py_ssize_t n_grams = max(message.n_bytes - n + 1, 0)
    parts.body = message.start
    parts.n_body = min(max(message.n_bytes - 7, 0), n_grams)
    parts.tail = parts.copy
    parts.n_tail = n_grams - parts.n_body
    memset(parts.copy, 0, 16)
    memcpy(parts.copy, message.start + parts.n_body, message.n_bytes - parts.n_body if n_grams else 0)
    return n_grams
