"""Distinct byte n-grams of many messages, as sorted column numbers of a CSR matrix.

Each message is swept once; a bit is set for the column of every gram, and reading the bits back gives
the distinct columns in order, so that no sort and no set a message is needed. A gram's column is its hash
(`hashed_columns`), or the number it got when it was first seen (`GramTable`).
"""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize, PyBytes_Size
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import secrets

import numpy as np

cdef extern from "bytegrams.h" nogil:
    ctypedef struct Bitmap:
        uint64_t* words
        uint8_t* summary
        Py_ssize_t n_words

    ctypedef struct Vocabulary:
        uint64_t* slots
        uint64_t* keys
        uint64_t factor
        Py_ssize_t room
        int log2_slots
        int n
        int32_t n_keys

    void mark_hashed(const uint8_t* start, Py_ssize_t count, int n, uint64_t n_features, Bitmap bitmap)
    void mark_known(Vocabulary* vocabulary, const uint8_t* start, Py_ssize_t count, int learn, Bitmap bitmap)
    void fill_bit_table()
    Py_ssize_t collect(Bitmap bitmap, int32_t* columns)
    int32_t find_gram(const Vocabulary* vocabulary, uint64_t key, uint64_t product, uint64_t* place)
    int32_t add_gram(Vocabulary* vocabulary, uint64_t key, uint64_t product, uint64_t place)

fill_bit_table()

cdef enum:
    CHUNK = 1 << 16  # grams a vocabulary makes room for at a time, all of which may be new
    MOST_KEYS = 2147483647 - CHUNK  # columns are 32-bit numbers


def hashed_columns(list documents, int n, Py_ssize_t n_features):
    """Columns of the distinct grams of each document, a gram's column being its hash.

    Returns (columns, row starts): indices and indptr of a CSR matrix with ``n_features`` columns.
    """
    _check_length(n)
    cdef _Messages messages = _Messages(documents)
    cdef _Marks marks = _Marks(n_features)
    cdef Bitmap bitmap = marks.bitmap
    cdef Py_ssize_t i
    cdef int64_t used = 0
    cdef Parts parts
    columns, starts = messages.room(n)
    cdef int32_t[::1] columns_view = columns
    cdef int64_t[::1] starts_view = starts
    with nogil:
        for i in range(messages.count):
            split(messages.items[i], n, &parts)
            mark_hashed(parts.body, parts.n_body, n, n_features, bitmap)
            mark_hashed(parts.tail, parts.n_tail, n, n_features, bitmap)
            used += collect(bitmap, &columns_view[used])
            starts_view[i + 1] = used
    columns.resize(used, refcheck=False)
    return columns, starts


def packed_columns(const int32_t[::1] columns not None):
    """Ascending columns as the gaps between them, seven bits a byte, low ones first; the last byte is below 128."""
    cdef Py_ssize_t i, n_bytes = 0
    cdef int64_t gap, before = -1
    for i in range(columns.shape[0]):
        gap = columns[i] - before - 1
        if gap < 0:
            raise ValueError("columns that do not ascend")
        before = columns[i]
        n_bytes += 1 + (gap >= 1 << 7) + (gap >= 1 << 14) + (gap >= 1 << 21) + (gap >= 1 << 28)
    packed = PyBytes_FromStringAndSize(NULL, n_bytes)
    cdef uint8_t* end = <uint8_t*>PyBytes_AsString(packed)
    before = -1
    for i in range(columns.shape[0]):
        gap = columns[i] - before - 1
        before = columns[i]
        while gap >= 1 << 7:
            end[0] = <uint8_t>(gap & 127 | 128)
            end += 1
            gap >>= 7
        end[0] = <uint8_t>gap
        end += 1
    return packed


def unpacked_columns(bytes packed not None, Py_ssize_t n_features):
    """What `packed_columns` was given; ValueError if these bytes are none of its making."""
    cdef const uint8_t* data = <const uint8_t*>PyBytes_AsString(packed)
    cdef Py_ssize_t i, n = 0, n_bytes = PyBytes_Size(packed)
    cdef int64_t gap = 0, before = -1
    cdef int shift = 0
    for i in range(n_bytes):
        n += data[i] < 128
    columns = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] view = columns
    n = 0
    for i in range(n_bytes):
        if shift > 28:
            raise ValueError("features with a number that is too long")
        gap |= <int64_t>(data[i] & 127) << shift
        shift += 7
        if data[i] < 128:
            before += gap + 1
            if before >= n_features:
                raise ValueError("features out of range")
            view[n] = <int32_t>before
            n += 1
            gap = shift = 0
    if shift:
        raise ValueError("features end in the middle of a number")
    return columns


cdef class GramTable:
    """The column of every gram of a vocabulary: the order in which they were first seen.

    ``keys`` are the grams of an earlier table, as numbers, the first byte lowest. Looking up changes nothing,
    so that threads may share a table; learning is for one thread.
    """

    cdef Vocabulary vocabulary
    cdef object key_memory, slot_memory

    def __cinit__(self, int n, keys=()):
        _check_length(n)
        self.vocabulary.n = n
        self.vocabulary.factor = <uint64_t>(secrets.randbits(64) | 1) << (64 - 8 * n)
        self.key_memory = np.ascontiguousarray(keys, dtype=np.uint64)
        self.vocabulary.n_keys = len(self.key_memory)
        self.make_room(0)

    @property
    def keys(self):
        """The gram of each column, as a number; the table's own memory, not to be written to."""
        keys = self.key_memory[: self.vocabulary.n_keys]
        keys.flags.writeable = False
        return keys

    def learn(self, list documents):
        """Columns of the distinct grams of each document, and row starts; new grams get the next columns."""
        # A vocabulary is seldom more than a twentieth of the grams read: starting there saves growing.
        self.make_room(min(sum(map(len, documents)) // 20, 1 << 20))
        return self.sweep(documents, True)

    def look_up(self, list documents):
        """Columns of the distinct grams of each document, and row starts; unknown grams are left out."""
        return self.sweep(documents, False)

    cdef tuple sweep(self, list documents, bint learn):
        cdef _Messages messages = _Messages(documents)
        cdef _Marks marks = _Marks(self.vocabulary.room)
        cdef Py_ssize_t i, first
        cdef int64_t used = 0
        cdef Parts parts
        columns, starts = messages.room(self.vocabulary.n)
        cdef int32_t[::1] columns_view = columns
        cdef int64_t[::1] starts_view = starts
        with nogil:
            for i in range(messages.count):
                split(messages.items[i], self.vocabulary.n, &parts)
                first = 0
                while first < parts.n_body:
                    self.mark(parts.body + first, min(<Py_ssize_t>CHUNK, parts.n_body - first), learn, marks)
                    first += CHUNK
                self.mark(parts.tail, parts.n_tail, learn, marks)
                used += collect(marks.bitmap, &columns_view[used])
                starts_view[i + 1] = used
        columns.resize(used, refcheck=False)
        return columns, starts

    cdef int mark(self, const uint8_t* start, Py_ssize_t count, bint learn, _Marks marks) except -1 nogil:
        if learn and self.vocabulary.n_keys + count > self.vocabulary.room:
            with gil:
                self.make_room(max(self.vocabulary.n_keys, count))
                marks.widen(self.vocabulary.room)
        mark_known(&self.vocabulary, start, count, learn, marks.bitmap)
        return 0

    cdef int make_room(self, Py_ssize_t n_more) except -1:
        """Memory for so many more keys, with slots of which at most two thirds will be in use."""
        cdef int32_t n_keys = self.vocabulary.n_keys, j
        cdef Py_ssize_t room = min(n_keys + max(n_more, 1 << 12), MOST_KEYS)
        if room < n_keys + min(n_more, CHUNK):
            raise ValueError(f"more than {n_keys:,} distinct grams. Hash them instead: n_features=2**24, say.")
        keys = np.empty(room, dtype=np.uint64)
        keys[:n_keys] = self.key_memory[:n_keys]
        slots = np.empty(1 << (3 * room // 2 - 1).bit_length(), dtype=np.uint64)
        slots.fill(0)  # not np.zeros: filled memory comes in large pages
        cdef uint64_t[::1] keys_view = keys
        cdef uint64_t[::1] slots_view = slots
        cdef uint64_t factor = self.vocabulary.factor, place = 0
        self.key_memory, self.slot_memory = keys, slots
        self.vocabulary.keys, self.vocabulary.slots = &keys_view[0], &slots_view[0]
        self.vocabulary.room = room
        self.vocabulary.log2_slots = len(slots).bit_length() - 1
        self.vocabulary.n_keys = 0
        with nogil:
            for j in range(n_keys):
                if find_gram(&self.vocabulary, keys_view[j], keys_view[j] * factor, &place) < 0:
                    add_gram(&self.vocabulary, keys_view[j], keys_view[j] * factor, place)
                else:
                    self.vocabulary.n_keys += 1  # said twice: the second keeps its column and is never found
        return 0


def _check_length(int n):
    if not 1 <= n <= 8:
        raise ValueError(f"a gram has 1 to 8 bytes; got {n}.")


cdef struct Message:
    const uint8_t* start
    Py_ssize_t n_bytes


cdef class _Messages:
    """Addresses and lengths of a list of bytes objects, so that the sweep needs no GIL."""

    cdef Message* items
    cdef Py_ssize_t count
    cdef tuple owner  # keeps the messages alive, whatever happens to the list meanwhile

    def __cinit__(self, list documents not None):
        cdef Py_ssize_t i
        self.owner = tuple(documents)
        self.count = len(self.owner)
        self.items = <Message*>malloc(max(self.count, 1) * sizeof(Message))
        if self.items == NULL:
            raise MemoryError
        for i in range(self.count):
            document = self.owner[i]
            if not isinstance(document, bytes):
                raise TypeError(f"document {i} is {type(document).__name__}, not bytes")
            self.items[i].start = <const uint8_t*>PyBytes_AsString(document)
            self.items[i].n_bytes = PyBytes_Size(document)

    def __dealloc__(self):
        free(self.items)

    cdef tuple room(self, int n):
        """Columns for the most grams there can be (pages never touched cost nothing) and row starts."""
        cdef Py_ssize_t i, n_grams = 0
        for i in range(self.count):
            n_grams += max(self.items[i].n_bytes - n + 1, 0)
        return np.empty(n_grams + 1, dtype=np.int32), np.zeros(self.count + 1, dtype=np.int64)


cdef class _Marks:
    """The memory of a bitmap: one bit a column, and one byte for each 64 of those."""

    cdef Bitmap bitmap
    cdef object words, summary

    def __init__(self, n_columns):
        self.words, self.summary = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.uint8)
        self.widen(n_columns)

    cdef int widen(self, Py_ssize_t n_columns) except -1:
        """Bits for so many columns; those that are set stay set."""
        n_words = max(16 * ((n_columns + 1023) // 1024), 16)  # the bytes are read sixteen at a time
        words, summary = np.zeros(n_words, dtype=np.uint64), np.zeros(n_words, dtype=np.uint8)
        words[: len(self.words)] = self.words
        summary[: len(self.summary)] = self.summary
        cdef uint64_t[::1] words_view = words
        cdef uint8_t[::1] summary_view = summary
        self.words, self.summary = words, summary
        self.bitmap.words, self.bitmap.summary = &words_view[0], &summary_view[0]
        self.bitmap.n_words = n_words
        return 0


cdef struct Parts:
    const uint8_t* body  # grams with eight readable bytes
    Py_ssize_t n_body
    const uint8_t* tail  # the last few, in a padded copy
    Py_ssize_t n_tail
    uint8_t copy[16]


cdef void split(Message message, int n, Parts* parts) noexcept nogil:
    """Part a message so that eight bytes can be read at every gram."""
    cdef Py_ssize_t n_grams = max(message.n_bytes - n + 1, 0)
    parts.body = message.start
    parts.n_body = min(max(message.n_bytes - 7, 0), n_grams)
    parts.tail = parts.copy
    parts.n_tail = n_grams - parts.n_body
    memset(parts.copy, 0, 16)
    if parts.n_tail:  # at most seven grams, so at most fourteen bytes
        memcpy(parts.copy, message.start + parts.n_body, message.n_bytes - parts.n_body)
