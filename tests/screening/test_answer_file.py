import json

import pytest

from lopsided.screening._answer_file import AnswerFile

HEADER = {"table": "mails.csv", "question": "Is it spam?"}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "mails.labels.jsonl"


def write(path, *records):
    file = AnswerFile(path)
    for record in records:
        file.append(record, header=HEADER)
    file.close()


def read(path):
    file = AnswerFile(path)
    file.close()
    return file


def test_what_was_written_is_read(path):
    write(path, {"answer": "yes"}, {"answer": "né\n"})
    write(path, {"answer": "skip"})
    file = read(path)
    assert file.records == [{"answer": "yes"}, {"answer": "né\n"}, {"answer": "skip"}]
    assert file.header == {"lopsided": "answers", "version": 1, **HEADER}
    assert file.n_broken == 0
    assert len(path.read_bytes().splitlines()) == 4  # one header, whatever the number of sessions


def test_an_answer_is_in_the_file_before_append_returns(path):
    file = AnswerFile(path)
    for n in (2, 3):
        file.append({"answer": "yes"}, header=HEADER)
        assert path.read_bytes().count(b"\n") == n
    file.close()


@pytest.mark.parametrize("torn", [b'{"answer": "ye', b"\xff\xfe", b"[1]", b"[" * 5000])
def test_a_torn_last_line_is_left_out_and_ended(path, torn):
    write(path, {"answer": "yes"})
    with open(path, "ab") as file:
        file.write(torn)
    assert read(path).records == [{"answer": "yes"}]
    write(path, {"answer": "no"})
    file = read(path)
    assert file.records == [{"answer": "yes"}, {"answer": "no"}]
    assert file.n_broken == 1


def test_a_whole_last_line_without_its_end_counts(path):
    write(path, {"answer": "yes"})
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    write(path, {"answer": "no"})
    file = read(path)
    assert file.records == [{"answer": "yes"}, {"answer": "no"}]
    assert file.n_broken == 0


@pytest.mark.parametrize("size", [0, 1, 10, 40])
def test_a_torn_first_line_is_begun_again(path, size):
    write(path, {"answer": "yes"})
    path.write_bytes(path.read_bytes()[:size])
    write(path, {"answer": "no"})
    assert read(path).records == [{"answer": "no"}]


@pytest.mark.parametrize(
    "content",
    [b"id,text\n1,hello\n", b'{"text": "a document"}\n', b"hello", b"\n", b"[1]\n", b'{"lopsided": 1}\n'],
)
def test_another_kind_of_file_is_refused_and_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"is not a file of answers. Name another .*--out"):
        AnswerFile(path)
    assert path.read_bytes() == content


def test_a_newer_version_is_refused(path):
    path.write_text(json.dumps({"lopsided": "answers", "version": 2}) + "\n")
    with pytest.raises(ValueError, match="is of version 2, and 1 can be read"):
        AnswerFile(path)


def test_one_session_at_a_time(path):
    file = AnswerFile(path)
    with pytest.raises(BlockingIOError, match=r"in use by another session. End that one, or .*--out"):
        AnswerFile(path)
    file.append({"answer": "yes"}, header=HEADER)
    file.close()
    assert read(path).records == [{"answer": "yes"}]


def test_a_file_without_answers_is_removed(path):
    AnswerFile(path).close()
    assert not path.exists()
    write(path, {"answer": "yes"})
    AnswerFile(path).close()
    assert path.exists()


def test_closing_twice_leaves_what_another_session_made(path):
    file = AnswerFile(path)
    file.close()
    write(path, {"answer": "yes"})
    file.close()
    assert path.exists()


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere" / "labels.jsonl"):
        with pytest.raises(OSError, match=r"cannot write .* \(.*\). Name another file .*--out"):
            AnswerFile(path)


def test_a_full_disk_is_said(path):
    file = AnswerFile(path)

    class Full:
        def write(self, data):
            return len(data) - 1

    whole, file._file = file._file, Full()
    with pytest.raises(OSError, match="the disk is full"):
        file.append({"answer": "yes"}, header=HEADER)
    whole.close()
