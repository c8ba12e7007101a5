"""Mail: one message, an mbox file, a Maildir; and the words of a message that may be malformed."""

import codecs
import email
import email.errors
import email.header
import os
from collections.abc import Iterator
from email.message import Message
from itertools import dropwhile
from pathlib import Path
from typing import Any

from lopsided.text._decode import clean_text, decode_bytes, printable
from lopsided.text._documents import Document
from lopsided.text._html import strip_html
from lopsided.text._mailbox import parts_of_mbox
from lopsided.text._source import DocumentFile

_HEADERS = ("subject", "from")
_FIELDS = (*_HEADERS, "date", "message-id")
_HEADERS_OF_PARTS = ("content-type", "content-transfer-encoding")
# Beyond these the email package takes time that grows with the square of the length. In two corpora of
# real mail the longest subject has 746 characters and the deepest nesting is 3.
_LONGEST_HEADER = 2000
_DEEPEST = 20
# Codecs of Python that no mail is written in; some take the square of the length too.
_NO_CHARSETS = ("idna", "punycode", "raw-unicode-escape", "unicode-escape")


def mail_text(raw: bytes | bytearray) -> str:
    r"""Return the words of a mail message: subject, sender and all text parts, HTML without its tags.

    Attachments that are not text are left out. Malformed mail never raises: what cannot be parsed is
    returned as the decoded raw message.

    Parameters
    ----------
    raw : bytes
        The message as it stands in a file: headers, an empty line, the body.

    Returns
    -------
    text : str
        One line for each header, then the parts.

    Examples
    --------
    >>> mail_text(b"Subject: =?utf-8?q?Caf=C3=A9?=\nContent-Type: text/html\n\n<p>Hello <b>you</b>")
    'Café\n Hello you'
    """
    if not isinstance(raw, (bytes, bytearray)):
        raise TypeError(f"mail_text expects bytes, got {type(raw).__name__}. Encode it first.")
    return parse_mail(bytes(raw))[0]


def parse_mail(raw: bytes) -> tuple[str, list[str]]:
    """Return the words of a message, and a list of its defects."""
    fields, parts, defects = _take_apart(raw)
    pieces = [*(fields.get(name, "") for name in _HEADERS), *parts]
    text, repairs = clean_text("\n".join(piece for piece in pieces if piece))
    return text, [*defects, *repairs]


def parse_mail_fields(raw: bytes) -> tuple[dict[str, str], list[str]]:
    r"""Return subject, sender, date, message id and body of a message, and a list of its defects.

    Examples
    --------
    >>> fields, _ = parse_mail_fields(b"Subject: Ships\nMessage-ID: <1@a>\n\nHello")
    >>> fields["subject"], fields["message-id"], fields["from"], fields["body"]
    ('Ships', '<1@a>', '', 'Hello')
    """
    fields, parts, defects = _take_apart(raw)
    found, repairs = {}, []
    for name in (*_FIELDS, "body"):
        text = "\n".join(part for part in parts if part) if name == "body" else fields.get(name, "")
        found[name], odd = clean_text(text)
        repairs += odd
    return found, [*defects, *sorted(set(repairs))]


def _take_apart(raw: bytes) -> tuple[dict[str, str], list[str], list[str]]:
    """Return headers and text parts of a message, and its defects; one that cannot be parsed is one part."""
    defects: set[str] = set()
    try:
        message = email.message_from_bytes(raw, _MessagePart)
        fields = {name: _header(message, name, defects) for name in _FIELDS}
        pieces = []
        for part in message.walk():
            defects.update(_words(type(defect).__name__) for defect in part.defects)
            # A multipart without its boundary has no parts, only a body.
            if not part.is_multipart() and part.get_content_maintype() in ("text", "multipart"):
                pieces.append(_part(part, defects))
    except Exception as error:  # the parser promises not to raise, and does on some broken mail
        return {}, [decode_bytes(raw)[0]], [f"not parsed as mail ({type(error).__name__}), raw text taken"]
    return fields, pieces, sorted(defects)


def iter_message(source: DocumentFile, id: str, label: str | None, *, as_text: bool) -> Iterator[Document]:
    """Yield the message that a file is."""
    raw, _ = source.read(id)
    yield _document(source, id, raw, label, as_text)


def iter_mbox(source: DocumentFile, *, as_text: bool) -> Iterator[Document]:
    """Yield the messages of an mbox file, one in memory at a time.

    The line that separates two messages and the empty line before it belong to no message. Lines quoted as
    `>From ` stay as they are.
    """
    number, message, size = 0, bytearray(), 0
    pieces = dropwhile(lambda piece: not piece[0].strip(), source.pieces())
    for piece, part in parts_of_mbox(pieces):
        if part == "separator":
            if number:
                yield _of_mbox(source, number, message, size, as_text)
            number, message, size = number + 1, bytearray(), 0
        if part != "message":
            continue
        if not number:
            number = 1
            source.repair(f"{source.name}:1", "no 'From ' line before the first message")
        size += len(piece)
        message += piece[: source.max_bytes - len(message)]
    if number:
        yield _of_mbox(source, number, message, size, as_text)


def iter_maildir(folder: Path, source: DocumentFile, *, as_text: bool) -> Iterator[Document]:
    """Yield the messages of a Maildir, read and new ones together, by name and thus by time of arrival."""
    found = []
    for part in ("cur", "new"):
        try:
            with os.scandir(folder / part) as entries:
                # what follows the colon are flags, which change when a message is read
                found += [(printable(entry.name.split(":")[0]), Path(entry.path)) for entry in entries]
        except OSError as error:
            source.skip(part, f"unreadable ({error.strerror})")
    for id, path in sorted(found):
        if id.startswith("."):
            continue
        if not path.is_file():
            source.skip(id, "not a file")
            continue
        try:
            yield from iter_message(
                DocumentFile(path, source.max_bytes, source.problems), id, None, as_text=as_text
            )
        except OSError as error:
            source.skip(id, f"unreadable ({error.strerror})")


class HeaderCutDefect(email.errors.MessageDefect):
    """A header was longer than headers of real mail are, and was cut."""


class NestedTooDeepDefect(email.errors.MessageDefect):
    """A part was nested so deep that it is read as plain text."""


class _MessagePart(Message):
    """A message or a part of one, with limits that keep the email package from hanging."""

    depth = 0

    def attach(self, payload: Any) -> None:
        payload.depth = self.depth + 1
        super().attach(payload)

    def set_raw(self, name: str, value: Any) -> None:
        if len(value) > _LONGEST_HEADER and name.lower() in _FIELDS + _HEADERS_OF_PARTS:
            value = value[:_LONGEST_HEADER]
            self.defects.append(HeaderCutDefect())
        super().set_raw(name, value)

    def get_content_type(self) -> str:
        kind = super().get_content_type()
        if self.depth >= _DEEPEST and kind.startswith(("message/", "multipart/")):
            self.defects.append(NestedTooDeepDefect())
            return "text/plain"
        return kind


def _of_mbox(source: DocumentFile, number: int, message: bytearray, size: int, as_text: bool) -> Document:
    id = f"{source.name}:{number}"
    if size > source.max_bytes:
        source.repair(id, f"cut to {source.max_bytes:,} bytes")
    raw = bytes(message)
    for blank in (b"\r\n\r\n", b"\n\n"):  # the empty line before the next `From ` is no part of the message
        if raw.endswith(blank):
            raw = raw[: -len(blank) // 2]
            break
    return _document(source, id, raw, None, as_text)


def _document(source: DocumentFile, id: str, raw: bytes, label: str | None, as_text: bool) -> Document:
    if not raw.strip():
        source.repair(id, "empty")
    if not as_text:
        return Document(id, raw, label)
    text, repairs = parse_mail(raw)
    source.repair(id, *repairs)
    return Document(id, text, label)


def _header(message: Message, name: str, defects: set[str]) -> str:
    """Return a header as readable text; raw bytes and encoded words (RFC 2047) are both decoded."""
    for key, value in message.raw_items():  # `message[name]` would replace bytes outside ASCII
        if key.lower() == name:
            plain = decode_bytes(str(value).encode("utf-8", "surrogateescape"))[0]
            try:
                plain = str(email.header.make_header(email.header.decode_header(plain)))
            except (ValueError, LookupError, email.errors.MessageError):
                defects.add("undecodable header")
            return " ".join(plain.split())
    return ""


def _part(part: Message, defects: set[str]) -> str:
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset()
    try:
        if charset is not None and codecs.lookup(charset).name in _NO_CHARSETS:
            raise LookupError(charset)
        text = raw.decode(charset or "ascii")
    except (LookupError, ValueError):  # an unknown charset, or not the one that was announced
        text = decode_bytes(raw)[0]
        if charset is not None:
            defects.add("wrong charset")
    return strip_html(text) if part.get_content_subtype() == "html" else text


def _words(name: str) -> str:
    """Return `StartBoundaryNotFoundDefect` as `start boundary not found`."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)[1:].removesuffix(
        " defect"
    )
