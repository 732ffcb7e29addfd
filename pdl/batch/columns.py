"""Batches: dicts of lists, pandas, pyarrow, and polars, recognized by their types, not imported."""

from __future__ import annotations

import importlib
import pickle
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from pdl.errors import PdlError, Problem, did_you_mean, missing_package

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pdl.schema.arrow_forms import Form

Cells: TypeAlias = "Sequence[list[Any]]"
"""The cells of each added column, in the order of the columns."""

Batch = TypeVar("Batch")
"""A dict of columns, a pandas or polars DataFrame, a pyarrow Table or RecordBatch."""

Kind: TypeAlias = "str | list[Any] | dict[str, Any]"
"""`bool`, `int`, `float`, or `text`; a list of one kind; or a dict of the kinds of fields."""

_NAMED = 20  # columns that an error lists
_FUNCTIONS_KEPT = 64  # in a process that unpickles them


class ColumnError(PdlError):
    """A batch lacks a column that is needed, or its columns don't fit together."""


@dataclass(frozen=True)
class Column:
    """A column that is added: its name, and the kind of its cells, each of which can be None.

    If `form` is set, its result, a `pdl.schema.arrow_forms.Form`, says what type of Arrow the cells
    have, and they fit that type.
    """

    name: str
    kind: Kind = "text"
    form: Callable[[], Form] | None = None

    def field(self) -> Any:
        """Return the field of an Arrow schema. Raises ConfigError without pyarrow."""
        if self.form is not None:
            return self.form().field(self.name)
        return arrow().field(self.name, arrow_type(self.kind))


def arrow() -> Any:
    """Return the package pyarrow. Raises ConfigError if it is not installed."""
    try:
        return importlib.import_module("pyarrow")
    except ModuleNotFoundError as error:
        raise missing_package("types of Arrow need", "pyarrow", "arrow") from error


def arrow_type(kind: Kind) -> Any:
    """Return the type of Arrow of a kind."""
    pa = arrow()
    if isinstance(kind, list):
        return pa.list_(arrow_type(kind[0]))
    if isinstance(kind, dict):
        return pa.struct([(name, arrow_type(inner)) for name, inner in kind.items()])
    return {"bool": pa.bool_, "int": pa.int64, "float": pa.float64, "text": pa.string}[kind]()


class Columns(ABC):
    """A batch, whatever its container. `typed` says whether added columns get types of Arrow."""

    typed = False

    def __init__(self, batch: Any) -> None:
        self.batch = batch

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.batch)

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """The names of the columns."""

    def values(self, name: str, wanted_as: str = "") -> list[Any]:
        """Return the cells of a column as Python values, None for missing ones.

        `wanted_as` is the argument that named it. Raises ColumnError if there is no such column, or
        there are two.
        """
        check_names([name], self.names, wanted_as)
        return self._values(name)

    @abstractmethod
    def _values(self, name: str) -> list[Any]: ...

    def result(self, kept: Sequence[str], added: Sequence[Column], cells: Cells) -> Any:
        """Return a batch of the same container: the kept columns as they are, and those added."""
        check_names(kept, self.names, "keep")
        return self._result(kept, added, cells)

    @abstractmethod
    def _result(self, kept: Sequence[str], added: Sequence[Column], cells: Cells) -> Any: ...


def check_names(wanted: Iterable[str], names: Sequence[str], wanted_as: str) -> None:
    """Raise ColumnError for a name that is not that of exactly one column."""
    for name in wanted:
        if (found := names.count(name)) != 1:
            raise _no_column(name, names, wanted_as, found)


def _no_column(name: str, names: Sequence[str], wanted_as: str, found: int) -> ColumnError:
    if found:
        return ColumnError(Problem("batch/column", f"the batch has {found} columns `{name}`"))
    names = list(map(str, names))  # those of pandas can be anything
    listed = ", ".join(f"`{one}`" for one in names[:_NAMED]) or "none"
    more = ", …" if len(names) > _NAMED else ""
    message = f"the batch has no column `{name}`; its columns are {listed}{more}"
    hint = did_you_mean(name, names) or (f"name another with {wanted_as}=…" if wanted_as else "")
    return ColumnError(Problem("batch/column", message, None, hint))


class _Dict(Columns):
    """A dict of lists or numpy arrays; columns are added as arrays if there are only arrays."""

    def __init__(self, batch: Mapping[str, Any]) -> None:
        super().__init__(batch)
        sizes = {}
        for name, cells in batch.items():
            if isinstance(cells, str | bytes | Mapping) or not hasattr(cells, "__len__"):
                kind = type(cells).__name__
                message = f"the column `{name}` must be a list or an array, not {kind}"
                raise ColumnError(Problem("batch/column", message))
            sizes[name] = len(cells)
        if len(set(sizes.values())) > 1:
            listed = ", ".join(f"`{name}` {size:,}" for name, size in [*sizes.items()][:_NAMED])
            message = f"the columns of the batch differ in length: {listed}"
            raise ColumnError(Problem("batch/column", message))
        self._is_numpy = bool(batch) and all(_is(one, "numpy") for one in batch.values())

    @property
    def rows(self) -> int:
        return len(next(iter(self.batch.values()), ()))

    @property
    def names(self) -> list[str]:
        return list(self.batch)

    def _values(self, name: str) -> list[Any]:
        cells = self.batch[name]
        return [plain(cell) for cell in cells]

    def _result(self, kept: Sequence[str], added: Sequence[Column], cells: Cells) -> dict[str, Any]:
        made = _array if self._is_numpy else _as_it_is
        return {
            **{name: self.batch[name] for name in kept},
            **{one.name: made(one, found) for one, found in zip(added, cells, strict=True)},
        }


def _as_it_is(_: Column, cells: list[Any]) -> list[Any]:
    return cells


def _array(column: Column, cells: list[Any]) -> Any:
    """A numpy array, of objects except for booleans; a list in a cell does not add a dimension."""
    numpy = importlib.import_module("numpy")
    if column.kind == "bool" and column.form is None:
        return numpy.array(cells, dtype=bool)
    made = numpy.empty(len(cells), dtype=object)
    for at, cell in enumerate(cells):
        made[at] = cell
    return made


class _Pandas(Columns):
    """A DataFrame, whose index is kept; columns are added as objects, except for booleans."""

    @property
    def names(self) -> list[str]:
        return list(self.batch.columns)

    def _values(self, name: str) -> list[Any]:
        cells = self.batch[name]
        missing = cells.isna().tolist()
        return [
            None if is_missing else plain(cell)
            for cell, is_missing in zip(cells.tolist(), missing, strict=True)
        ]

    def _result(self, kept: Sequence[str], added: Sequence[Column], cells: Cells) -> Any:
        pandas = importlib.import_module("pandas")
        made = self.batch[list(kept)].copy()
        for one, found in zip(added, cells, strict=True):
            kind = "bool" if one.kind == "bool" and one.form is None else "object"
            made[one.name] = pandas.Series(found, index=made.index, dtype=kind)
        return made


class _Arrow(Columns):
    """A Table or a RecordBatch of pyarrow; columns that are kept are not converted."""

    typed = True

    @property
    def names(self) -> list[str]:
        return list(self.batch.schema.names)

    def _values(self, name: str) -> list[Any]:
        try:
            cells: list[Any] = self.batch.column(name).to_pylist(maps_as_pydicts="strict")
        except (KeyError, ValueError, OverflowError) as error:  # of a map, or of a time
            message = f"the column `{name}` can't be read: {error.args[0]}"
            raise ColumnError(Problem("batch/column", message)) from error
        return cells

    def _result(self, kept: Sequence[str], added: Sequence[Column], cells: Cells) -> Any:
        pa = arrow()
        arrays = [self.batch.column(name) for name in kept]
        fields = [self.batch.schema.field(name) for name in kept]
        fields += [one.field() for one in added]
        arrays += list(map(_arrow_array, added, cells))
        return type(self.batch).from_arrays(arrays, schema=pa.schema(fields))


class _Polars(Columns):
    """A DataFrame of polars; columns that are added go through Arrow, so pyarrow is needed."""

    typed = True

    @property
    def names(self) -> list[str]:
        return list(self.batch.columns)

    def _values(self, name: str) -> list[Any]:
        cells: list[Any] = self.batch.get_column(name).to_list()
        return cells

    def _result(self, kept: Sequence[str], added: Sequence[Column], cells: Cells) -> Any:
        pa, polars = arrow(), importlib.import_module("polars")
        schema = pa.schema([one.field() for one in added])
        arrays = list(map(_arrow_array, added, cells))
        made = polars.from_arrow(pa.Table.from_arrays(arrays, schema=schema))
        return self.batch.select(list(kept)).hstack(made) if kept else made


def _arrow_array(column: Column, cells: list[Any]) -> Any:
    """The cells as Arrow; in texts, unpaired surrogates, which it does not have, are escaped."""
    pa, kind = arrow(), column.field().type
    try:
        return pa.array(cells, type=kind)
    except UnicodeEncodeError:
        return pa.array(list(map(_encodable, cells)), type=kind)


def _encodable(cell: Any) -> Any:
    if isinstance(cell, str):
        return cell.encode("utf-8", "backslashreplace").decode()
    if isinstance(cell, list):
        return [_encodable(one) for one in cell]
    if isinstance(cell, dict):
        return {name: _encodable(one) for name, one in cell.items()}
    return cell


def transposed(rows: Sequence[Sequence[Any]], width: int) -> Cells:
    """Return the cells of each column of rows that have `width` cells each."""
    return [list(cells) for cells in zip(*rows, strict=True)] or [[] for _ in range(width)]


def plain(cell: Any) -> Any:
    """Return a cell with lists and scalars of Python instead of numpy's, and None for NaN."""
    if isinstance(cell, str) or cell is None:
        return str(cell) if type(cell).__module__ == "numpy" else cell
    if isinstance(cell, float) and cell != cell:  # noqa: PLR0124 - NaN
        return None
    if isinstance(cell, dict):
        return {name: plain(one) for name, one in cell.items()}
    if isinstance(cell, list | tuple):
        return [plain(one) for one in cell]
    return plain(cell.tolist()) if type(cell).__module__ == "numpy" else cell


def _is(batch: object, package: str, *names: str) -> bool:
    """Whether the class of a value, or a base of it, has one of the names in a package."""
    return any(
        one.__module__.partition(".")[0] == package and (not names or one.__name__ in names)
        for one in type(batch).__mro__
    )


_CONTAINERS: tuple[tuple[Callable[[object], bool], type[Columns]], ...] = (
    (lambda batch: isinstance(batch, Mapping), _Dict),
    (lambda batch: _is(batch, "pyarrow", "Table", "RecordBatch"), _Arrow),
    (lambda batch: _is(batch, "pandas", "DataFrame"), _Pandas),
    (lambda batch: _is(batch, "polars", "DataFrame"), _Polars),
)


def columns_of(batch: object) -> Columns:
    """Return the columns of a batch. Raises TypeError for another type."""
    for recognizes, kind in _CONTAINERS:
        if recognizes(batch):
            return kind(batch)
    raise TypeError(
        "a batch must be a dict of columns, a DataFrame of pandas or polars, or a Table or"
        f" RecordBatch of pyarrow, not {type(batch).__name__}"
    )


class BatchFunction(ABC):
    """A function of batches: as many rows as it gets, in their order, with other columns.

    `columns` are those that it adds. `keep` names columns that stay as they are; by default that is
    `id`, if a batch has it.
    """

    def __init__(self, columns: Iterable[Column], keep: Iterable[str] | None) -> None:
        self.columns = tuple(columns)
        self.keep = None if keep is None else _names(keep)
        for one in self.columns:
            if one.name in (self.keep or ()):
                raise ValueError(f"keep must not name `{one.name}`, a column of the result")

    @abstractmethod
    def cells(self, batch: Columns) -> Cells:
        """Return the cells of the columns that are added."""

    @overload
    def __call__(self, batch: Mapping[str, Any]) -> dict[str, Any]: ...

    @overload
    def __call__(self, batch: Batch) -> Batch: ...

    def __call__(self, batch: Any) -> Any:
        """Return a batch of the same container.

        Raises ColumnError if it lacks a column, TypeError for another container.
        """
        given = columns_of(batch)
        return given.result(self._kept(given.names), self.columns, self.cells(given))

    def _kept(self, names: Sequence[str]) -> tuple[str, ...]:
        if self.keep is not None:
            return self.keep
        return ("id",) if "id" in names else ()

    def arrow_schema(self, source: Any = None) -> Any:
        """Return the pyarrow.Schema of the result for batches with the schema `source`.

        The kept columns have the types that they have there. Without it, the schema has only the
        columns that are added. Raises ColumnError if `source` lacks a column that is kept.
        """
        names = [] if source is None else list(source.names)
        kept = () if source is None else self._kept(names)
        check_names(kept, names, "keep")
        fields = [source.field(name) for name in kept]
        return arrow().schema([*fields, *(one.field() for one in self.columns)])


class SharedFunction(BatchFunction):
    """A function whose pickle is always the same object in a process, with what it has compiled."""

    @abstractmethod
    def arguments(self) -> dict[str, Any]:
        """Return the arguments that make an equal function, each of which can be pickled."""

    has_types = False
    """Whether the arguments depend on classes of a program."""

    def __reduce__(self) -> tuple[Any, ...]:
        state = type(self), self.arguments()
        if self.has_types:
            return _made, state  # as the pickler at hand pickles classes
        return _shared, (pickle.dumps(state),)


@lru_cache(maxsize=_FUNCTIONS_KEPT)
def _shared(state: bytes) -> BatchFunction:
    return _made(*pickle.loads(state))  # noqa: S301 - a part of a pickle


def _made(kind: type[BatchFunction], arguments: dict[str, Any]) -> BatchFunction:
    return kind(**arguments)


def _names(given: Iterable[str]) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"keep must contain names of columns, not {type(name).__name__}")
    return tuple(dict.fromkeys(names))
