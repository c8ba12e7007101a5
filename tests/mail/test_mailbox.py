"""Filtering a mailbox loses no message, whatever the messages are called and whenever it is killed."""

import errno
import os
from collections import Counter
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lopsided import iter_documents
from lopsided.mail import _overwrite
from lopsided.mail._maildir import delivery, filter_maildir
from lopsided.mail._mbox import filter_mbox, spans

PARTS = ("new", "cur", ".Junk/new", ".Junk/cur")
HIDDEN = b"hide me"


class Killed(BaseException):
    """The process has ended: nothing of it happens any more."""


def judge(message):
    """Hide the messages that ask for it."""
    word = "hide" if HIDDEN in message.head else "show"
    return SimpleNamespace(word=word, header=f"{word}; score=+0.0000; id=0123456789abcdef")


def maildir(box, messages):
    """Make a Maildir with a hidden folder from contents by part and name."""
    for part in (*PARTS, "tmp", ".Junk/tmp"):
        (box / part).mkdir(parents=True, exist_ok=True)
    for (part, name), content in messages.items():
        (box / part / name).write_bytes(content)
    return box


def contents(box):
    """Count the messages of a Maildir by their content, our header aside."""
    return Counter(without_header(path.read_bytes()) for part in PARTS for path in (box / part).iterdir())


def without_header(raw):
    return raw.split(b"\n", 1)[1] if raw.startswith(b"X-Lopsided: ") else raw


def forbid_hard_links(patch):
    """Let the file system be one such as FAT."""

    def refuse(*_, **__):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    patch.setattr(os, "link", refuse)


def kill_after(patch, n_changes):
    """Let the process end before it changes more than so many entries of a folder."""
    done = count()

    def until_killed(change):
        def changed(*arguments, **options):
            if next(done) >= n_changes:
                raise Killed
            return change(*arguments, **options)

        return changed

    for name in ("link", "unlink", "rename", "replace"):
        patch.setattr(os, name, until_killed(getattr(os, name)))


@pytest.mark.parametrize("text", [b"", HIDDEN])
def test_names_that_differ_only_in_their_size_stay_two_messages(tmp_path, text):
    messages = {("new", "100.M1P1.h"): b"one " + text, ("new", "100.M1P1.h,S=21"): b"two " + text}
    box = maildir(tmp_path, messages)
    counts = filter_maildir(box, box / ".Junk", judge)
    assert counts["show"] + counts["hide"] == 2
    assert contents(box) == Counter(messages.values())
    names = os.listdir(box / (".Junk/new" if text else "new"))
    assert "100.M1P1.h" in names
    assert not any(",S=" in name for name in names)


@pytest.mark.parametrize("there", ["new/1.h", "cur/1.h:2,S"])
def test_a_name_that_the_hidden_folder_has_is_not_taken_again(tmp_path, there):
    """Not one in cur either: a mail program that moves our message there would write over it."""
    box = maildir(tmp_path, {("new", "1.h,S=7"): HIDDEN, (".Junk", there): b"old"})
    filter_maildir(box, box / ".Junk", judge)
    assert contents(box) == Counter([HIDDEN, b"old"])
    assert (box / ".Junk" / there).read_bytes() == b"old"
    (name,) = set(os.listdir(box / ".Junk" / "new")) - {"1.h"}
    assert name.partition(":")[0] != "1.h"


def test_only_sizes_leave_a_name(tmp_path):
    """They are those of the message without our header; flags and other fields stay."""
    names = ("1.h,S=3:2,FS", "2.h,S=3,W=4", "3.h,S=3,X=1", ",S=3", "4.h,S=3.x", "5.h")
    box = maildir(tmp_path, {("new", name): name.encode() for name in names})
    filter_maildir(box, box / ".Junk", judge)
    left = os.listdir(box / "new")
    assert {"1.h:2,FS", "2.h", "3.h,X=1", "4.h,S=3.x", "5.h"} < set(left)
    assert len(left) == len(names)


def test_a_hidden_folder_that_is_the_inbox_itself_loses_nothing(tmp_path):
    for part in ("new", "cur", "tmp"):
        (tmp_path / part).mkdir()
    (tmp_path / ".Junk").symlink_to(tmp_path)
    (tmp_path / "new" / "1.h").write_bytes(HIDDEN)
    filter_maildir(tmp_path, tmp_path / ".Junk", judge)
    (path,) = (tmp_path / "new").iterdir()
    assert without_header(path.read_bytes()) == HIDDEN


def test_a_delivery_of_others_in_tmp_is_left_alone(tmp_path):
    box = maildir(tmp_path, {("new", "1.h,S=3"): b"one"})
    (box / "tmp" / "1.h").write_bytes(b"on its way")
    filter_maildir(box, box / ".Junk", judge)
    assert os.listdir(box / "tmp") == ["1.h"]
    assert (box / "tmp" / "1.h").read_bytes() == b"on its way"


names = st.builds(
    lambda *parts: "".join(parts),
    st.sampled_from(["1.h", "", "a" * 240, "\udcff"]),
    st.sampled_from(["", ",S=1", ",S=2,W=3", ",S="]),
    st.sampled_from(["", ":2,S", ":"]),
).filter(bool)
places = st.tuples(st.sampled_from(PARTS), names)


@pytest.mark.parametrize("links", [True, False])
@given(
    messages=st.dictionaries(places, st.booleans(), max_size=12),
    deliveries=st.lists(places, max_size=4),
)
def test_messages_of_any_names_are_all_there_afterwards(links, messages, deliveries):
    messages = {
        place: b"%d %b" % (i, HIDDEN if hide else b"") for i, (place, hide) in enumerate(messages.items())
    }

    def while_mail_comes_in(message):
        if deliveries:
            place = deliveries.pop()
            if not (box / Path(*place)).exists():
                messages[place, len(deliveries)] = b"delivered %d" % len(deliveries)
                (box / Path(*place)).write_bytes(b"delivered %d" % len(deliveries))
        return judge(message)

    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        box = maildir(Path(folder), messages)
        if not links:
            forbid_hard_links(patch)
        filter_maildir(box, box / ".Junk", while_mail_comes_in)
        assert contents(box) == Counter(messages.values())
        assert os.listdir(box / "tmp") == os.listdir(box / ".Junk" / "tmp") == []


@pytest.mark.parametrize("links", [True, False])
def test_a_run_that_is_killed_loses_nothing_and_the_next_one_tidies_up(tmp_path, monkeypatch, links):
    messages = {("new", "1.h"): b"one", ("new", "1.h,S=3"): b"two", ("new", "2.h,S=7"): HIDDEN}
    if not links:
        forbid_hard_links(monkeypatch)
    for n_changes in count():
        box = maildir(tmp_path / str(n_changes), messages)
        ended = True
        with monkeypatch.context() as patch:
            kill_after(patch, n_changes)
            try:
                filter_maildir(box, box / ".Junk", judge)
            except Killed:
                ended = False
        assert contents(box) >= Counter(messages.values())
        filter_maildir(box, box / ".Junk", judge)
        assert contents(box) >= Counter(messages.values())
        assert os.listdir(box / "tmp") == os.listdir(box / ".Junk" / "tmp") == []
        if ended:
            break
    assert n_changes > 3 * 2
    assert contents(box) == Counter(messages.values())


@pytest.mark.parametrize("links", [True, False])
def test_a_delivery_takes_no_name_that_is_there(tmp_path, monkeypatch, links):
    monkeypatch.setattr("time.time_ns", lambda: 10**18)
    tokens = iter("aaaabbbb")
    monkeypatch.setattr("secrets.token_hex", lambda n: next(tokens))
    if not links:
        forbid_hard_links(monkeypatch)
    for text in (b"one", b"two"):
        with delivery(tmp_path) as file:
            file.write(text)
    assert sorted(path.read_bytes() for path in (tmp_path / "new").iterdir()) == [b"one", b"two"]
    assert os.listdir(tmp_path / "tmp") == []


@pytest.mark.parametrize("make_alias", [Path.symlink_to, Path.hardlink_to])
def test_an_mbox_is_not_hidden_in_itself(tmp_path, make_alias):
    box, alias = tmp_path / "inbox", tmp_path / "junk"
    raw = b"From a\nSubject: %b\n\n" % HIDDEN
    box.write_bytes(raw)
    make_alias(alias, box)
    with pytest.raises(ValueError, match=r"junk' is the mailbox itself\."):
        filter_mbox(box, alias, judge)
    assert box.read_bytes() == raw


def test_a_message_without_an_envelope_stays_one_message_when_it_moves(tmp_path):
    box, junk = tmp_path / "inbox", tmp_path / "junk"
    box.write_bytes(b"Subject: %b\n\nbody\n" % HIDDEN)
    junk.write_bytes(b"From a\nSubject: old\n\n")
    assert filter_mbox(box, junk, judge)["hide"] == 1
    old, _, moved = junk.read_bytes().partition(b"\n\nFrom ")
    assert old == b"From a\nSubject: old"
    assert moved.endswith(b"\nSubject: %b\n\nbody\n" % HIDDEN)


def test_hidden_messages_do_not_get_past_the_lock_behind_a_link(tmp_path):
    box, junk = tmp_path / "inbox", tmp_path / "junk"
    raw = b"From a\nSubject: %b\n\n" % HIDDEN
    box.write_bytes(raw)
    (tmp_path / "real").mkdir()
    junk.symlink_to(tmp_path / "real" / "junk")
    (tmp_path / "real" / "junk").write_bytes(b"")
    (tmp_path / "real" / "junk.lock").touch()
    with pytest.raises(OSError, match="locked by another program"):
        filter_mbox(box, junk, judge)
    assert (box.read_bytes(), junk.read_bytes()) == (raw, b"")


MESSAGES = {
    "longer": [b"one", b"two", b"three " * 30],
    "shorter": [b"one", HIDDEN + b" two " * 60, b"three", HIDDEN],
    "nothing left": [HIDDEN + b" two " * 60],
}


def known(message):
    """Judge as ever, and leave what was judged before."""
    return None if message.id is not None else judge(message)


def texts_of(*boxes):
    """Count the messages of mboxes by their subject."""
    found = Counter()
    for box in boxes:
        with box.open("rb") as file:
            for _, body, end in spans(file):
                raw = box.read_bytes()[body:end]
                found[without_header(raw).strip()] += 1
    return found


@pytest.mark.parametrize("later", [b"", b"From z\nSubject: later\n\nlater\n\n"])
@pytest.mark.parametrize("kind", MESSAGES)
def test_an_mbox_that_was_half_written_is_completed_by_the_next_run(tmp_path, monkeypatch, kind, later):
    """Killed at any byte, and mail comes in before the next run, which may be killed as well."""
    raw = b"".join(b"From a\nSubject: %d\n\n%b\n\n" % (i, text) for i, text in enumerate(MESSAGES[kind]))
    monkeypatch.setattr(_overwrite, "_PIECE", 13)
    for n_steps in count():
        folder = tmp_path / str(n_steps)
        folder.mkdir()
        box, junk = folder / "inbox", folder / "junk"
        box.write_bytes(raw)
        expected = texts_of(box)
        ended = run_until_killed(monkeypatch, box, junk, n_steps)
        if later and not ended:
            with box.open("ab") as file:
                file.write(later)
            expected[b"Subject: later\n\nlater"] += 1
        run_until_killed(monkeypatch, box, junk, 5 * n_steps)
        filter_mbox(box, junk, known)
        assert set(texts_of(box, *[junk] * junk.exists())) == set(expected), n_steps
        assert texts_of(box) <= expected
        assert not [path.name for path in folder.iterdir() if path.name.startswith(".")]
        if ended:
            break
    assert n_steps > 10 or kind == "nothing left"


def run_until_killed(monkeypatch, box, junk, n_steps):
    """Run; whether it has ended before so many pieces were written over the box."""
    done = count()

    class Dying:
        def __init__(self, file):
            self._file = file

        def write(self, data):
            if next(done) >= n_steps:
                self._file.flush()
                raise Killed
            self._file.write(data)
            self._file.flush()

        def truncate(self, size):
            self.write(b"")
            self._file.truncate(size)
            self.write(b"")

        def __getattr__(self, name):
            return getattr(self._file, name)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self._file.close()

    opened = Path.open

    def open_dying(path, mode="r", *arguments):
        file = opened(path, mode, *arguments)
        return Dying(file) if mode == "r+b" else file

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", open_dying)
        try:
            filter_mbox(box, junk, known)
        except Killed:
            return False
    return True


def test_a_box_that_was_changed_after_a_run_was_killed_is_left_to_a_person(tmp_path, monkeypatch):
    box, junk = tmp_path / "inbox", tmp_path / "junk"
    monkeypatch.setattr(_overwrite, "_PIECE", 7)
    box.write_bytes(b"".join(b"From a\nSubject: %d\n\ntext\n\n" % i for i in range(9)))
    assert not run_until_killed(monkeypatch, box, junk, 10)
    changed = box.read_bytes()[40:]
    box.write_bytes(changed)
    with pytest.raises(OSError, match="another program has changed since"):
        filter_mbox(box, junk, known)
    assert box.read_bytes() == changed


def test_files_of_other_users_in_the_spool_block_nothing(tmp_path, monkeypatch):
    box, junk = tmp_path / "inbox", tmp_path / "junk"
    box.write_bytes(b"From a\nSubject: x\n\ntext\n\n")
    theirs = []
    for what in ("whole", "whole-0123456789abcdef", "kept", "moved", "kept-0123456789abcdef"):
        theirs.append(tmp_path / f".inbox.lopsided-{what}")
        theirs[-1].write_bytes(b"theirs")
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    unlink = Path.unlink

    def in_a_sticky_folder(path, *arguments, **options):
        if path in theirs:
            raise PermissionError(errno.EPERM, "Operation not permitted")
        unlink(path, *arguments, **options)

    monkeypatch.setattr(Path, "unlink", in_a_sticky_folder)
    assert filter_mbox(box, junk, judge)["show"] == 1
    assert box.read_bytes().startswith(b"From a\nX-Lopsided: show")
    assert all(path.read_bytes() == b"theirs" for path in theirs)


@pytest.mark.parametrize(
    "box",
    [
        b"From anna\n\nHello\n\nFrom bob\n\nBye\nFrom here on\n\n>From there\n\nFrom carl\n",
        b"Hello\n\nFrom bob\n\nBye",
        b"From anna\r\n\r\nHello\r\n\r\nFrom bob\r\n\r\nBye\r\n",
        b"From " + 70_000 * b"a" + b"\n\nHello\n\nFrom bob\n\n" + 70_000 * b"b" + b"\n",
    ],
)
def test_a_mailbox_is_split_as_documents_are(tmp_path, box):
    path = tmp_path / "box.mbox"
    path.write_bytes(box)
    with path.open("rb") as file:
        found = [box[body:end] for _, body, end in spans(file)]
    expected = [document.text for document in iter_documents(path)]
    blank = b"\r\n" if b"\r\n" in box else b"\n"
    assert [raw.removesuffix(blank) if raw.endswith(2 * blank) else raw for raw in found] == expected
