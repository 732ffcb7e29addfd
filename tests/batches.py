"""The containers that `pdl.batch` takes: each makes one of a dict of lists, and reads it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pdl.batch.columns import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl.batch.columns import BatchFunction


class Container(NamedTuple):
    """`make` makes a batch of columns, `read` returns its columns as Python values."""

    make: Callable[[Mapping[str, list[Any]]], Any]
    read: Callable[[Any], dict[str, list[Any]]]
    is_typed: bool = False


def _array(cells: list[Any]) -> Any:
    numpy: Any = pytest.importorskip("numpy")
    made = numpy.empty(len(cells), dtype=object)
    for at, cell in enumerate(cells):
        made[at] = cell
    return made


def _pandas(columns: Mapping[str, list[Any]]) -> Any:
    pandas: Any = pytest.importorskip("pandas")
    frame = pandas.DataFrame({name: _array(cells) for name, cells in columns.items()})
    return frame.set_axis([f"row {at}" for at in range(len(frame))])


def _table(columns: Mapping[str, list[Any]]) -> Any:
    """A table in two chunks, of which the first is a slice."""
    pa: Any = pytest.importorskip("pyarrow")
    whole = _arrow(columns)
    middle = len(whole) // 2
    shifted = pa.concat_tables([whole.slice(0, 1), whole.slice(0, middle)]).combine_chunks()
    return pa.concat_tables([shifted.slice(min(1, len(whole))), whole.slice(middle)])


def _arrow(columns: Mapping[str, list[Any]]) -> Any:
    pa: Any = pytest.importorskip("pyarrow")
    made = {name: pa.array(cells, type=_text(cells)) for name, cells in columns.items()}
    return pa.table(made)


def _text(cells: list[Any]) -> Any:
    pa: Any = pytest.importorskip("pyarrow")
    return pa.string() if all(cell is None or isinstance(cell, str) for cell in cells) else None


def _record_batch(columns: Mapping[str, list[Any]]) -> Any:
    pa: Any = pytest.importorskip("pyarrow")
    whole = _arrow(columns)
    fields = [
        pa.array(whole[name].to_pylist(), type=whole[name].type) for name in whole.schema.names
    ]
    return pa.RecordBatch.from_arrays(fields, schema=whole.schema)


def _polars(columns: Mapping[str, list[Any]]) -> Any:
    polars: Any = pytest.importorskip("polars")
    return polars.from_arrow(_arrow(columns))


CONTAINERS = {
    "dict": Container(dict, dict),
    "numpy": Container(
        lambda columns: {name: _array(cells) for name, cells in columns.items()},
        lambda made: {name: list(map(plain, cells)) for name, cells in made.items()},
    ),
    "pandas": Container(_pandas, lambda made: {name: made[name].tolist() for name in made}),
    "table": Container(_table, lambda made: made.to_pydict(), is_typed=True),
    "record batch": Container(_record_batch, lambda made: made.to_pydict(), is_typed=True),
    "polars": Container(_polars, lambda made: made.to_dict(as_series=False), is_typed=True),
}


def called(function: BatchFunction, name: str, columns: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Return the result for a container of that name, as Python values."""
    container = CONTAINERS[name]
    batch = container.make(columns)
    made = function(batch)
    assert type(made) is type(batch)
    return container.read(made)
