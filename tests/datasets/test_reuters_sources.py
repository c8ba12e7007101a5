"""An invented SGML file in the format of the distribution."""

from lopsided.datasets import _reuters_sources
from lopsided.datasets._reuters_sources import FIELDS, build_cleaned, build_from_sgml, parse_sgml

SGML = """<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="901" NEWID="11">
<DATE>30-FEB-1987 10:00:00.00</DATE>
<TOPICS><D>tin</D><D>cork</D></TOPICS>
<PLACES><D>atlantis</D></PLACES>
<PEOPLE></PEOPLE>
<ORGS></ORGS>
<EXCHANGES></EXCHANGES>
<COMPANIES></COMPANIES>
<UNKNOWN>
&#5;&#5;&#5;C T
&#22;&#22;&#1;f0001&#31;reute</UNKNOWN>
<TEXT>&#2;
<TITLE>TIN &amp; CORK &lt;TCK> RISE</TITLE>
<DATELINE>    ATLANTIS, Feb 30 - </DATELINE><BODY>Tin rose.
    So did cork, said the Reuter man.
 Reuter
&#3;</BODY></TEXT>
</REUTERS>
<REUTERS TOPICS="NO" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="902" NEWID="12">
<DATE>30-FEB-1987 10:01:00.00</DATE>
<TOPICS></TOPICS>
<TEXT TYPE="BRIEF">&#2;
<TITLE>CORK FALLS AGAIN</TITLE>
Reuter
&#3;</TEXT>
</REUTERS>
<REUTERS TOPICS="YES" LEWISSPLIT="TEST" CGISPLIT="TRAINING-SET" OLDID="903" NEWID="13">
<DATE>30-FEB-1987 10:02:00.00</DATE>
<TOPICS></TOPICS>
<TEXT TYPE="UNPROC">&#2;
CORK TABLE
 a....1
&#3;</TEXT>
</REUTERS>
<REUTERS TOPICS="BYPASS" LEWISSPLIT="TEST" CGISPLIT="TRAINING-SET" OLDID="904" NEWID="14">
<TOPICS></TOPICS><TEXT><TITLE>X</TITLE><BODY>Y</BODY></TEXT>
</REUTERS>
<REUTERS TOPICS="YES" LEWISSPLIT="NOT-USED" CGISPLIT="PUBLISHED-TESTSET" OLDID="905" NEWID="15">
<TOPICS></TOPICS><TEXT><TITLE>X</TITLE><BODY>Y</BODY></TEXT>
</REUTERS>
"""


def test_every_field_of_a_document():
    assert parse_sgml(SGML)[0] == {
        "newid": 11,
        "oldid": 901,
        "lewissplit": "TRAIN",
        "cgisplit": "TRAINING-SET",
        "topics_attr": "YES",
        "date": "30-FEB-1987 10:00:00.00",
        "topics": ["tin", "cork"],
        "places": ["atlantis"],
        "people": [],
        "orgs": [],
        "exchanges": [],
        "text_type": "NORM",
        "title": "TIN & CORK <TCK> RISE",
        "dateline": "ATLANTIS, Feb 30 -",
        "body": "Tin rose.\n    So did cork, said the Reuter man.",
        "modapte": "train",
    }


def test_modapte_needs_topics_yes():
    sides = {document["newid"]: document["modapte"] for document in parse_sgml(SGML)}
    assert sides == {11: "train", 12: "unused", 13: "test", 14: "unused", 15: "unused"}


def test_brief_has_a_title_only_and_unprocessed_a_body_only():
    _, brief, unprocessed, _, _ = parse_sgml(SGML)
    assert (brief["text_type"], brief["title"], brief["body"]) == ("BRIEF", "CORK FALLS AGAIN", "")
    assert (unprocessed["text_type"], unprocessed["title"]) == ("UNPROC", "")
    assert unprocessed["body"] == "CORK TABLE\n a....1"


def test_archive_is_read_in_the_order_of_newid(monkeypatch, make_tar, tmp_path):
    second = SGML.replace('NEWID="1', 'NEWID="').encode("latin-1")

    def download(url, folder):
        path = folder / "reuters.tar.gz"
        files = {"reut2-000.sgm": SGML.encode("latin-1"), "README.txt": b"no", "reut2-001.sgm": second}
        path.write_bytes(make_tar(files))
        return path

    monkeypatch.setattr(_reuters_sources, "download", download)
    (records,) = build_from_sgml(tmp_path)
    assert [r["newid"] for r in records] == [1, 2, 3, 4, 5, 11, 12, 13, 14, 15]


def test_cleaned_text_has_the_same_fields(monkeypatch, tmp_path):
    monkeypatch.setattr(_reuters_sources, "labeled_texts", lambda name, folder: [("earn", "net rose")])
    (records,) = build_cleaned(tmp_path)
    assert [(r["modapte"], r["topics"], r["body"]) for r in records] == [
        ("train", ["earn"], "net rose"),
        ("test", ["earn"], "net rose"),
    ]
    assert all(tuple(sorted(r)) == tuple(sorted(FIELDS)) for r in records)
