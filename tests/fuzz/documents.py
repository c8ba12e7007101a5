"""Files of documents and records, in every format."""

import io
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import openpyxl
import pyarrow
import pyarrow.parquet

from fuzz.target import Target, may_refuse, require_plain, require_text, scratch
from lopsided.text import iter_records, preview_records, read_documents

_MOST = 20_000  # bytes of a document
_BETWEEN = b"\n=====\n"  # between the members of an archive that the input spells out


def _check(suffix: str, as_documents: bool, data: bytes) -> None:
    with scratch() as folder:
        path = folder / f"source{suffix}"
        path.write_bytes(data)
        _read(path, as_documents)


def _read(path: Path, as_documents: bool) -> None:
    if as_documents:
        with may_refuse():
            documents = read_documents(path, mail="text", max_bytes=_MOST)
            require_plain(documents.summary())
            for problem in documents.problems:
                require_plain(problem.reason)
            for text, id in zip(documents, documents.ids, strict=True):
                require_text(text)
                require_text(id)
    with may_refuse():
        problems = []
        ids = set()
        for record in iter_records(path, max_bytes=_MOST, problems=problems):
            assert record.id not in ids
            ids.add(record.id)
            for text in (record.id, record.title, record.text, record.label, *record.fields.values()):
                require_text(text)
        for problem in problems:
            require_plain(problem.reason)
    with may_refuse():
        preview = preview_records(path, max_bytes=_MOST)
        assert len(preview.columns) <= 210


def _check_packed(suffix: str, data: bytes) -> None:
    """An archive whose members are spelled out, since no mutation gets past a checksum; or the bytes."""
    _check(suffix, False, data if data.startswith(b"PK") else pack(data))


def pack(data: bytes) -> bytes:
    """Return the archive whose members the bytes spell out: a line with the name, and the content."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        names = set()
        for member in data.split(_BETWEEN):
            name, _, content = member.partition(b"\n")
            info = zipfile.ZipInfo(name.decode("utf-8", "replace") or "x")
            if info.filename not in names:
                names.add(info.filename)
                archive.writestr(info, content)
    return out.getvalue()


def spell(archive: bytes) -> bytes:
    """Return the members of an archive as `pack` reads them."""
    with zipfile.ZipFile(io.BytesIO(archive)) as whole:
        return _BETWEEN.join(name.encode() + b"\n" + whole.read(name) for name in whole.namelist())


def _check_maildir(data: bytes) -> None:
    with scratch() as folder:
        for name in ("cur", "new", "tmp"):
            (folder / name).mkdir()
        for number, message in enumerate(data.split(_BETWEEN)):
            (folder / ("cur", "new")[number % 2] / f"{number}.host:2,S").write_bytes(message)
        _read(folder, as_documents=True)


_MAIL = (
    b"From anna@example.org Thu Jan  1 00:00:00 2004\nSubject: =?utf-8?q?l=C3=BCnch?=\n"
    b"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/html; charset=latin-1\n"
    b"Content-Transfer-Encoding: base64\n\nPGI+aGVsbG88L2I+\n--x--\n\n"
)
_MAIL_WORDS = (
    *(
        b"From ",
        b"\n\nFrom ",
        b"Subject:",
        b"=?utf-8?b?",
        b"=?x?q?",
        b"?=",
        b"charset=",
        b"utf-7",
        b"\n--x\n",
    ),
    *(b"Content-Transfer-Encoding: ", b"quoted-printable", b"uuencode", b"message/rfc822", b"rfc2231*0*="),
)


def _parquet() -> list[bytes]:
    table = pyarrow.table({"text": ["hello", "bye"], "label": [1, 0], "id": ["a", None]})
    files = []
    for options in ({}, {"compression": "none", "use_dictionary": False}):
        out = io.BytesIO()
        pyarrow.parquet.write_table(table, out, **options)
        files.append(out.getvalue())
    return files


def _xlsx() -> list[bytes]:
    book = openpyxl.Workbook()
    for row in (["title", "text", "label"], ["a", "=1+1", True], [3.5, None, "x"]):
        book.active.append(row)
    out = io.BytesIO()
    book.save(out)
    return [out.getvalue(), spell(out.getvalue())]


def _of(suffix: str, as_documents: bool, *seeds: bytes, words: tuple[bytes, ...] = ()) -> Target:
    return Target(partial(_check, suffix, as_documents), lambda: list(seeds), words)


def _made(check: Callable[[bytes], None], make: Callable[[], list[bytes]], *words: bytes) -> Target:
    return Target(check, make, words)


_CSV = b'id,title,text,label\n1,"a ""b""","two\nlines",yes\n2,c,d,no\n'
TARGETS = {
    "csv": _of(
        ".csv",
        True,
        _CSV,
        b"sep=;\r\nid;text\r\n1;x\r\n",
        _CSV.decode().encode("utf-16"),
        words=(b'"', b'""', b",", b";", b"\r", b"text", b"\xff\xfe", b"sep=|", b"\x1b]0;x\x07"),
    ),
    "tsv": _of(".tsv", True, b"id\ttext\n1\thello\n2\tbye\n", words=(b"\t", b'"', b"\r\n", b"text")),
    "jsonl": _of(
        ".jsonl",
        True,
        b'{"id": 1, "text": "a", "label": null}\n{"text": ["x", {"y": 1e5}]}\n',
        words=(b'{"text": ', b"[" * 200, b"\\ud800", b"NaN", b"1e999", b"9" * 5000, b'"id": ', b"\\u001b"),
    ),
    "ris": _of(
        ".ris",
        True,
        b"TY  - JOUR\nTI  - A title\nAU  - Doe, J\nAB  - An abstract\n  goes on\nDO  - 10.1/x\nER  - \n",
        words=(b"TY  - ", b"ER  - ", b"\nTI  - ", b"\nAB  - ", b"\nID  - ", b"\nKW  - "),
    ),
    "bibtex": _of(
        ".bib",
        False,
        b'@string{j = "Journal"}\n@article{doe04, title = {A {\\"o} title}, journal = j # " x", year = 4}\n',
        words=(b"@article{", b"@comment{", b"@string{", b"@preamble{", b" = {", b'"', b"}", b"\\'{e}", b"$"),
    ),
    "mbox": _of(".mbox", True, _MAIL + _MAIL, words=_MAIL_WORDS),
    "maildir": Target(_check_maildir, lambda: [_MAIL + _BETWEEN + _MAIL], (*_MAIL_WORDS, _BETWEEN)),
    "parquet": _made(partial(_check, ".parquet", True), _parquet, b"PAR1"),
    "xlsx": _made(
        partial(_check_packed, ".xlsx"), _xlsx, b"<c ", b't="s"', b"<row r=", b"99999999", _BETWEEN
    ),
    "zip": _made(
        partial(_check_packed, ".zip"),
        lambda: [
            pack(b"a.csv\n" + _CSV + _BETWEEN + b"b.txt\nhello"),
            b"a.csv\n" + _CSV + _BETWEEN + b"mail/cur/1:2,S\n" + _MAIL + _BETWEEN + b"../x.txt\nout",
        ],
        *(_BETWEEN, b"../", b".xlsx", b".jsonl", b".ris", b".bib", b".gz", b"\x1b[31m"),
    ),
}
