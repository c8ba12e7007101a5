"""The settings of a project, its labels and its tags."""

import json
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, func, insert, select, update

from lopsided.store._database import clean, now, take
from lopsided.store._errors import StoreError
from lopsided.store._part import Part
from lopsided.store._schema import labels, project, tags


class ProjectSettings(NamedTuple):
    """The settings of a project: its subject, and how it is screened.

    Parameters
    ----------
    name : str
        Name of the project.
    question : str, default=""
        The question in words, for a start without known records.
    criteria : str, default=""
        When a record is relevant; shown beside each.
    highlights : tuple of str, default=()
        The reviewers' own words, highlighted in texts.
    strategy : str, default="mixed"
        How the next record is chosen.
    seed : int, default=0
        Seed of all that is random.
    reviewers_per_item : int, default=1
        How many reviewers label each record.
    blind : bool, default=False
        Whether reviewers see only their own labels.
    options : dict, default={}
        What else a page keeps; everything in it must be JSON.
    created : str, default=""
        When the project was created, in UTC.

    Examples
    --------
    >>> ProjectSettings("ships").strategy
    'mixed'
    """

    name: str
    question: str = ""
    criteria: str = ""
    highlights: tuple[str, ...] = ()
    strategy: str = "mixed"
    seed: int = 0
    reviewers_per_item: int = 1
    blind: bool = False
    options: dict[str, Any] = {}
    created: str = ""


class LabelKind(NamedTuple):
    """A label that reviewers can give.

    Examples
    --------
    >>> LabelKind(1, "relevant", "y", True, 1).key
    'y'
    """

    id: int
    name: str
    key: str
    relevant: bool
    position: int


class Tag(NamedTuple):
    """A tag that reviewers can put on an item, or a reason for exclusion.

    Examples
    --------
    >>> Tag(1, "not in English", "exclusion reason", False).kind
    'exclusion reason'
    """

    id: int
    name: str
    kind: str
    retired: bool


class SettingsPart(Part):
    """Settings, labels and tags."""

    def begin(self, name: str) -> None:
        """Give a new project its first settings; does nothing to one that has some."""
        with self.database.reading() as connection:
            if connection.execute(select(project.c.id)).first():
                return
        with self.database.writing() as connection:
            take(connection, "items", 0)  # only one of those who open a new project goes on at a time
            if not connection.execute(select(project.c.id)).first():
                values = _stored(ProjectSettings(clean(name), created=now())._asdict())
                connection.execute(insert(project).values(id=1, **values))

    @property
    def project(self) -> ProjectSettings:
        """The settings as they are now."""
        with self.database.reading() as connection:
            return _settings(connection)

    def update_project(self, **changes: Any) -> ProjectSettings:
        """Change settings by name, and return all of them.

        Parameters
        ----------
        **changes
            Fields of ``ProjectSettings`` but ``created``.
        """
        unknown = sorted(set(changes) - set(ProjectSettings._fields[:-1]))
        if unknown:
            raise TypeError(
                f"a project has no setting {unknown[0]!r}. It has {', '.join(ProjectSettings._fields[:-1])}."
            )
        with self.database.writing() as connection:
            if changes:
                connection.execute(update(project).values(**_stored(changes)))
            return _settings(connection)

    def labels(self) -> list[LabelKind]:
        """Return the labels in the order in which they are shown."""
        with self.database.reading() as connection:
            rows = connection.execute(select(labels).order_by(labels.c.position, labels.c.id))
            return [_label(row) for row in rows]

    def add_label(self, name: str, relevant: bool, key: str = "") -> LabelKind:
        """Add a label; one of this name must not be there.

        Parameters
        ----------
        name : str
            Name, as shown.
        relevant : bool
            Whether records with this label are among those that are looked for.
        key : str, default=""
            The key that gives it.
        """
        name = _name(name, "a label")
        with self.database.writing() as connection:
            _refuse_known(connection, name)
            last = connection.execute(select(func.max(labels.c.position))).scalar() or 0
            values = {"name": name, "key": clean(key), "relevant": relevant, "position": last + 1}
            made = connection.execute(insert(labels).values(values).returning(labels)).one()
            return _label(made)

    def update_label(
        self, label_id: int, *, name: str | None = None, key: str | None = None, position: int | None = None
    ) -> LabelKind:
        """Rename or move a label. What it means for a record cannot change: labels were given with it.

        Parameters
        ----------
        label_id : int
            Which label.
        name : str or None, default=None
            New name; None keeps the old one.
        key : str or None, default=None
            New key; None keeps the old one.
        position : int or None, default=None
            New position; None keeps the old one.
        """
        changes: dict[str, Any] = {}
        if name is not None:
            changes["name"] = _name(name, "a label")
        if key is not None:
            changes["key"] = clean(key)
        if position is not None:
            changes["position"] = position
        with self.database.writing() as connection:
            if name is not None:
                _refuse_known(connection, changes["name"], but=label_id)
            if changes:
                connection.execute(update(labels).where(labels.c.id == label_id).values(**changes))
            row = connection.execute(select(labels).where(labels.c.id == label_id)).one_or_none()
        if row is None:
            raise StoreError(f"no label {label_id} in this project", "labels() lists them.", "missing")
        return _label(row)

    def tags(self) -> list[Tag]:
        """Return all tags and exclusion reasons, in the order in which they were added."""
        with self.database.reading() as connection:
            return [_tag(row) for row in connection.execute(select(tags).order_by(tags.c.id))]

    def add_tag(self, name: str, kind: str = "tag") -> Tag:
        """Add a tag, or return the one that has this name and kind; one that was retired is back then.

        Parameters
        ----------
        name : str
            Name, as shown.
        kind : str, default="tag"
            "tag" or "exclusion reason".
        """
        name = _name(name, "a tag")
        if kind not in ("tag", "exclusion reason"):
            raise StoreError(f"no kind of tag {kind!r}", "Kinds are 'tag' and 'exclusion reason'.")
        same = (tags.c.name == name) & (tags.c.kind == kind)
        with self.database.writing() as connection:
            known = connection.execute(update(tags).where(same).values(retired=False).returning(tags))
            row = known.one_or_none()
            if row is None:
                values = {"name": name, "kind": kind, "retired": False}
                row = connection.execute(insert(tags).values(values).returning(tags)).one()
            return _tag(row)

    def update_tag(self, tag_id: int, *, name: str | None = None, retired: bool | None = None) -> Tag:
        """Rename a tag, or retire it: it stays where it is, but is not offered again.

        Parameters
        ----------
        tag_id : int
            Which tag.
        name : str or None, default=None
            New name; None keeps the old one.
        retired : bool or None, default=None
            Whether it is retired; None leaves it.
        """
        changes: dict[str, Any] = {} if retired is None else {"retired": retired}
        if name is not None:
            changes["name"] = _name(name, "a tag")
        one = tags.c.id == tag_id
        with self.database.writing() as connection:
            if name is not None:
                kind = select(tags.c.kind).where(one).scalar_subquery()
                same = (tags.c.name == changes["name"]) & (tags.c.kind == kind) & ~one
                if connection.execute(select(tags.c.id).where(same)).first():
                    raise StoreError(f"there is a tag {name!r} already", "Choose another name.", "conflict")
            if changes:
                connection.execute(update(tags).where(one).values(**changes))
            row = connection.execute(select(tags).where(one)).one_or_none()
        if row is None:
            raise StoreError(f"no tag {tag_id} in this project", "tags() lists them.", "missing")
        return _tag(row)


def _settings(connection: Connection) -> ProjectSettings:
    row = connection.execute(select(project)).one()
    values = row._asdict()
    del values["id"]
    values["highlights"] = tuple(json.loads(values["highlights"]))
    values["options"] = json.loads(values["options"])
    return ProjectSettings(**values)


def _stored(values: dict[str, Any]) -> dict[str, Any]:
    stored = {name: clean(value) if isinstance(value, str) else value for name, value in values.items()}
    if "highlights" in stored:
        stored["highlights"] = json.dumps([clean(word) for word in stored["highlights"]])
    if "options" in stored:
        stored["options"] = json.dumps(stored["options"])
    return stored


def _name(name: str, what: str) -> str:
    name = clean(name).strip()
    if not 0 < len(name) <= 200:
        raise StoreError(
            f"the name of {what} has 1 to 200 characters, got {len(name)}", "Choose another name."
        )
    return name


def _refuse_known(connection: Connection, name: str, but: int | None = None) -> None:
    row = connection.execute(select(labels.c.id).where(labels.c.name == name)).first()
    if row and row.id != but:
        raise StoreError(f"there is a label {name!r} already", "Choose another name.", "conflict")


def _label(row: Row[Any]) -> LabelKind:
    return LabelKind(row.id, row.name, row.key, bool(row.relevant), row.position)


def _tag(row: Row[Any]) -> Tag:
    return Tag(row.id, row.name, row.kind, bool(row.retired))
