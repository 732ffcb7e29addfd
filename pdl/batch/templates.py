"""`Templates`: a prompt that is rendered with the values of each row."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.batch.columns import ColumnError
from pdl.decoding import JsonError, strict_json
from pdl.errors import PdlError, Problem, an_instance
from pdl.prompt import Prompt
from pdl.reply.validation.schema_walk import Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pdl.batch.columns import Columns
    from pdl.prompt import Rendered

Data: TypeAlias = "str | Iterable[str] | Mapping[str, str] | None"
"""The columns of a prompt's values: their names, which are those of the variables; the names by
variable; or one column of objects (or of their JSON texts) with all values of a row.

By default, the columns that have names of variables.
"""

RowValues: TypeAlias = "dict[str, Any] | Problem"
"""The values of a row, or why it has none."""

_EXACT = 2**53  # below it, each integer is a double, and no other one is the same double


class Templates:
    """A prompt, the columns that its values are in, and the `values` that are the same everywhere.

    It can be pickled; the files of the prompt's directory are read again where it is unpickled.
    Raises TypeError for arguments of other types, ValueError for a variable that has two values.
    """

    def __init__(
        self, prompt: Prompt, data: Data = None, values: Mapping[str, Any] | None = None
    ) -> None:
        if not isinstance(prompt, Prompt):
            raise TypeError(f"prompt must be a pdl.Prompt, not {an_instance(type(prompt))}")
        self.prompt = prompt
        self.values = dict(values or {})
        self.object_column = data if isinstance(data, str) else None
        self.columns = None if data is None or isinstance(data, str) else _columns(data)
        for name in self.columns or ():
            if name in self.values:
                raise ValueError(f"`{name}` must be in data or in values, not in both")
        self.fingerprint = prompt.fingerprint

    def __reduce__(self) -> tuple[Any, ...]:
        data = self.object_column if self.columns is None else self.columns
        return _unpickled, (_packed(self.prompt), data, self.values, self.fingerprint)

    @property
    def has_types(self) -> bool:
        """Whether the prompt can name Python types."""
        return self.prompt.types is not False

    @property
    def variables(self) -> tuple[str, ...]:
        """The names that the prompt can get values for."""
        inputs = self.prompt.inputs
        return inputs.names if inputs is not None else self.prompt.variables

    @property
    def _required(self) -> tuple[str, ...]:
        inputs = self.prompt.inputs
        if inputs is None:
            return ()
        required = inputs.schema.document.get("required", ())
        return tuple(name for name in required if name not in inputs.defaults)

    def rows(self, batch: Columns) -> Sequence[RowValues]:
        """Return the values of each row. Raises ColumnError for a column that is missing."""
        if self.object_column is not None:
            cells = batch.values(self.object_column, "data")
            return [_of_object(self.object_column, cell) for cell in cells]
        columns = self._columns_in(batch)
        found = {name: self._cells(batch, name, column) for name, column in columns.items()}
        required = self._required if self.prompt.inputs is not None else found
        return [
            {
                name: cells[row]
                for name, cells in found.items()
                if cells[row] is not None or name in required
            }
            for row in range(batch.rows)
        ]

    def _cells(self, batch: Columns, name: str, column: str) -> list[Any]:
        """The values of a variable: integers if it wants them, also if a null made them floats."""
        cells, inputs = batch.values(column, "data"), self.prompt.inputs
        if inputs is None or not Node(inputs.schema.document).at(name).wants_integer:
            return cells
        return [_as_int(one) if isinstance(one, float) else one for one in cells]

    def _columns_in(self, batch: Columns) -> Mapping[str, str]:
        if self.columns is not None:
            return self.columns
        names = batch.names
        for name in self._required:
            if name not in names and name not in self.values:
                batch.values(name, "data")  # which raises the error
        free = (name for name in self.variables if name not in self.values)
        return {name: name for name in free if name in names}

    def render(self, values: Mapping[str, Any], *, prefill: bool = False) -> Rendered:
        """Render the prompt with the values of a row. Raises PromptError."""
        return self.prompt.render({**self.values, **values}, prefill=prefill)


def _as_int(value: float) -> float | int:
    """A whole number as an integer, unless it is so large that another one can be meant."""
    return int(value) if value.is_integer() and abs(value) < _EXACT else value


def _columns(data: Iterable[str] | Mapping[str, str]) -> dict[str, str]:
    made = dict(data) if isinstance(data, Mapping) else {name: name for name in data}
    for name in (*made, *made.values()):
        if not isinstance(name, str):
            raise TypeError(f"data must contain names of columns, not {an_instance(type(name))}")
    return made


def _of_object(column: str, cell: Any) -> RowValues:
    """The values in a cell: an object, the JSON text of one, or nothing."""
    if isinstance(cell, str):
        try:
            cell = strict_json(cell)
        except JsonError as error:
            return Problem("batch/values", f"`{column}` {error}")
    if cell is None:
        return {}
    if isinstance(cell, Mapping) and all(isinstance(name, str) for name in cell):
        return dict(cell)
    found = an_instance(type(cell))
    return Problem("batch/values", f"`{column}`: expected an object, found {found}")


def _packed(prompt: Prompt) -> Any:
    """A prompt as bytes, which are unpickled once in a process; not with types of a program."""
    return pickle.dumps(prompt) if isinstance(prompt.types, bool) else prompt


@lru_cache(maxsize=64)
def _unpacked(packed: bytes) -> Prompt:
    prompt: Prompt = pickle.loads(packed)  # noqa: S301 - a part of a pickle
    return prompt


def _unpickled(packed: Any, data: Data, values: Mapping[str, Any], fingerprint: str) -> Templates:
    prompt = _unpacked(packed) if isinstance(packed, bytes) else packed
    made = Templates(prompt, data, values)
    if made.fingerprint != fingerprint:
        message = f"{prompt.source.name}: the files of this prompt differ here from where it comes"
        hint = "copy its directory to each node, with the same content"
        raise ColumnError(Problem("batch/files", message, None, hint))
    return made


def first_line(error: PdlError) -> str:
    """Return what is wrong first, on one line."""
    problem = error.problem
    return f"{problem.message}; {problem.hint}" if problem.hint else problem.message
