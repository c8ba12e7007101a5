"""A real Postfix delivers through the LMTP service; while that is away, Postfix keeps the mail."""

import os
import shutil
import smtplib
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
MASTER = """\
127.0.0.1:{port} inet n - n - - smtpd
pickup  unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr    unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce  unix - - n - 0 bounce
defer   unix - - n - 0 bounce
trace   unix - - n - 0 bounce
verify  unix - - n - 1 verify
flush   unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
showq   unix n - n - - showq
error   unix - - n - - error
retry   unix - - n - - error
lmtp    unix - - n - - lmtp
anvil   unix - - n - 1 anvil
scache  unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""
MAIN = """\
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
myhostname = mail.example.org
mydestination =
alias_maps =
local_recipient_maps =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtpd_relay_restrictions = reject_unauth_destination
virtual_mailbox_domains = example.org
virtual_mailbox_maps = inline:{{ anna@example.org=x, bert@example.org=x }}
virtual_transport = lmtp:inet:127.0.0.1:{lmtp}
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.fixture
def postfix():
    """A Postfix of its own beside any other: its folder, its port, and the port it delivers to."""
    if shutil.which("postfix", path=PATH) is None:
        pytest.skip("Postfix is not installed")
    if os.geteuid() != 0:
        pytest.skip("only root can start Postfix")
    # Not in tmp_path: the processes of Postfix that are not root must get there.
    with tempfile.TemporaryDirectory(prefix="lopsided-postfix-", dir="/tmp") as name:
        folder, port, lmtp = Path(name), free_port(), free_port()
        folder.chmod(0o755)
        for part in ("queue", "data", "conf"):
            (folder / part).mkdir(mode=0o755)
        shutil.chown(folder / "data", "postfix", "postfix")
        (folder / "conf" / "main.cf").write_text(MAIN.format(folder=folder, lmtp=lmtp))
        (folder / "conf" / "master.cf").write_text(MASTER.format(port=port))
        run(folder, "postfix", "start")
        try:
            wait_for(lambda: _answers(port))
            yield folder, port, lmtp
        finally:
            run(folder, "postfix", "stop")


def run(folder, command, *options):
    done = subprocess.run(
        [shutil.which(command, path=PATH), "-c", folder / "conf", *options],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": PATH},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def wait_for(what):
    end = time.monotonic() + 60
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)


def _answers(port):
    with socket.socket() as peer:
        return peer.connect_ex(("127.0.0.1", port)) == 0


def send(port, *recipients, text):
    with smtplib.SMTP("127.0.0.1", port, local_hostname="localhost", timeout=30) as client:
        client.sendmail("x@elsewhere.org", recipients, text)


@contextmanager
def service(port, mail, states):
    options = ["--listen", f"127.0.0.1:{port}", "--next", f"maildir:{mail}", "--states", states]
    start = [sys.executable, "-m", "lopsided", "filter", "lmtp", *options]
    process = subprocess.Popen(start, stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline().startswith(b"listening: ")
        yield process
    finally:
        process.kill()
        process.communicate(timeout=60)


def stored(box):
    return sorted((box / "new").iterdir()) if (box / "new").is_dir() else []


def test_postfix_delivers_and_keeps_what_cannot_be_delivered(postfix, tmp_path):
    folder, port, lmtp = postfix
    mail, states = tmp_path / "mail", tmp_path / "states"
    anna, bert = mail / "anna@example.org", mail / "bert@example.org"
    anna.mkdir(parents=True)
    with service(lmtp, mail, states):
        text = "X-Lopsided: hide; forged\r\nSubject: one\r\n\r\n.a dot\r\n"
        send(port, "anna@example.org", "bert@example.org", text=text)
        wait_for(lambda: stored(anna))
        (message,) = (path.read_text() for path in stored(anna))
        assert message.count("X-Lopsided:") == 1
        assert "X-Lopsided: show; score=+0.0000; id=" in message
        assert "\nSubject: one\n" in message
        assert message.endswith("\n\n.a dot\n")
        wait_for(lambda: "bert@example.org" in run(folder, "postqueue", "-j"))  # has no Maildir yet
        with pytest.raises(smtplib.SMTPRecipientsRefused):
            send(port, "carl@example.org", text="Subject: nobody\r\n\r\n")
    # Killed, as by now: what comes waits with Postfix.
    send(port, "anna@example.org", text="Subject: two\r\n\r\n")
    wait_for(lambda: run(folder, "postqueue", "-j").count("delay_reason") == 2)
    assert len(stored(anna)) == 1
    bert.mkdir()
    with service(lmtp, mail, states):
        run(folder, "postqueue", "-f")
        wait_for(lambda: len(stored(anna)) == 2 and stored(bert))
        wait_for(lambda: not run(folder, "postqueue", "-j"))
        assert len(stored(bert)) == 1
