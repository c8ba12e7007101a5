"""Projects in a database: items, labels, decisions and an audit log. Knows no algorithm.

Names are loaded on first use: what is here needs the packages of ``lopsided[web]``.
"""

from typing import TYPE_CHECKING, Any

from lopsided._lazy import load_on_first_use

if TYPE_CHECKING:
    from lopsided.store._current import ProjectState as ProjectState
    from lopsided.store._current import StandingAnswer as StandingAnswer
    from lopsided.store._current import replay as replay
    from lopsided.store._errors import StoreError as StoreError
    from lopsided.store._events import Event as Event
    from lopsided.store._importing import ImportBatch as ImportBatch
    from lopsided.store._importing import ImportCounts as ImportCounts
    from lopsided.store._importing import ImportSource as ImportSource
    from lopsided.store._inbox import InboxDecision as InboxDecision
    from lopsided.store._inbox import NewDecision as NewDecision
    from lopsided.store._items import StoredItem as StoredItem
    from lopsided.store._opening import open_store as open_store
    from lopsided.store._settings import LabelKind as LabelKind
    from lopsided.store._settings import ProjectSettings as ProjectSettings
    from lopsided.store._settings import Tag as Tag
    from lopsided.store._snapshots import Snapshot as Snapshot
    from lopsided.store._store import Store as Store
    from lopsided.store._users import AccessToken as AccessToken
    from lopsided.store._users import User as User

_HOME = {
    "AccessToken": "_users",
    "Event": "_events",
    "ImportBatch": "_importing",
    "ImportCounts": "_importing",
    "ImportSource": "_importing",
    "InboxDecision": "_inbox",
    "LabelKind": "_settings",
    "NewDecision": "_inbox",
    "ProjectSettings": "_settings",
    "ProjectState": "_current",
    "Snapshot": "_snapshots",
    "StandingAnswer": "_current",
    "Store": "_store",
    "StoreError": "_errors",
    "StoredItem": "_items",
    "Tag": "_settings",
    "User": "_users",
    "open_store": "_opening",
    "replay": "_current",
}
__all__ = [
    "AccessToken",
    "Event",
    "ImportBatch",
    "ImportCounts",
    "ImportSource",
    "InboxDecision",
    "LabelKind",
    "NewDecision",
    "ProjectSettings",
    "ProjectState",
    "Snapshot",
    "StandingAnswer",
    "Store",
    "StoreError",
    "StoredItem",
    "Tag",
    "User",
    "open_store",
    "replay",
]
_look_up = load_on_first_use(__name__, _HOME)


def __getattr__(name: str) -> Any:
    try:
        return _look_up(name)
    except ModuleNotFoundError as error:
        if error.name and error.name.partition(".")[0] in ("alembic", "argon2", "sqlalchemy"):
            raise ImportError(
                f"projects need {error.name}, which is not installed: pip install 'lopsided[web]'"
            ) from error
        raise
