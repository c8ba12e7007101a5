"""``lopsided serve``: what it refuses, what it says, and that it serves."""

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from lopsided.cli import main
from lopsided.store import open_store
from web.served import wait_for


def told(capsys):
    text = capsys.readouterr().err.strip()
    assert "\n" not in text
    return text


def test_it_wants_a_project_or_the_demonstration(capsys):
    assert main(["serve"]) == 2
    assert "name a project" in told(capsys)
    assert main(["serve", "a.db", "--demo"]) == 2


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example"])
def test_others_are_not_let_in_without_accounts(tmp_path, capsys, host):
    assert main(["serve", str(tmp_path / "a.db"), "--host", host]) == 2
    assert "--add-user NAME" in told(capsys)


def test_a_port_in_use_is_one_line(tmp_path, capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["serve", str(tmp_path / "a.db"), "--port", str(port)]) == 2
    assert f"port {port}" in (line := told(capsys))
    assert "another program uses it" in line


def test_without_the_packages_one_line_says_how_to_get_them(capsys, monkeypatch):
    monkeypatch.setattr("lopsided.cli._serve.is_installed", lambda name: name != "fastapi")
    assert main(["serve", "a.db"]) == 2
    assert "pip install 'lopsided[web]'" in told(capsys)


def test_a_file_that_is_no_project(tmp_path, capsys):
    path = tmp_path / "a.db"
    path.write_text("not a database, but long enough to be looked at as one" * 50)
    assert main(["serve", str(path)]) == 2
    assert "is not a project" in told(capsys)


@pytest.mark.parametrize(
    ("python", "message"), [("/nowhere/python", "cannot run"), (sys.executable, "Install it there")]
)
def test_an_asreview_that_is_not_there_is_one_line(tmp_path, capsys, python, message):
    assert main(["serve", str(tmp_path / "a.db"), "--asreview", python]) == 2
    assert message in told(capsys)


def test_accounts_and_tokens_from_the_shell(tmp_path, capsys, monkeypatch):
    path = str(tmp_path / "a.db")
    monkeypatch.setattr("click.prompt", lambda *_, **__: "correct horse")
    main(["serve", path, "--add-user", "Ada"])
    main(["serve", path, "--add-token", "Ada"])
    token = capsys.readouterr().out.strip()
    with open_store(path) as store:
        assert store.check_password("Ada", "correct horse").admin
        assert store.user_of_token(token).name == "Ada"


def start(path, *arguments):
    command = [sys.executable, "-m", "lopsided", "serve", str(path), "--port", "0", "--json", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    assert line, process.stderr.read()
    return process, json.loads(line)["address"]


def ask(address, path, values=None):
    body = None if values is None else json.dumps(values).encode()
    request = urllib.request.Request(address + path, body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def is_ready(address):
    try:
        ask(address, "api/next")
    except urllib.error.HTTPError as error:
        if error.code != 503:
            raise
        return False
    return True


def test_killed_at_any_moment_it_keeps_every_answer_that_it_confirmed(project):
    """The whole command, killed between two answers; test_kills.py kills it while it answers."""
    confirmed = []
    for round in range(2):
        process, address = start(project)
        try:
            wait_for(lambda address=address: is_ready(address))
            for i in range(2 + round):
                shown = ask(address, "api/next")
                values = {name: shown[name] for name in ("item", "token", "reason")}
                ask(address, "api/answers", values | {"label": 1})
                confirmed.append(shown["item"])
                if i == round:
                    ask(address, "api/answers", values | {"label": 1})  # the reply was lost, say
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
    with open_store(project) as store:
        assert list(store.current()) == sorted(confirmed)
        assert store.n_events == len(set(confirmed)) == len(confirmed)


def test_ctrl_c_ends_it(project):
    process, address = start(project)
    wait_for(lambda: is_ready(address))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode in (0, 130)
