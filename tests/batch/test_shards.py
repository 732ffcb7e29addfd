"""Shards: which files are found, how they are split, and the rows that come out of the parts."""

from __future__ import annotations

import csv
import gzip
import io
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdl.batch.rows import BadRow, Reading, Row
from pdl.batch.shards import find_shards, left_out, unit_bytes
from pdl.batch.splitting import rows, split
from pdl.errors import ConfigError, FileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.batch.splitting import Unit

REPLIES = Reading("reply")
SIZES = st.integers(1, 60)


def units_of(file: Path, size: int) -> list[Unit]:
    return [unit for shard in find_shards(str(file)) for unit in split(shard, size)]


def rows_of(file: Path, size: int, reading: Reading = REPLIES) -> Iterator[Row | BadRow]:
    for unit in units_of(file, size):
        yield from rows(unit, reading)


def check_units(file: Path, size: int) -> None:
    """Units follow each other, and are numbered."""
    units = units_of(file, size)
    assert [one.number for one in units] == list(range(len(units)))
    assert all(one.end == other.start for one, other in pairwise(units))


OBJECT = b'{"reply": "b", "id": 1}'
LINES = st.lists(st.sampled_from([b'"a"', OBJECT, b"", b"  ", b"oops", b'"\xc3\xbc"', b"\xff"]))
MARKS = st.sampled_from([b"", b"\xef\xbb\xbf"])


@given(LINES, SIZES, st.sampled_from([b"\n", b"\r\n"]), st.sampled_from([b"", b"\n"]), MARKS)
def test_lines_of_parts_are_those_of_the_whole(
    lines: list[bytes], size: int, between: bytes, end: bytes, mark: bytes
) -> None:
    data = mark + between.join(lines) + end
    with TemporaryDirectory() as name:
        file = Path(name, "a.jsonl")
        file.write_bytes(data)
        whole = list(rows_of(file, 1 << 30))
        assert list(rows_of(file, size)) == whole
        check_units(file, size)
        packed = Path(name, "a.jsonl.gz")
        packed.write_bytes(gzip.compress(data, mtime=0))
        assert list(rows_of(packed, size)) == whole
    numbers = [one.number if isinstance(one, Row) else one.line.number for one in whole]
    assert numbers == [n for n, line in enumerate(lines, 1) if line.strip()]


CELLS = st.text(st.sampled_from('ab,"\n\r ü'), max_size=6)


@given(st.lists(st.tuples(CELLS, CELLS)), SIZES, MARKS)
def test_records_of_parts_are_those_of_the_whole(
    records: list[tuple[str, str]], size: int, mark: bytes
) -> None:
    """A newline in quotes does not end a record, wherever the file is split."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([("id", "reply"), *records])
    with TemporaryDirectory() as name:
        file = Path(name, "a.csv")
        data = mark + text.getvalue().encode()
        file.write_bytes(data)
        found = list(rows_of(file, size))
        assert [(one.id, one.reply) for one in found if isinstance(one, Row)] == records
        assert [len(records)] == [len(found)]
        check_units(file, size)
        packed = Path(name, "b.csv.gz")
        packed.write_bytes(gzip.compress(data, mtime=0))
        assert list(rows_of(packed, size)) == found
        lines = data.decode("utf-8-sig").split("\n")
        for one in found:
            assert isinstance(one, Row)
            assert lines[one.number - 1].startswith('"')


@given(st.lists(st.text(max_size=40), max_size=30), SIZES, st.integers(1, 12))
def test_rows_of_tables_of_parts_are_those_of_the_whole(
    replies: list[str], size: int, group: int
) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = [one.encode("utf-8", "replace").decode() for one in replies]
    table = pa.table({"id": list(range(len(texts))), "reply": pa.array(texts, pa.string())})
    with TemporaryDirectory() as name:
        file = Path(name, "a.parquet")
        parquet.write_table(table, file, row_group_size=group)
        found = list(rows_of(file, size * 20))
        assert found == [Row(n + 1, n, text) for n, text in enumerate(texts)]
        check_units(file, size * 20)


def test_a_large_row_group_is_split(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = [f"{n} {'x' * 100}" for n in range(5000)]
    parquet.write_table(pa.table({"reply": texts}), tmp_path / "a.parquet")
    units = units_of(tmp_path / "a.parquet", 20_000)
    assert [one.end - one.start for one in units] == [625] * 8
    found = list(rows_of(tmp_path / "a.parquet", 20_000))
    assert [one.reply for one in found if isinstance(one, Row)] == texts


def test_values_of_tables_become_json(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    from datetime import date  # noqa: PLC0415

    table = pa.table(
        {"day": [date(2026, 1, 2)], "tags": [["a"]], "at": [{"x": 1.5}], "data": [b"\x00"]}
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    (found,) = rows_of(tmp_path / "a.parquet", 1, Reading(None, names=table.column_names))
    assert isinstance(found, Row)
    values = {"day": "2026-01-02", "tags": ["a"], "at": {"x": 1.5}, "data": "AA=="}
    assert found == Row(1, None, None, values)


def test_a_column_of_values_can_be_json(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('reply,context\nyes,"{""n"": 1}"\nno,\nno,{oops\n')
    one, other, bad = rows_of(tmp_path / "a.csv", 1)
    assert one == Row(2, None, "yes", {"n": 1})
    assert other == Row(3, None, "no")
    assert isinstance(bad, BadRow)
    assert str(bad.problem("a.csv")).startswith(
        "a.csv:4:1: `context`: expected an object, found a string"
    )


def test_shards_of_a_directory_are_found_by_their_names(tmp_path: Path) -> None:
    names = ["b.jsonl", "a/c.csv", "a/B.NDJSON", "d.jsonl.gz", "e.txt", "_f.jsonl", ".g.jsonl"]
    for name in [*names, "_h/i.jsonl", ".j/k.jsonl"]:
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("")
    found = [one.name for one in find_shards(str(tmp_path))]
    assert found == ["a/B.NDJSON", "a/c.csv", "b.jsonl", "d.jsonl.gz"]
    assert left_out(str(tmp_path)) == ["e.txt"]
    assert left_out(str(tmp_path / "b.jsonl")) == []


def test_directories_behind_links_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "rows" / "a").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    for name in ("rows/a/1.jsonl", "other/2.jsonl", "rows/3.jsonl"):
        (tmp_path / name).write_text("")
    for name, target in (("b", "../other"), ("c", "a"), ("a/up", "..")):
        (tmp_path / "rows" / name).symlink_to(target)
    found = [one.name for one in find_shards(str(tmp_path / "rows"))]
    assert found == ["3.jsonl", "a/1.jsonl", "b/2.jsonl"]


def test_a_directory_without_shards_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(FileError, match="this directory contains no shard"):
        find_shards(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.csv", b'id,reply\n1,x\n2,"y\n', "a.csv:3:1: this is not CSV: unexpected end of data"),
        ("a.csv", b'id,reply\n1,x\n2,"y"z\n', "a.csv:3:1: this is not CSV: "),
        ("a.csv", b"id,id\n1,x\n", "a.csv:1:1: the header has the column `id` twice"),
        ("a.csv", b"id,reply\r1,x\r", "a.csv:1:1: this is not CSV: a carriage return outside"),
        ("a.csv", b"id,reply\n1,x\ry\n", "a.csv:2:1: this is not CSV: a carriage return outside"),
        ("a.csv.gz", gzip.compress(b"i\xff,reply\n", mtime=0), "a.csv.gz:1:1: this byte (0xff)"),
        ("a.csv", b"\xff,reply\n1,x\n", "a.csv: cannot be read: its header is not utf-8"),
        ("a.jsonl.gz", gzip.compress(b'"x"\n' * 9, mtime=0)[:-9], "a.jsonl.gz: cannot be read: "),
        ("a.jsonl.gz", b"no gzip", "a.jsonl.gz: cannot be read: not a gzipped file"),
    ],
)
def test_damaged_shards_are_told_by_their_place(
    tmp_path: Path, name: str, data: bytes, told: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FileError) as caught:
        list(rows_of(tmp_path / name, 1))
    assert str(caught.value).removeprefix(f"{tmp_path}/").startswith(told)


def test_a_record_with_other_fields_is_a_row_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,reply\n1,x,y\n2,z\n")
    bad, good = rows_of(tmp_path / "a.csv", 1 << 20)
    assert isinstance(bad, BadRow)
    assert "a.csv:2:1: expected 2 fields, found 3" in str(bad.problem("a.csv"))
    assert good == Row(3, "2", "z")


def test_a_byte_that_is_not_utf_8_costs_one_record(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'id,reply\n1,a\n2,"\xff\nb"\n3,c\n')
    for size in (1, 1 << 20):
        one, bad, other = rows_of(tmp_path / "a.csv", size)
        assert (one, other) == (Row(2, "1", "a"), Row(5, "3", "c"))
        assert isinstance(bad, BadRow)
        assert "a.csv:3:1: this byte (0xff) is not UTF-8" in str(bad.problem("a.csv"))


def tables(tmp_path: Path, **columns: Any) -> list[Row | BadRow]:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet  # noqa: PLC0415

    names = [name.rstrip("_") for name in columns]
    arrays = [
        pa.array(*one) if isinstance(one, tuple) else pa.array(one) for one in columns.values()
    ]
    parquet.write_table(pa.Table.from_arrays(arrays, names), tmp_path / "a.parquet")
    return list(rows_of(tmp_path / "a.parquet", 1 << 20))


def test_a_column_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="has the column `reply` twice"):
        tables(tmp_path, id=[1], reply=["x"], reply_=["y"])
    assert tables(tmp_path, reply=["x"], more=[1], more_=[2]) == [Row(1, None, "x")]


def test_bytes_are_no_reply(tmp_path: Path) -> None:
    (bad,) = tables(tmp_path, reply=[b"x"])
    assert isinstance(bad, BadRow)
    assert bad.fault.message == "`reply`: expected a string, found bytes"


def test_ids_are_json(tmp_path: Path) -> None:
    found = tables(tmp_path, id=[float("nan"), float("-inf"), 1.5], reply=["x", "y", "z"])
    assert [one.id for one in found if isinstance(one, Row)] == ["nan", "-inf", 1.5]


def test_a_time_that_python_does_not_have_is_an_error(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(FileError, match="cannot be read"):
        tables(tmp_path, id=([10**15], pa.timestamp("s")), reply=["x"])


def test_a_damaged_table_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "a.parquet").write_bytes(b"PAR1 no table")
    with pytest.raises(FileError, match=r"a\.parquet: cannot be read: "):
        units_of(tmp_path / "a.parquet", 1)


def test_tables_need_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    (tmp_path / "a.parquet").write_bytes(b"")
    with pytest.raises(ConfigError, match=r"pdl-prompts\[arrow\]"):
        units_of(tmp_path / "a.parquet", 1)


def test_units_grow_with_the_input(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"")
    (shard,) = find_shards(str(tmp_path))
    sizes = [unit_bytes([replace(shard, size=size)]) for size in (0, 1 << 26, 1 << 40)]
    assert sizes == [1 << 16, 1 << 18, 1 << 26]


@given(LINES, LINES, SIZES)
def test_a_file_that_grew_has_the_same_first_units(
    old: list[bytes], more: list[bytes], size: int
) -> None:
    with TemporaryDirectory() as name:
        file = Path(name, "a.jsonl")
        file.write_bytes(b"".join(one + b"\n" for one in old))
        before = [one[1:5] for one in units_of(file, size)]
        file.write_bytes(b"".join(one + b"\n" for one in [*old, *more]))
        after = [one[1:5] for one in units_of(file, size)]
    assert after[: max(len(before) - 1, 0)] == before[:-1]


def test_json_of_a_line_is_read_strictly(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"reply": "x", "reply": "y"}\n' + json.dumps({"text": "z"}))
    found = list(rows_of(tmp_path / "a.jsonl", 1 << 20))
    assert all(isinstance(one, BadRow) for one in found)
