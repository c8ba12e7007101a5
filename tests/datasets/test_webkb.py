import io
import lzma
import tarfile

import pytest

from lopsided.datasets import DataUnavailable, _webkb, fetch_webkb, verify
from lopsided.datasets._webkb import parse_archive

PAGE = b"MIME-Version: 1.0\r\nServer: Toy/1\r\n\r\n<html>hello</html>\r\n"
FILES = {
    "webkb/student/misc/http:^^toy.example^~me^": PAGE,
    "webkb/course/texas/http:^^toy.example^cs1.html": b"a\n\n" + b"x" * 30_000,
    "webkb/README": b"not a page",
}


def test_parse_archive(make_tar):
    with tarfile.open(fileobj=io.BytesIO(make_tar(FILES))) as archive:
        course, student = parse_archive(archive)
    assert student == {
        "id": 1,
        "category": "student",
        "university": "misc",
        "url": "http://toy.example/~me/",
        "raw": "MIME-Version: 1.0\nServer: Toy/1\n\n<html>hello</html>\n",
        "n_bytes": len(PAGE),
    }
    assert (course["id"], course["category"], course["university"]) == (0, "course", "texas")
    assert (len(course["raw"]), course["n_bytes"]) == (20_000, 30_003)


def test_small_archive_is_refused(empty_machine, monkeypatch, make_tar):
    def download(url, folder):
        path = folder / "webkb.tar.gz"
        path.write_bytes(make_tar(FILES))
        return path

    monkeypatch.setattr(_webkb, "download", download)
    with pytest.raises(DataUnavailable, match=r"pages: expected 8,282, found 2"):
        fetch_webkb()


def test_archive_that_is_none(empty_machine, monkeypatch):
    def download(url, folder):
        path = folder / "webkb.tar.gz"
        path.write_bytes(b"<html>Not found</html>")
        return path

    monkeypatch.setattr(_webkb, "download", download)
    with pytest.raises(DataUnavailable, match="webkb could not be fetched"):
        fetch_webkb()


@pytest.mark.parametrize("line", [b"null", b"3"])
def test_line_that_is_no_page_names_the_file(empty_machine, line):
    path = empty_machine / "webkb" / "webkb.jsonl.xz"
    path.parent.mkdir(parents=True)
    path.write_bytes(lzma.compress(line + b"\n"))
    with pytest.raises(DataUnavailable, match=r"webkb\.jsonl\.xz could not be read \(expected an object"):
        fetch_webkb()
    assert "webkb.jsonl.xz could not be read" in verify("webkb").error


def test_real_pages(need):
    need("webkb")
    bunch = fetch_webkb()
    assert len(bunch.data) == len(bunch.target) == len(bunch.universities) == 8282
    assert (bunch.target == bunch.target_names.index("student")).sum() == 1641
    assert (bunch.universities == "cornell").sum() == 867
