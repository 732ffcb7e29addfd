"""Replies that were good, kept in a file of SQLite, so that the same question costs nothing."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from pdl.errors import FileError, Problem
from pdl.models.exchange import Reply, Usage
from pdl.tools.calls import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pdl._types import Json

_VERSION: Final = 1
_APPLICATION: Final = 0x70646C63  # "pdlc", by which SQLite's header says whose file it is
_WAIT = 10.0  # seconds for other processes to finish their writing
_MAKE = (
    """CREATE TABLE IF NOT EXISTS replies
    (key TEXT PRIMARY KEY, reply TEXT NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL)
    WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS replies_used ON replies (used)",
)
_NEXT = "(SELECT COALESCE(MAX(used), 0) + 1 FROM replies)"

_FIND = (
    "SELECT reply, (SELECT MAX(used) FROM replies) - used, (SELECT COUNT(*) FROM replies)"
    " FROM replies WHERE key = ?"
)


@dataclass(frozen=True)
class Cache:
    """Replies by the identity of their requests: model, address and the whole body of the call.

    `path` is the file, which is made if it is not there; `most` how many bytes of replies it keeps,
    of which those go first that were not used for longest. Several threads and processes may share
    the file. Raises FileError for one that is damaged, of another program, or not to be written.
    """

    path: str | Path
    most: int = 256_000_000

    def get(self, identity: Json) -> Reply | None:
        """The reply to a request; None if there is none."""
        key = _key(identity)
        with self._opened("DEFERRED") as base:
            row = base.execute(_FIND, (key,)).fetchone()
        if row is None:
            return None
        text, later, count = row
        if later > count // 2:  # writing takes ten times as long as reading
            with self._opened("IMMEDIATE") as base:
                base.execute(f"UPDATE replies SET used = {_NEXT} WHERE key = ?", (key,))  # noqa: S608 - constant
        return self._read(text)

    def put(self, identity: Json, reply: Reply) -> None:
        """Keep a reply; one that alone is larger than the bound is not kept."""
        text = json.dumps(asdict(reply), separators=(",", ":"))
        if len(text) > self.most:
            return
        with self._opened("IMMEDIATE") as base:
            base.execute(
                f"INSERT OR REPLACE INTO replies VALUES (?, ?, ?, {_NEXT})",  # noqa: S608 - constant
                (_key(identity), text, len(text)),
            )
            self._trim(base)

    def _trim(self, base: sqlite3.Connection) -> None:
        over = base.execute("SELECT COALESCE(SUM(size), 0) FROM replies").fetchone()[0] - self.most
        if over <= 0:
            return
        for key, size in base.execute("SELECT key, size FROM replies ORDER BY used").fetchall():
            if over <= 0:
                break
            base.execute("DELETE FROM replies WHERE key = ?", (key,))
            over -= size

    @contextmanager
    def _opened(self, kind: str) -> Iterator[sqlite3.Connection]:
        """The file within one transaction.

        Each has a connection of its own, which threads and forks need not share; that is also why a
        write-ahead log would not pay: the last connection that closes has to write it back.
        """
        try:
            with closing(sqlite3.connect(self.path, timeout=_WAIT, isolation_level=None)) as base:
                self._prepare(base)
                base.execute(f"BEGIN {kind}")
                yield base
                base.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._problem(str(error)) from error

    def _prepare(self, base: sqlite3.Connection) -> None:
        if self._belongs(base):
            return
        base.execute("BEGIN IMMEDIATE")
        for statement in _MAKE:
            base.execute(statement)
        base.execute(f"PRAGMA application_id = {_APPLICATION}")
        base.execute(f"PRAGMA user_version = {_VERSION}")
        base.execute("COMMIT")

    def _belongs(self, base: sqlite3.Connection) -> bool:
        """Whether the file is a cache already; false for a new one. Raises FileError otherwise."""
        owner = base.execute("PRAGMA application_id").fetchone()[0]
        version = base.execute("PRAGMA user_version").fetchone()[0]
        if owner == _APPLICATION and version == _VERSION:
            return True
        if owner == _APPLICATION:
            raise self._problem(f"it has version {version}, and {_VERSION} is known")
        if owner or base.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
            raise self._problem("it is a database of another program")
        return False

    def _read(self, text: str) -> Reply:
        try:
            value = json.loads(text)
            calls = tuple(ToolCall(**call) for call in value.pop("calls"))
            return Reply(**{**value, "calls": calls, "usage": Usage(**value.pop("usage"))})
        except (ValueError, TypeError, KeyError) as error:
            raise self._problem("a reply in it cannot be read") from error

    def _problem(self, why: str) -> FileError:
        hint = "delete the file to begin anew"
        message = f"the cache {self.path} is of no use: {why}"
        return FileError(Problem("file/cache", message, hint=hint))


def _key(identity: Json) -> str:
    """The identity in its canonical form, hashed: the order of keys makes no difference."""
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{_VERSION}\n{text}".encode()).hexdigest()
