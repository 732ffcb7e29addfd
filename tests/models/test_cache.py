"""Good replies are kept, by all that they depend on; several processes share the file."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models import hostile
from models.conftest import KEY, QUICK, Serve, remote
from models.hostile import GOOD

from pdl.errors import FileError
from pdl.models import Cache, CacheWarning, Hook, Reply, Usage, ask
from pdl.tools.tool import ToolCall

if TYPE_CHECKING:
    import pdl
    from pdl.models import Request

REPLY = Reply("Zoë \ud83d", "hm", (ToolCall("f", {"a": [1]}, "id"),), "tool", Usage(1, 2), "m")


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache.db")


def change(cache: Cache, statement: str) -> None:
    """What another program, or an accident, does to the file."""
    with closing(sqlite3.connect(cache.path, isolation_level=None)) as base:
        base.execute(statement)


def test_kept(cache: Cache) -> None:
    assert cache.get({"a": 1}) is None
    cache.put({"a": 1, "b": [2, None]}, REPLY)
    assert cache.get({"b": [2, None], "a": 1}) == REPLY
    assert cache.get({"a": 1, "b": [2]}) is None
    assert Cache(cache.path).get({"a": 1, "b": [2, None]}) == REPLY


def test_only_its_owner_may_read_it(cache: Cache) -> None:
    cache.put(1, REPLY)
    assert stat.S_IMODE(Path(cache.path).stat().st_mode) == 0o600


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=6,
)


@given(JSON, JSON)
def test_other_questions_have_other_keys(one: object, other: object) -> None:
    from pdl.models.cache import _key  # noqa: PLC0415

    same = repr(one) == repr(other) or (one == other and str(type(one)) == str(type(other)))
    assert (_key(one) == _key(other)) <= same or one == other


def test_bounded(cache: Cache) -> None:
    """What was not used for longest goes first."""
    small = Cache(cache.path, most=3000)
    for number in range(10):
        small.put(number, Reply("x" * 800))
        assert small.get(0) is not None
    kept = [number for number in range(10) if small.get(number)]
    assert kept[0] == 0
    assert kept[1:] == [8, 9]
    small.put("huge", Reply("x" * 5000))
    assert small.get("huge") is None


@pytest.mark.parametrize(
    "content", [b"this is no database at all, but text" * 50, b"SQLite format 3\0"]
)
def test_damaged(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    path.write_bytes(content)
    with pytest.raises(FileError, match="file is not a database\n  hint: name another"):
        Cache(path).get(1)


def test_of_another_program(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    base = sqlite3.connect(path)
    base.execute("CREATE TABLE replies (a)")
    base.close()
    with pytest.raises(FileError, match="a database of another program"):
        Cache(path).put(1, REPLY)


def test_of_another_version(cache: Cache) -> None:
    cache.put(1, REPLY)
    change(cache, "PRAGMA user_version = 99")
    with pytest.raises(FileError, match="it has version 99, and 1 is known\n  hint: delete"):
        cache.get(1)


def test_a_damaged_reply(cache: Cache) -> None:
    cache.put(1, REPLY)
    change(cache, "UPDATE replies SET reply = '[]'")
    with pytest.raises(FileError, match="a reply in it cannot be read"):
        cache.get(1)


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="unable to open database file"):
        Cache(tmp_path / "none" / "cache.db").get(1)


def test_several_processes(cache: Cache) -> None:
    """Nothing is lost and nobody fails where three processes write at once."""
    program = """
import sys
from pdl.models import Cache, Reply
cache = Cache(sys.argv[1])
for number in range(10):
    cache.put([sys.argv[2], number], Reply(f"{sys.argv[2]} {number}"))
    assert cache.get([sys.argv[2], number]) is not None
"""
    command = [sys.executable, "-W", "error", "-c", program, str(cache.path)]
    running = [subprocess.Popen([*command, str(number)]) for number in range(3)]  # noqa: S603
    assert [process.wait(60) for process in running] == [0, 0, 0]
    for process in range(3):
        for number in range(10):
            assert cache.get([str(process), number]) == Reply(f"{process} {number}")


def test_asked(serve: Serve, rendered: pdl.Rendered, cache: Cache) -> None:
    """The good reply is kept as the one to the first question, however many it took."""
    server = serve(hostile.good("no idea"), hostile.good())
    model = remote(server)
    first = ask(rendered, model, cache=cache, backoff=QUICK)
    told: list[str] = []
    again = ask(
        rendered, model, cache=cache, backoff=QUICK, on_delta=lambda delta: told.append(delta.text)
    )
    assert told == [GOOD]
    assert len(server.received) == 2
    assert first.value == again.value
    [attempt] = again.attempts
    assert attempt.is_cached
    assert again.usage == Usage()
    other = ask(rendered, model, cache=cache, seed=7, backoff=QUICK)
    assert not other.attempts[0].is_cached
    assert KEY.encode() not in b"".join(
        path.read_bytes()
        for path in cache.path.parent.iterdir()  # type: ignore[union-attr]
    )


def test_a_stored_reply_is_checked(serve: Serve, rendered: pdl.Rendered, cache: Cache) -> None:
    """What is stored and does not check is as if it were not there."""
    model = remote(serve(hostile.good()))
    ask(rendered, model, cache=cache)
    change(cache, "UPDATE replies SET reply = replace(reply, '30', '300')")
    answer = ask(rendered, model, cache=cache)
    assert answer.value == {"name": "Ann", "age": 30}
    assert not answer.attempts[0].is_cached


def test_functions_are_not_cached(rendered: pdl.Rendered, cache: Cache) -> None:
    calls: list[int] = []

    def model(_: object) -> str:
        calls.append(1)
        return GOOD

    for _ in range(2):
        ask(rendered, model, cache=cache)
    assert len(calls) == 2


def test_what_is_no_cache_is_an_error_for_functions_too(
    rendered: pdl.Rendered, tmp_path: Path
) -> None:
    with pytest.raises(FileError, match="cannot be used"):
        ask(rendered, pytest.fail, cache=tmp_path)  # type: ignore[arg-type]


def test_a_damaged_reply_is_asked_for_again(
    serve: Serve, rendered: pdl.Rendered, cache: Cache
) -> None:
    model = remote(serve(hostile.good()))
    ask(rendered, model, cache=cache)
    change(cache, "UPDATE replies SET reply = '[]'")
    with pytest.warns(CacheWarning, match="a reply in it cannot be read"):
        assert ask(rendered, model, cache=cache).value == {"name": "Ann", "age": 30}
    assert ask(rendered, model, cache=str(cache.path)).attempts[0].is_cached


def test_a_cache_that_breaks_while_a_model_answers(
    serve: Serve, rendered: pdl.Rendered, cache: Cache
) -> None:
    """The answer is there, and is not lost."""
    model = remote(serve(hostile.good()))

    class Breaks(Hook):
        def before(self, number: int, request: Request) -> None:  # noqa: ARG002 - of the base
            Path(cache.path).write_bytes(b"no database" * 99)

    with pytest.warns(CacheWarning, match="file is not a database"):
        answer = ask(rendered, model, cache=cache, hooks=[Breaks()])
    assert answer.value == {"name": "Ann", "age": 30}


def test_a_locked_cache_takes_no_longer_than_there_is_time(
    serve: Serve, rendered: pdl.Rendered, cache: Cache
) -> None:
    cache.put(1, REPLY)
    base = sqlite3.connect(cache.path, isolation_level=None)
    base.execute("BEGIN EXCLUSIVE")
    began = time.monotonic()
    with pytest.warns(CacheWarning, match="others keep it locked"):
        answer = ask(rendered, remote(serve(hostile.good())), cache=cache, timeout=2)
    assert time.monotonic() - began < 3
    assert answer.value == {"name": "Ann", "age": 30}
    base.close()
