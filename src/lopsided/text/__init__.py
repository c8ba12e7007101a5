"""Documents and their vectors: readers for folders, mailboxes and tables, and two vectorizers.

Names are loaded on first use: the mail filter splits mailboxes by what is here, and must not wait for
scikit-learn.
"""

from typing import TYPE_CHECKING

from lopsided._lazy import load_on_first_use

if TYPE_CHECKING:
    from lopsided.text._bags import read_bag as read_bag
    from lopsided.text._byte_grams import ByteGramVectorizer as ByteGramVectorizer
    from lopsided.text._documents import Document as Document
    from lopsided.text._documents import Documents as Documents
    from lopsided.text._documents import Problem as Problem
    from lopsided.text._mail import mail_text as mail_text
    from lopsided.text._read_records import iter_records as iter_records
    from lopsided.text._read_records import preview_records as preview_records
    from lopsided.text._readers import iter_documents as iter_documents
    from lopsided.text._readers import read_documents as read_documents
    from lopsided.text._records import Preview as Preview
    from lopsided.text._records import Record as Record
    from lopsided.text._records import Roles as Roles
    from lopsided.text._stemmed import StemmedVectorizer as StemmedVectorizer

_HOME = {
    "ByteGramVectorizer": "_byte_grams",
    "Document": "_documents",
    "Documents": "_documents",
    "Preview": "_records",
    "Problem": "_documents",
    "Record": "_records",
    "Roles": "_records",
    "StemmedVectorizer": "_stemmed",
    "iter_documents": "_readers",
    "iter_records": "_read_records",
    "mail_text": "_mail",
    "preview_records": "_read_records",
    "read_bag": "_bags",
    "read_documents": "_readers",
}
__all__ = [
    "ByteGramVectorizer",
    "Document",
    "Documents",
    "Preview",
    "Problem",
    "Record",
    "Roles",
    "StemmedVectorizer",
    "iter_documents",
    "iter_records",
    "mail_text",
    "preview_records",
    "read_bag",
    "read_documents",
]
__getattr__ = load_on_first_use(__name__, _HOME)
