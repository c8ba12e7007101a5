import csv
import json
import subprocess
import sys
import warnings

import pytest

from lopsided.cli import main


def test_help_fits_one_screen(capsys):
    assert main(["--help"]) == 0
    screen = capsys.readouterr().out
    assert len(screen.splitlines()) <= 24
    for name in ("demo", "data", "find", "label", "bench"):
        assert name in screen


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["dmeo"], "no command 'dmeo'. Did you mean 'demo'?"),
        (["frobnicate"], "no command 'frobnicate'. 'lopsided --help' lists them."),
        (["demo", "--jsn"], "--json"),
        (["bench", "nonsense"], "no benchmark 'nonsense'. There are: bytegrams"),
        (["data", "fetch", "reuter21578"], "reuters21578"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(argv, words, capsys):
    assert main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("lopsided: ")
    assert err.count("\n") == 1
    assert words in err


def test_what_was_typed_cannot_drive_the_terminal(capsys):
    assert main(["\x1b[2Jdemo\x07"]) == 2
    assert capsys.readouterr().err.startswith("lopsided: no command '\\x1b[2Jdemo\\x07'.")


def test_errors_of_the_library_are_one_line_too(monkeypatch, capsys):
    monkeypatch.setenv("LOPSIDED_DATA", "/nowhere/at/all")
    assert main(["data", "verify", "letter"]) == 2
    err = capsys.readouterr().err
    assert "LOPSIDED_DATA" in err
    assert err.count("\n") == 1


def test_version(capsys):
    assert main(["--version"]) == 0
    assert "lopsided, version" in capsys.readouterr().out


def test_the_installed_command_runs():
    run = subprocess.run(
        [sys.executable, "-m", "lopsided", "bench", "--list", "--json"], capture_output=True, check=True
    )
    assert "bytegrams" in json.loads(run.stdout)


def test_a_reader_that_has_gone_is_no_traceback():
    command = [sys.executable, "-m", "lopsided", "data", "list", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        run.stdout.close()  # before anything is written
        assert run.stderr.read() == ""
    assert run.returncode != 0


@pytest.mark.parametrize(("argv", "words"), [([], "demo"), (["data"], "verify")])
def test_without_a_command_there_is_help(argv, words, capsys):
    assert main(argv) == 0
    screen = capsys.readouterr().out
    assert screen.startswith("Usage: lopsided")
    assert words in screen
    assert len(screen.splitlines()) > 5


def test_a_warning_is_one_line(monkeypatch, capsys):
    import lopsided.cli._bench as bench

    def warned(name, only):
        warnings.warn("a copy is damaged\nand was fetched again", stacklevel=2)
        return iter(())

    monkeypatch.setattr(bench, "run", warned)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert main(["bench", "imports"]) == 0
    assert "lopsided: a copy is damaged and was fetched again\n" in capsys.readouterr().err


def test_interrupting_is_one_line(monkeypatch, capsys):
    import lopsided.cli._bench as bench

    def interrupted(name, only):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(bench, "run", interrupted)
    assert main(["bench", "imports"]) == 130
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize("kind", [csv.Error, RuntimeError, KeyError])
def test_an_error_that_nobody_expected_cannot_drive_the_terminal(kind, monkeypatch, capsys):
    import lopsided.cli._bench as bench

    def fail(name, only):
        raise kind("field \x1b[2J\x9b31m larger than the limit")

    monkeypatch.setattr(bench, "run", fail)
    assert main(["bench", "imports"]) == 1
    err = capsys.readouterr().err
    assert "\nTraceback" in err
    assert kind.__name__ in err
    assert "\\x1b[2J" in err.replace("\\\\", "\\")
    assert not set("\x1b\x9b") & set(err)
