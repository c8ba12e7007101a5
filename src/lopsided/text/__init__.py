"""From documents to vectors: readers for folders, mailboxes and tables, and two vectorizers."""

from lopsided.text._byte_grams import ByteGramVectorizer
from lopsided.text._documents import Document, Documents, Problem
from lopsided.text._mail import mail_text
from lopsided.text._readers import iter_documents, read_documents
from lopsided.text._stemmed import StemmedVectorizer

__all__ = [
    "ByteGramVectorizer",
    "Document",
    "Documents",
    "Problem",
    "StemmedVectorizer",
    "iter_documents",
    "mail_text",
    "read_documents",
]
