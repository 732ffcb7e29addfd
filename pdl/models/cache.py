"""Replies that were good, kept in a file of SQLite, so that the same question costs nothing."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pdl.errors import FileError, Problem
from pdl.models.exchange import Flaw, Reply, Usage
from pdl.tools.tool import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json

_VERSION: Final = 1
_APPLICATION: Final = 0x70646C63  # "pdlc", by which SQLite's header says whose file it is
_WAIT = 10.0  # seconds for other processes to finish their writing
_HEADER = 72  # bytes of a database that tell whose it is
_MAKE = (
    """CREATE TABLE IF NOT EXISTS replies
    (key TEXT PRIMARY KEY, reply TEXT NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL)
    WITHOUT ROWID""",
    "CREATE INDEX IF NOT EXISTS replies_used ON replies (used)",
)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
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
    the file. Raises FileError for one that is damaged, of another program, or not to be written;
    its code is `file/cache-busy` if only others kept it locked, `file/cache-reply` if only one
    reply is damaged. `wait` is how many seconds others are waited for.
    """

    path: str | Path
    most: int = 256_000_000

    def get(self, identity: Json, *, wait: float = _WAIT) -> Reply | None:
        """The reply to a request; None if there is none."""
        key, deadline = _key(identity), time.monotonic() + min(wait, _WAIT)
        with self._opened("DEFERRED", deadline) as base:
            row = base.execute(_FIND, (key,)).fetchone()
        if row is None:
            return None
        text, later, count = row
        if later > count // 2:  # writing takes ten times as long as reading
            self._touch(key, deadline)
        return self._read(text)

    def _touch(self, key: str, deadline: float) -> None:
        """Say that a reply was used; it is no loss if that is not written down."""
        try:
            with self._opened("IMMEDIATE", deadline) as base:
                base.execute(f"UPDATE replies SET used = {_NEXT} WHERE key = ?", (key,))  # noqa: S608 - constant
        except FileError:
            pass

    def put(self, identity: Json, reply: Reply, *, wait: float = _WAIT) -> None:
        """Keep a reply; one that alone is larger than the bound is not kept."""
        text = json.dumps(asdict(reply), separators=(",", ":"))
        if len(text) > self.most:
            return
        with self._opened("IMMEDIATE", time.monotonic() + min(wait, _WAIT)) as base:
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

    def _make_private(self) -> None:
        """Make the file, if it is not there, for its owner alone; SQLite's are all the world's."""
        with suppress(OSError):  # SQLite says why it cannot be made
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))

    @contextmanager
    def _opened(self, kind: str, deadline: float) -> Iterator[sqlite3.Connection]:
        """The file within one transaction.

        Each has a connection of its own, which threads and forks need not share; that is also why a
        write-ahead log would not pay: the last connection that closes has to write it back.
        """
        try:
            self._make_private()
            with closing(sqlite3.connect(self.path, isolation_level=None)) as base:
                _wait_until(deadline, base)
                self._prepare(base, deadline)
                _wait_until(deadline, base)
                base.execute(f"BEGIN {kind}")
                yield base
                _wait_until(deadline, base)
                base.execute("COMMIT")
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY:
                raise self._problem("others keep it locked", "-busy") from error
            raise self._problem(str(error)) from error

    def _prepare(self, base: sqlite3.Connection, deadline: float) -> None:
        if self._belongs(base):
            return
        _wait_until(deadline, base)
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
            flaw = Flaw(**value["flaw"]) if value.get("flaw") else None
            made = {"calls": calls, "usage": Usage(**value.pop("usage")), "flaw": flaw}
            return Reply(**{**value, **made})
        except (ValueError, TypeError, KeyError) as error:
            raise self._problem("a reply in it cannot be read", "-reply") from error

    def _problem(self, why: str, code: str = "") -> FileError:
        message = f"the cache {self.path} is of no use: {why}"
        if code == "-busy":
            hint = ""
        elif self._is_ours():
            hint = "delete the file to begin anew"
        else:
            hint = "name another file, or one that is not there yet"
        return FileError(Problem(f"file/cache{code}", message, hint=hint))

    def _is_ours(self) -> bool:
        """Whether the file says that it is a cache, damaged or not (SQLite's file format, 1.3)."""
        try:
            with Path(self.path).open("rb") as stream:
                header = stream.read(_HEADER)
        except OSError:
            return False
        owner = int.from_bytes(header[_HEADER - 4 :], "big")
        return header.startswith(b"SQLite format 3\0") and owner == _APPLICATION


def _wait_until(deadline: float, base: sqlite3.Connection) -> None:
    """Let what comes next wait for others until then, and no longer."""
    left = max(0, int((deadline - time.monotonic()) * 1000))
    base.execute(f"PRAGMA busy_timeout = {left}")


def _key(identity: Json) -> str:
    """The identity in its canonical form, hashed: the order of keys makes no difference."""
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{_VERSION}\n{text}".encode()).hexdigest()
