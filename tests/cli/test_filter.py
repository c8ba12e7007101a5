"""lopsided filter, as a mail system calls it."""

import json
import os
import shlex
import subprocess
import sys
import threading
import time

import pytest

from lopsided.cli import main

HAM = b"From: anna@example.org\nSubject: lunch on %d\n\nShall we have lunch at the usual place?\n"
SPAM = b"From: pills@example.com\nSubject: cheap pills %d\n\nBuy cheap pills online, no prescription!\n"


@pytest.fixture
def state(tmp_path, monkeypatch):
    path = tmp_path / "state" / "me"
    monkeypatch.setenv("LOPSIDED_STATE", str(path))
    return path


@pytest.fixture
def run(capsys):
    """Return a function that runs the command: code, what it printed as JSON or text, errors."""

    def run(*argv):
        code = main(["filter", *map(str, argv)])
        out, err = capsys.readouterr()
        return code, json.loads(out) if "--json" in argv else out, err

    return run


def pipe(raw, *options, command="run", **more):
    """One process, as procmail or a Sieve script starts it."""
    return subprocess.run(
        [sys.executable, "-m", "lopsided", "filter", command, *options],
        input=raw,
        capture_output=True,
        check=False,
        **more,
    )


def maildir(path, *folders):
    for folder in ("", *folders):
        for part in ("cur", "new", "tmp"):
            (path / folder / part).mkdir(parents=True)
    return path


def teach(state):
    """A filter that knows lunch from pills, and explores nothing."""
    from lopsided.mail._filter import MailFilter
    from lopsided.mail._settings import Settings

    with MailFilter.open(state, create=Settings.of(None, "none")) as mine:
        for i in range(10):
            mine.learn("ham", head=HAM % i)
            mine.learn("spam", head=SPAM % i)


def test_one_message_after_the_other(state):
    out = pipe(HAM % 0)
    header, rest = out.stdout.split(b"\n", 1)
    assert (out.returncode, out.stderr, rest) == (0, b"", HAM % 0)
    assert header.startswith(b"X-Lopsided: show; score=+0.0000; id=")
    assert pipe(out.stdout, "--ham", "-", command="learn").stdout == b"ham learned: 1\n"
    assert pipe(out.stdout, "--ham", "-", command="learn").stdout == b"ham again: 1\n"
    shown = pipe(SPAM % 0).stdout
    assert pipe(shown, "--spam", "-", command="learn").stdout == b"spam learned: 1\n"
    teach(state)
    assert pipe(SPAM % 50).stdout.startswith((b"X-Lopsided: hide; score=-", b"X-Lopsided: show; explored"))
    assert pipe(HAM % 50).stdout.startswith(b"X-Lopsided: show; score=+")


def test_only_an_exit_code(state):
    teach(state)
    for raw, code in ((HAM % 70, 0), (SPAM % 70, 10)):
        out = pipe(raw, "--exit-code")
        assert (out.returncode, out.stdout, out.stderr) == (code, b"", b"")
    told = json.loads(pipe(SPAM % 71, "--json").stdout)
    assert told["decision"] == "hide"
    assert told["score"] < 0


def test_a_header_cannot_be_sent_in(state):
    teach(state)
    out = pipe(b"X-Lopsided: show; id=0123456789abcdef\n" + SPAM % 80).stdout
    assert out.startswith(b"X-Lopsided: hide")
    assert out.split(b"\n", 1)[1] == SPAM % 80


@pytest.mark.parametrize("raw", [b"", b"\n", b"\0" * 5000, b"\r\r\r", b"\xff\xfe" * 4000, b"Subject: x"])
def test_odd_messages_pass(state, raw):
    out = pipe(raw)
    assert out.returncode == 0
    assert out.stdout.startswith(b"X-Lopsided: show")
    assert out.stdout.endswith(raw)


@pytest.mark.slow
def test_a_gigabyte_passes_in_little_memory(state):
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30)); "
        "from lopsided.cli import main; sys.exit(main(['filter', 'run']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:

        def send():
            process.stdin.write(HAM % 1)
            for _ in range(1024):
                process.stdin.write(b"A" * 2**20)
            process.stdin.close()

        sender = threading.Thread(target=send)
        sender.start()
        size = len(first := process.stdout.read(30))
        while piece := process.stdout.read(2**20):
            size += len(piece)
        sender.join()
    assert process.returncode == 0
    assert first.startswith(b"X-Lopsided: show; score=")
    assert size > 2**30 + len(HAM % 1)


def test_it_fails_open(state, tmp_path):
    teach(state)
    state.unlink()
    state.mkdir()  # nothing can be opened there
    out = pipe(SPAM % 1)
    assert out.returncode == 0
    header, rest = out.stdout.split(b"\n", 1)
    assert header.startswith(b"X-Lopsided: unfiltered; ")
    assert rest == SPAM % 1
    assert out.stderr.count(b"\n") == 1
    assert b"The message passes unfiltered." in out.stderr
    assert pipe(SPAM % 1, "--exit-code").returncode == 0
    for options in (("--temporary-failure",), ("--temporary-failure", "--exit-code")):
        tried = pipe(SPAM % 1, *options)
        assert (tried.returncode, tried.stdout) == (75, b"")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("run", "--stat", "x"), b"Did you mean '--state'?"),
        (("run", "--hidden", "x"), b"--hidden is for a MAILBOX"),
        (("run", "--socket", "x", "--state", "y"), b"--socket passes one message on"),
        (("run", "--user"), b"requires an argument"),
        (("run", "--user", "anna"), b"--user is for --socket"),
        (("run", "--socket", "nowhere", "--user", "anna"), b"no service answers at 'nowhere'"),
        (("run", "--socket", "x", "--user", "anna\nping"), b"'anna ping' is no name of a user"),
        (("--stat", "run"), b"No such option '--stat'"),
        (("rum",), b"Did you mean 'run'?"),
        ((), b"'lopsided filter run' filters one message"),
    ],
)
def test_a_mistake_in_the_command_line_loses_no_message(state, options, words):
    command = [sys.executable, "-m", "lopsided", "filter", *options]
    out = subprocess.run(command, input=SPAM % 1, capture_output=True, check=False)
    header, rest = out.stdout.split(b"\n", 1)
    assert (out.returncode, rest) == (0, SPAM % 1)
    assert header.startswith(b"X-Lopsided: unfiltered; ")
    assert words in out.stderr
    assert out.stderr.count(b"\n") == 1
    assert not state.exists()


@pytest.mark.parametrize("home", ["", "not/absolute"])
def test_without_a_home_folder_mail_passes(tmp_path, home):
    names = ("LOPSIDED_STATE", "XDG_STATE_HOME")
    env = {name: value for name, value in os.environ.items() if name not in names} | {"HOME": home}
    command = [sys.executable, "-m", "lopsided", "filter", "run"]
    out = subprocess.run(command, input=SPAM % 1, capture_output=True, check=False, env=env, cwd=tmp_path)
    assert (out.returncode, out.stdout.split(b"\n", 1)[1]) == (0, SPAM % 1)
    assert b"no home folder to keep the state in" in out.stderr
    assert not list(tmp_path.iterdir())


def test_a_mistake_in_the_command_line_can_ask_to_try_again(state):
    out = pipe(SPAM % 1, "--bad", "--temporary-failure")
    assert (out.returncode, out.stdout) == (75, b"")
    assert b"No such option '--bad'. Not delivered: try again." in out.stderr
    assert pipe(SPAM % 1, "--bad", "--exit-code").returncode == 0
    assert json.loads(pipe(SPAM % 1, "--bad", "--json").stdout) == {"decision": "show", "filtered": False}


def test_a_mistake_without_a_message_is_a_mistake(state, tmp_path):
    assert pipe(b"", "--bad").returncode == 2
    assert pipe(SPAM % 1, tmp_path, "--bad").returncode == 2  # a mailbox
    assert pipe(SPAM % 1, "--hma", "-", command="learn").returncode == 2


@pytest.mark.parametrize(
    ("streams", "code"), [("<&-", 75), (">&-", 75), ("2>&-", 0), ("--bad <&-", 2), ("--bad 2>&-", 0)]
)
def test_closed_streams(state, streams, code):
    out = subprocess.run(
        ["sh", "-c", f"{shlex.quote(sys.executable)} -m lopsided filter run {streams}"],
        input=HAM % 1,
        capture_output=True,
        check=False,
    )
    assert out.returncode == code
    assert b"Traceback" not in out.stderr
    if code == 0:
        assert out.stdout.startswith(b"X-Lopsided: ")
        assert out.stdout.split(b"\n", 1)[1] == HAM % 1


def test_it_fails_open_without_numpy(state, tmp_path):
    (tmp_path / "numpy.py").write_text("raise ImportError('broken installation')")
    out = pipe(SPAM % 1, env=os.environ | {"PYTHONPATH": str(tmp_path)})
    assert out.returncode == 0
    assert out.stdout == b"X-Lopsided: unfiltered; ImportError, see the log\n" + SPAM % 1


def test_what_cannot_be_delivered_is_tried_again(state):
    with open("/dev/full", "wb") as full:
        out = subprocess.run(
            [sys.executable, "-m", "lopsided", "filter", "run"],
            input=HAM % 1,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert out.returncode == 75
    assert b"could not be written" in out.stderr


def test_a_foreign_state_is_kept_and_mail_flows(state):
    state.parent.mkdir()
    state.write_bytes(b"something else")
    out = pipe(HAM % 1)
    assert out.stdout.startswith(b"X-Lopsided: show")
    assert out.stderr.count(b"\n") == 1
    assert (state.parent / "me.refused-1").read_bytes() == b"something else"
    state.write_bytes(b"something else")
    again = pipe(b"", "--json", command="report")
    assert (again.returncode, again.stdout) == (2, b"")
    assert b"Move it away" in again.stderr
    assert state.read_bytes() == b"something else"


def test_a_maildir_is_filtered_corrected_by_moving_and_gets_better(state, tmp_path, run):
    box = maildir(tmp_path / "Maildir")
    names = []
    for i in range(6):
        for kind, raw in (("ham", HAM), ("spam", SPAM)):
            (box / "new" / f"{i}.{kind}.host").write_bytes(raw % i)
            names.append(f"{i}.{kind}.host")
    assert run("run", box, "--json") == (0, {"shown": 12, "hidden": 0, "known already": 0}, "")
    assert sorted(os.listdir(box / "new")) == sorted(names)
    assert run("run", box, "--json")[1] == {"shown": 0, "hidden": 0, "known already": 12}

    for name in names:  # somebody reads the mail, and throws the spam where it belongs
        folder = box / ".Junk" if "spam" in name else box
        os.rename(box / "new" / name, folder / "cur" / f"{name}:2,S")
    nothing = {"ham": 0, "spam": 0, "known": 0, "not yet": 0, "not ours": 0}
    assert run("learn", "--moved", box, "--json")[1] == nothing | {"not yet": 12}
    assert run("learn", "--moved", box, "--after", 0, "--json")[1] == nothing | {"ham": 6, "spam": 6}
    (box / ".Junk" / "cur" / "1.spam.host:2,S").rename(box / "cur" / "1.spam.host:2,S")
    assert run("learn", "--moved", box, "--after", 0, "--json")[1] == nothing | {"ham": 1, "known": 11}
    (box / "cur" / "1.spam.host:2,S").rename(box / ".Junk" / "cur" / "1.spam.host:2,S")
    assert run("learn", "--moved", box, "--after", 0, "--json")[1] == nothing | {"spam": 1, "known": 11}
    teach_more = run("learn", "--spam", box / ".Junk", "--json")[1]
    assert teach_more == {"spam again": 6}

    for i in range(20, 26):
        (box / "new" / f"{i}.ham.host").write_bytes(HAM % i)
        (box / "new" / f"{i}.spam.host").write_bytes(SPAM % i)
    found = run("run", box, "--json")[1]
    assert found["shown"] + found["hidden"] == 12
    assert found["hidden"] >= 5  # one may be shown by exploring
    hidden = sorted(os.listdir(box / ".Junk" / "new"))
    assert len(hidden) == found["hidden"]
    assert all("spam" in name for name in hidden)
    assert (box / ".Junk" / "new" / hidden[0]).read_bytes().startswith(b"X-Lopsided: hide")
    assert not os.listdir(box / "tmp")

    (box / ".Junk" / "new" / hidden[0]).rename(box / "cur" / f"{hidden[0]}:2,S")  # a rescue
    assert run("learn", "--moved", box, "--json")[1]["ham"] == 1
    told = run("report", "--json")[1]
    assert told["counts"]["rescued"] == 1
    assert told["n_messages"] == 24


def test_a_message_keeps_its_time_its_rights_and_its_neighbours(state, tmp_path, run):
    teach(state)
    box = maildir(tmp_path / "Maildir")
    for name, raw in (("1.ham,S=100", HAM), ("2.spam,S=100", SPAM)):
        path = box / "new" / name
        path.write_bytes(raw % 95)
        path.chmod(0o640)
        os.utime(path, (10**9, 10**9))
    (box / "new" / "a folder").mkdir()
    (box / "new" / "to nowhere").symlink_to(tmp_path / "nowhere")
    assert run("run", box, "--json")[1] == {"shown": 1, "hidden": 1, "known already": 0}
    for path in (box / "new" / "1.ham", box / ".Junk" / "new" / "2.spam"):
        assert (path.stat().st_mtime, path.stat().st_mode & 0o777) == (10**9, 0o640)
        assert path.read_bytes().startswith(b"X-Lopsided: ")
    assert sorted(os.listdir(box / "new")) == ["1.ham", "a folder", "to nowhere"]
    assert not os.listdir(box / "tmp")


def test_a_message_that_is_taken_meanwhile_is_not_there_twice(state, tmp_path, run, monkeypatch):
    from lopsided.mail import _maildir

    teach(state)
    box = maildir(tmp_path / "Maildir")
    path = box / "new" / "1.spam"
    path.write_bytes(SPAM % 95)
    private = _maildir.open_private

    def while_somebody_reads(name):
        path.rename(box / "cur" / "1.spam:2,S")
        return private(name)

    monkeypatch.setattr(_maildir, "open_private", while_somebody_reads)
    assert run("run", box, "--json")[1]["hidden"] == 0
    assert [p.name for p in box.rglob("*.spam*")] == ["1.spam:2,S"]


def signs_of_lessons(state):
    from lopsided.mail._filter import MailFilter

    with MailFilter.open(state) as mine:
        return [sign for (sign,) in mine.state.rows("SELECT sign FROM lessons ORDER BY number")]


def test_moves_are_learned_in_the_order_of_arrival(state, tmp_path, run):
    """Not folder by folder: after much spam in a row, everything looks like spam."""
    box = maildir(tmp_path / "Maildir", ".Junk")
    kinds = [-1, -1, 1, -1, 1, 1, -1]
    for i, kind in enumerate(kinds):
        (box / "new" / f"{i}.host").write_bytes((HAM if kind > 0 else SPAM) % i)
    run("run", box)
    for i, kind in enumerate(kinds):
        name = f"{9 - i}.host:2,S"  # names and their order say nothing
        (box / "new" / f"{i}.host").rename((box if kind > 0 else box / ".Junk") / "cur" / name)
    told = run("learn", "--moved", box, "--after", 0, "--json")[1]
    assert (told["ham"], told["spam"]) == (3, 4)
    assert signs_of_lessons(state) == [1, -1, -1, -1, 1, 1, -1]  # the first ham, then all as they came


def test_moved_spam_waits_for_the_first_ham(state, tmp_path, run):
    box = maildir(tmp_path / "Maildir", ".Junk")
    (box / "new" / "0.host").write_bytes(SPAM % 0)
    run("run", box)
    (box / "new" / "0.host").rename(box / ".Junk" / "cur" / "0.host:2,S")
    assert run("learn", "--moved", box, "--after", 0, "--json")[1]["not yet"] == 1
    assert signs_of_lessons(state) == []


@pytest.mark.parametrize("command", ["learn", "train"])
def test_folders_of_both_kinds_are_learned_side_by_side(state, tmp_path, run, command):
    for name, raw in (("good", HAM), ("bad", SPAM)):
        (tmp_path / name).mkdir()
        for i in range(4 if name == "good" else 2):
            (tmp_path / name / str(i)).write_bytes(raw % i)
    assert run(command, "--spam", tmp_path / "bad", "--ham", tmp_path / "good")[0] == 0
    assert signs_of_lessons(state) == [1, -1, 1, 1, -1, 1]


def test_a_deleted_message_says_nothing(state, tmp_path, run):
    box = maildir(tmp_path / "Maildir", ".Trash", ".Archive")
    for i in range(3):
        (box / "new" / f"{i}.host").write_bytes(HAM % i)
    run("run", box)
    (box / "new" / "0.host").rename(box / "cur" / "0.host:2,ST")
    (box / "new" / "1.host").rename(box / ".Trash" / "cur" / "1.host:2,S")
    (box / "new" / "2.host").rename(box / ".Archive" / "cur" / "2.host:2,")
    told = run("learn", "--moved", box, "--after", 0, "--json")[1]
    assert (told["ham"], told["spam"], told["not yet"]) == (1, 0, 2)


def test_an_mbox_is_filtered_and_corrected(state, tmp_path, run):
    teach(state)
    line = b"From somebody Mon Jan  1 00:00:00 2024\n"
    box, junk = tmp_path / "inbox", tmp_path / "junk"
    parts = [line + raw % i + b"\n" for i in range(80, 83) for raw in (HAM, SPAM)]
    box.write_bytes(b"".join(parts))
    assert run("run", box)[0] == 2
    told = run("run", box, "--hidden", junk, "--json")[1]
    assert told == {"shown": 3, "hidden": 3, "known already": 0}
    assert box.read_bytes().count(line + b"X-Lopsided: show") == 3
    assert junk.read_bytes().count(line + b"X-Lopsided: hide") == 3
    assert sorted(os.listdir(tmp_path)) == ["inbox", "junk", "state"]
    again = run("run", box, "--hidden", junk, "--json")[1]
    assert again == {"shown": 0, "hidden": 0, "known already": 3}
    box.write_bytes(box.read_bytes() + junk.read_bytes())  # somebody wants them all
    junk.write_bytes(b"")
    moved = run("learn", "--moved", box, "--hidden", junk, "--json")[1]
    assert (moved["ham"], moved["not yet"]) == (3, 3)


def test_an_mbox_keeps_its_rights_and_messages_stay_apart(state, tmp_path, run):
    teach(state)
    box, junk, other = tmp_path / "inbox", tmp_path / "junk", tmp_path / "other"
    line = b"From somebody Mon Jan  1 00:00:00 2024\n"
    box.write_bytes(line + SPAM % 90 + b"\n" + line + HAM % 90)
    box.chmod(0o620)
    junk.write_bytes(line + b"Subject: no line end")
    other.write_bytes(b"not to be touched")
    (tmp_path / ".inbox.lopsided-kept").symlink_to(other)
    assert run("run", box, "--hidden", junk, "--json")[1]["hidden"] == 1
    assert box.stat().st_mode & 0o777 == 0o620
    assert junk.read_bytes().count(b"\n\n" + line) == 1
    assert other.read_bytes() == b"not to be touched"
    junk.unlink()
    box.write_bytes(line + SPAM % 91 + b"\n")
    run("run", box, "--hidden", junk)
    assert junk.stat().st_mode & 0o777 == 0o600


def test_a_lock_that_was_forgotten_is_broken(state, tmp_path, run):
    box = tmp_path / "inbox"
    box.write_bytes(b"From me\n" + HAM % 80)
    (tmp_path / "inbox.lock").touch()
    os.utime(tmp_path / "inbox.lock", (time.time() - 3600,) * 2)
    assert run("run", box, "--hidden", tmp_path / "junk")[0] == 0
    assert not (tmp_path / "inbox.lock").exists()


def test_an_mbox_that_changes_or_is_locked_stays_as_it_is(state, tmp_path, run, monkeypatch):
    from lopsided.mail import _mbox

    teach(state)
    box, junk = tmp_path / "inbox", tmp_path / "junk"
    box.write_bytes(b"From me\n" + SPAM % 80 + b"\nFrom me\n" + SPAM % 81)
    (tmp_path / "inbox.lock").touch()
    code, _, err = run("run", box, "--hidden", junk)
    assert (code, "locked by another program" in err) == (2, True)
    (tmp_path / "inbox.lock").unlink()
    spans = _mbox.spans

    def while_somebody_writes(file):
        yield from spans(file)
        with box.open("ab") as end:
            end.write(b"\nFrom me\n" + HAM % 82)

    monkeypatch.setattr(_mbox, "spans", while_somebody_writes)
    before = box.read_bytes()
    code, _, err = run("run", box, "--hidden", junk)
    assert (code, "was changed while it was read" in err) == (2, True)
    assert box.read_bytes() == before + b"\nFrom me\n" + HAM % 82
    assert not junk.exists()


def test_train_report_inspect_export_import(state, tmp_path, run, monkeypatch):
    for label, raw in (("ham", HAM), ("spam", SPAM)):
        (tmp_path / label).mkdir()
        for i in range(8):
            (tmp_path / label / f"{i}.eml").write_bytes(raw % i)
    options = ("--ham", tmp_path / "ham", "--spam", tmp_path / "spam", "--explorer", "none")
    assert run("train", *options, "--json") == (0, {"ham": 8, "spam": 8}, "")
    assert run("train", *options)[0] == 2
    assert pipe(SPAM % 90).stdout.startswith(b"X-Lopsided: hide")
    assert pipe(HAM % 90).stdout.startswith(b"X-Lopsided: show")
    page = tmp_path / "page.html"
    told = run("report", "--html", page, "--json")[1]
    assert (told["n_messages"], told["counts"]["hidden"], told["missed"]["value"]) == (2, 1, None)
    assert told["days"][0]["day"] == time.strftime("%Y-%m-%d", time.gmtime())
    assert "<svg" in page.read_text()
    assert "because the explorer is 'none': 1 message was hidden" in told["not_known"]
    lines = run("report")[1]
    assert "ham that was hidden: not known yet, because the explorer is 'none'" in lines
    assert "0 to 1" not in lines
    assert max(map(len, lines.splitlines())) <= 80
    assert "not known yet" in page.read_text()
    looked = run("inspect", "--json")[1]
    assert looked["settings"]["explorer"] == "none"
    assert "messages decided: 2" in run("inspect")[1]
    copy = tmp_path / "copy"
    assert run("export", copy)[0] == 0
    assert run("import", copy)[0] == 2  # there is a state
    monkeypatch.setenv("LOPSIDED_STATE", str(tmp_path / "elsewhere" / "me"))
    assert run("report")[0] == 2
    assert run("import", copy)[0] == 0
    assert run("inspect", "--json")[1]["messages decided"] == 2


def test_explain_names_words_for_ham_and_for_spam(state, run):
    from lopsided.mail._explain import explain
    from lopsided.mail._filter import MailFilter

    teach(state)
    with MailFilter.open(state) as mine:
        for raw, other in (
            (HAM % 90, "hide"),
            (SPAM % 90, "show"),
            (b"", None),
            (b"abc", None),
            (b"\xff\0 x\n" * 999, None),
        ):
            told = explain(mine, raw)
            whole = sum(one.adds for one in told.words) + told.space + told.constant
            assert whole == pytest.approx(told.score, abs=1e-6)
            decided = mine.decide(raw)
            assert told.score == pytest.approx(decided.decision.score)
            assert told.decision == decided.word != other
    before = run("inspect", "--json")[1]
    spam = json.loads(pipe(b"X-Lopsided: show\n" + SPAM % 91, "--json", command="explain").stdout)
    assert spam["decision"] == "hide"
    assert {"cheap", "prescription!"} & {word["text"] for word in spam["for_spam"]}
    assert "X-Lopsided:" not in str(spam)
    assert 0 < len(spam["for_spam"]) <= 10 <= spam["n_words"]
    shown = pipe(HAM % 91, "--top", "3", command="explain").stdout.decode()
    assert shown.startswith("decision: show (score +")
    assert "for ham, 3 of " in shown
    assert "lunch" in shown
    assert run("inspect", "--json")[1] == before  # nothing learned, nothing counted


def test_explain_prints_no_control_characters_and_fits_the_terminal(state):
    teach(state)
    raw = b"Subject: \x1b[2Jlunch " + b"w" * 500 + b"\n\nlunch"
    lines = pipe(raw, command="explain").stdout.decode()
    assert "\x1b" not in lines
    assert max(map(len, lines.splitlines())) <= 80


def test_explain_needs_a_state_and_a_message(state, run):
    missing = pipe(HAM % 1, command="explain")
    assert (missing.returncode, b"It appears with the first" in missing.stderr) == (2, True)
    teach(state)
    empty = pipe(b"", command="explain")
    assert (empty.returncode, b"is empty" in empty.stderr) == (2, True)


def test_a_report_over_weeks_shows_drift_and_days_without_mail(state, tmp_path, run, monkeypatch):
    from lopsided.mail import _filter

    teach(state)
    with _filter.MailFilter.open(state) as mine:
        for day in (20_000, 20_001, 20_010, 20_030):  # Friday, 4 October 2024, and later
            monkeypatch.setattr(_filter.time, "time", lambda day=day: 86_400.0 * day)
            mine.learn("ham", id=mine.decide(HAM % day).id)
            rescued = mine.decide(SPAM % day).id
        mine.learn("ham", id=rescued)
    monkeypatch.undo()
    page = tmp_path / "page.html"
    told = run("report", "--html", page, "--json", "--state", state)[1]
    assert told["since"] == "2024-10-04"
    assert [week["monday"] for week in told["weeks"]] == ["2024-09-30", "2024-10-14", "2024-10-28"]
    assert [week["hidden"] for week in told["weeks"]] == [0.5, 0.5, 0.5]
    assert (told["missed"]["low"], told["missed"]["high"]) == (1, 4)  # one was rescued
    drawn = page.read_text()
    assert 'viewBox="0 0 310 100"' in drawn  # 31 days
    assert drawn.count("<tr>") == 4
    assert "week of" in run("report", "--state", state)[1]


def test_the_report_says_how_much_mail_an_estimate_of_hidden_ham_takes(state, run):
    from lopsided.mail._filter import MailFilter

    teach(state)
    run("set", "--explorer", "epsilon-greedy:0.05", "--no-guard")
    with MailFilter.open(state) as mine, mine.turn():
        for i in range(20):
            mine.decide(SPAM % i)
    told = run("report", "--json")[1]
    n = told["counts"]["hidden"]
    assert told["missed"]["high"] == n  # as many as there are
    assert f"{n} messages were hidden" in told["not_known"]
    assert "about 60 hidden messages" in told["not_known"]
    with MailFilter.open(state) as mine, mine.turn():
        for i in range(100):
            mine.decide(SPAM % i)
    told = run("report", "--json")[1]
    assert (told["not_known"], told["missed"]["high"] <= 60) == (None, True)
    assert "ham that was hidden: about 0 (0 to " in run("report")[1]


def test_set_changes_the_explorer_of_a_state(state, run):
    teach(state)
    as_made = {"learner": "relaxed-svm", "explorer": "none", "guard": True}
    assert run("set", "--json") == (0, as_made, "")
    changed = run("set", "--explorer", "epsilon-greedy:1", "--no-guard", "--json")
    assert changed == (0, as_made | {"explorer": "epsilon-greedy:1.0", "guard": False}, "")
    assert "explorer: epsilon-greedy:1.0" in run("set")[1]
    assert pipe(SPAM % 90).stdout.startswith(b"X-Lopsided: show; explored")
    assert run("set", "--explorer", "none", "--json")[1]["guard"] is False
    assert pipe(SPAM % 90).stdout.startswith(b"X-Lopsided: hide")
    code, _, err = run("set", "--learner", "margin-perceptron")
    assert (code, "cannot become 'margin-perceptron'. Make a new state with" in err) == (2, True)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("set", "--explorer", "none"), "It appears with the first"),
        (("learn",), "say which messages"),
        (("run", "nowhere"), "no mailbox 'nowhere'"),
        (("run", ".", "--exit-code"), "for one message, without MAILBOX"),
        (("train", "--learner", "bayes"), "There are: relaxed-svm"),
        (("report",), "It appears with the first"),
        (("learn", "--ham", "nowhere"), "no mailbox 'nowhere'"),
    ],
)
def test_mistakes_are_one_line(state, run, argv, words):
    code, out, err = run(*argv)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_the_command_loads_no_scikit_learn(state):
    code = (
        "import sys; from lopsided.cli import main; main(['filter', 'run']); "
        "print(*sorted({m.split('.')[0] for m in sys.modules}), file=sys.stderr)"
    )
    out = subprocess.run([sys.executable, "-c", code], input=HAM % 1, capture_output=True, check=True)
    assert not {"sklearn", "rich", "jinja2", "pandas", "matplotlib"} & set(out.stderr.decode().split())


@pytest.mark.parametrize("form", [".Spam", "{box}/.Spam"])
def test_another_hidden_folder_is_the_same_for_both_commands(state, tmp_path, run, form):
    teach(state)
    box = maildir(tmp_path / "Maildir")
    for i in range(5):
        (box / "new" / f"{i}.host").write_bytes(SPAM % i)
    hidden = form.format(box=box)
    n_hidden = run("run", box, "--hidden", hidden, "--json")[1]["hidden"]
    assert n_hidden >= 4
    assert len(os.listdir(box / ".Spam" / "new")) == n_hidden
    told = run("learn", "--moved", box, "--hidden", hidden, "--json")[1]
    assert (told["ham"], told["spam"]) == (0, 0)


def test_a_hidden_folder_elsewhere_is_refused(state, tmp_path, run):
    box = maildir(tmp_path / "Maildir")
    for hidden in (tmp_path / "elsewhere", "Spam"):
        assert run("run", box, "--hidden", hidden)[0] == 2
        assert run("learn", "--moved", box, "--hidden", hidden, "--ham", box)[0] == 2


@pytest.mark.parametrize("folder", [".Trash", ".INBOX.Trash", ".Deleted Items", ".Spam", ".Junk E-mail"])
def test_bins_and_junk_of_other_programs_say_nothing(state, tmp_path, run, folder):
    teach(state)
    box = maildir(tmp_path / "Maildir", folder)
    (box / "new" / "1.host").write_bytes(HAM % 1)
    run("run", box)
    (box / "new" / "1.host").rename(box / folder / "cur" / "1.host:2,S")
    told = run("learn", "--moved", box, "--after", 0, "--json")[1]
    assert (told["ham"], told["spam"]) == (0, 0)


def test_an_mbox_stays_the_same_file_also_behind_a_link(state, tmp_path, run):
    teach(state)
    (tmp_path / "real").mkdir()
    real = tmp_path / "real" / "mbox"
    real.write_bytes(b"From a\n" + HAM % 1 + b"\n\nFrom b\n" + SPAM % 2 + b"\n\n")
    number = real.stat().st_ino
    (tmp_path / "link").symlink_to(real)
    assert run("run", tmp_path / "link", "--hidden", tmp_path / "junk", "--json")[1]["shown"] == 1
    assert (tmp_path / "link").is_symlink()
    assert real.stat().st_ino == number
    assert real.read_bytes().count(b"X-Lopsided: show") == 1
    assert sorted(path.name for path in (tmp_path / "real").iterdir()) == ["mbox"]


def test_a_missing_folder_leaves_no_state(state, tmp_path, run):
    for command in ("train", "learn"):
        assert run(command, "--ham", tmp_path / "nowhere")[0] == 2
        assert not state.exists()


@pytest.mark.parametrize("words", [["filtre", "run"], ["filter", "run", "anna"]])
def test_other_mistakes_lose_no_message_either(words):
    done = subprocess.run(
        [sys.executable, "-m", "lopsided", *words], input=HAM % 1, capture_output=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout.startswith(b"X-Lopsided: unfiltered;")
    assert done.stdout.endswith(HAM % 1)
    assert done.stderr.count(b"\n") == 1


def test_the_service_for_mail_servers_is_no_delivery():
    words = ["filter", "lmtp", "--lisen", "x"]
    done = subprocess.run(
        [sys.executable, "-m", "lopsided", *words], input=HAM % 1, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, b"")


def test_two_runs_over_a_maildir_judge_each_message_once(state, tmp_path, run):
    teach(state)
    before = run("report", "--json")[1]["n_messages"]
    box = maildir(tmp_path / "Maildir")
    for i in range(60):
        (box / "new" / f"{i}.host").write_bytes(HAM % i)
    call = [sys.executable, "-m", "lopsided", "filter", "run", str(box), "--state", str(state)]
    runs = [subprocess.Popen(call, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [one.wait() for one in runs] == [0, 0, 0]
    assert run("report", "--json")[1]["n_messages"] == before + 60
