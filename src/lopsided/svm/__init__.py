"""The online kernel SVM, which example it asks about next, and when it stops asking."""

from lopsided.svm._lasvm import LASVC
from lopsided.svm._search import LASVCCV
from lopsided.svm._selection import pool_size_for

__all__ = ["LASVC", "LASVCCV", "pool_size_for"]
