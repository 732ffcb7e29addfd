"""Good replies in an SQLite file, so that the same request costs nothing the next time."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import time
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from pdl.errors import FileError, Problem
from pdl.models.exchange import Flaw, Reply, Usage
from pdl.tools.tool import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pdl._types import Json

_VERSION: Final = 1
_APPLICATION: Final = 0x70646C63  # "pdlc": the owner of the file in SQLite's header
_WAIT = 10.0  # seconds for other processes to finish writing
_MAKE = f"""
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS replies
    (key TEXT PRIMARY KEY, reply TEXT NOT NULL, size INTEGER NOT NULL, used INTEGER NOT NULL)
    WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS replies_used ON replies (used);
    PRAGMA application_id = {_APPLICATION};
    PRAGMA user_version = {_VERSION};
    COMMIT;
"""
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_NEXT = "(SELECT COALESCE(MAX(used), 0) + 1 FROM replies)"
_FIND = """
    SELECT reply, (SELECT MAX(used) FROM replies) - used, (SELECT COUNT(*) FROM replies)
    FROM replies WHERE key = ?
"""
_TOUCH = f"UPDATE replies SET used = {_NEXT} WHERE key = ?"  # noqa: S608 - constant
_PUT = f"INSERT OR REPLACE INTO replies VALUES (?, ?, ?, {_NEXT})"  # noqa: S608 - constant
_TRIM = """
    DELETE FROM replies WHERE key IN (
        SELECT key FROM (SELECT key, SUM(size) OVER (ORDER BY used DESC) AS total FROM replies)
        WHERE total > ?
    )
"""


@dataclass(frozen=True)
class Cache:
    """Replies by the identity of their requests: model, address and the whole body of the call.

    `path` is the file, which is created if needed; `most` is how many bytes of replies it keeps,
    dropping the least recently used ones first. Threads and processes can share the file. Raises
    FileError if it is damaged, belongs to another program, or can't be written; its code is
    `file/cache-busy` if others kept it locked, `file/cache-reply` if only one reply is damaged.
    `wait` is how many seconds to wait for others.
    """

    path: str | Path
    most: int = 256_000_000

    def get(self, identity: Json, *, wait: float = _WAIT) -> Reply | None:
        """Return the reply to a request; None if there is none."""
        key, deadline = _key(identity), time.monotonic() + min(wait, _WAIT)
        with self._opened("DEFERRED", deadline) as base:
            row = base.execute(_FIND, (key,)).fetchone()
        if row is None:
            return None
        text, later, count = row
        if later > count // 2:  # writing takes ten times as long as reading
            with suppress(FileError), self._opened("IMMEDIATE", deadline) as base:
                base.execute(_TOUCH, (key,))
        return self._read(text)

    def put(self, identity: Json, reply: Reply, *, wait: float = _WAIT) -> None:
        """Store a reply; one that alone exceeds the bound is not stored."""
        text = json.dumps(asdict(reply), separators=(",", ":"))
        if len(text) > self.most:
            return
        with self._opened("IMMEDIATE", time.monotonic() + min(wait, _WAIT)) as base:
            base.execute(_PUT, (_key(identity), text, len(text)))
            if base.execute("SELECT SUM(size) FROM replies").fetchone()[0] > self.most:
                base.execute(_TRIM, (self.most,))

    @contextmanager
    def _opened(self, kind: str, deadline: float) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction.

        Each has its own connection, so threads and forks don't share one. That is also why a
        write-ahead log would not pay: the last connection that closes has to write it back.
        """
        with suppress(OSError):  # SQLite says why it can't be created, but lets everybody read it
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            with closing(sqlite3.connect(self.path, isolation_level=None)) as base:
                _wait_until(deadline, base)
                if not self._is_ready(base):
                    base.executescript(_MAKE)
                _wait_until(deadline, base)
                base.execute(f"BEGIN {kind}")
                yield base
                _wait_until(deadline, base)
                base.execute("COMMIT")
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in _BUSY:
                raise self._problem("others keep it locked", "-busy") from error
            hint = "name another file, or delete it if it is a damaged cache"
            raise self._problem(str(error), hint=hint) from error

    def _is_ready(self, base: sqlite3.Connection) -> bool:
        """Whether the file is a cache; false for a new one. Raises FileError otherwise."""
        owner = base.execute("PRAGMA application_id").fetchone()[0]
        version = base.execute("PRAGMA user_version").fetchone()[0]
        if owner == _APPLICATION and version != _VERSION:
            why = f"it has version {version}, and {_VERSION} is known"
            raise self._problem(why, hint="delete the file to start again")
        if owner == _APPLICATION:
            return True
        if owner or base.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
            why = "it is a database of another program"
            raise self._problem(why, hint="name another file, or one that does not exist yet")
        return False

    def _read(self, text: str) -> Reply:
        try:
            value = json.loads(text)
            calls = tuple(ToolCall(**call) for call in value.pop("calls"))
            flaw = Flaw(**value["flaw"]) if value.get("flaw") else None
            made = {"calls": calls, "usage": Usage(**value.pop("usage")), "flaw": flaw}
            return Reply(**{**value, **made})
        except (ValueError, TypeError, KeyError) as error:
            why, hint = "a reply in it cannot be read", "delete the file to start again"
            raise self._problem(why, "-reply", hint) from error

    def _problem(self, why: str, code: str = "", hint: str = "") -> FileError:
        message = f"the cache {self.path} cannot be used: {why}"
        return FileError(Problem(f"file/cache{code}", message, hint=hint))


def _wait_until(deadline: float, base: sqlite3.Connection) -> None:
    """Let what follows wait for others until then, and no longer."""
    left = max(0, int((deadline - time.monotonic()) * 1000))
    base.execute(f"PRAGMA busy_timeout = {left}")


def _key(identity: Json) -> str:
    """The identity in its canonical form, hashed: the order of keys makes no difference."""
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{_VERSION}\n{text}".encode()).hexdigest()
