"""`Asker`: a prompt asked of a model with the values of each row, one row of results for each."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from pdl._types import format_path
from pdl.batch.asking import Asked, Connections, Pace, Round, desk_of
from pdl.batch.checker import LIMIT, Checker
from pdl.batch.columns import BatchFunction, Column, columns_of, transposed
from pdl.batch.templates import Templates
from pdl.errors import Problem, PromptError
from pdl.models.blocking_portal import lasting
from pdl.models.options import AskKwargs, AskOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Mapping

    from pdl.batch.columns import Batch, Cells, Columns
    from pdl.batch.templates import Data, RowValues
    from pdl.models.arguments import Models
    from pdl.models.budget import Budget
    from pdl.prompt import Prompt, Rendered
    from pdl.schema.arrow_forms import Form

_UNFIT = frozenset({"default", "on_delta", "on_partial", "stream", "tools"})
"""Options of `ask` that a batch does not have."""


class Asker(BatchFunction):
    """A function of batches that asks a model for each row: `Asker(prompt, model)(batch)`.

    A batch is a dict of lists or arrays, a DataFrame of pandas or polars, or a Table or RecordBatch
    of pyarrow, and so is the result: a row for each row, in order. `data` names the columns that
    the prompt is rendered with (by default those with names of its variables), `values` are the
    same for all rows, and `keep` names the columns that the result keeps (by default `id`).

    `model` is what `pdl.ask` takes: a name, a model, a function, or a list of them; None for the
    prompt's own. `base_url` is the address of models that are named. In each process, at most
    `concurrency` rows are asked at the same time; `rate` and `token_rate` bound the calls and the
    tokens of a minute. A call that the provider turns away because of its rate is not an attempt:
    it is made again when the provider allows it, and until then no other starts. `options` are
    those of `ask`: `retries`, `cache`, `budget`, `timeout`, `config`, … With a `cache`, rows of a
    process that make the same request are asked once.

    Columns: `ok`, `value` (its JSON), `reason`, `reply` (the last one), `attempts` (calls that were
    made), `input_tokens`, `output_tokens`, `cost` (by the prices of the budget), `error`, and
    `fingerprint` (of the prompt). A row fails by itself; `reason` is then that of the check, the
    kind of the transport error (`rate-limited`, `timeout`, …), the bound that ended it (`tokens`,
    `cost`, `time`), `not-rendered` for values that the prompt refuses, `not-sent` for what the
    provider can't be sent, `tool-calls`, `unchecked` for an exception, or `limit` for a value that
    the column's type of Arrow does not have. After a transport error that no retry fixes, such as a
    missing key, or five rows in succession that end by another one, the rest of the batch is not
    asked; it has that reason.

    It works inside a running event loop; `call_async` waits for a batch without blocking the loop.
    It can be pickled, but no key is: pass the name of the model, and each process reads the key
    from its environment. Raises ConfigError for a model that can't be connected to, FileError for a
    cache that can't be used, TypeError and ValueError for other arguments.
    """

    def __init__(  # noqa: PLR0913 - what is asked, of whom, and how fast
        self,
        prompt: Prompt,
        model: Models | None = None,
        *,
        data: Data = None,
        values: Mapping[str, Any] | None = None,
        keep: Iterable[str] | None = None,
        concurrency: int = 8,
        rate: float | None = None,
        token_rate: float | None = None,
        base_url: str | None = None,
        **options: Unpack[AskKwargs],
    ) -> None:
        pace = Pace(concurrency, rate, token_rate)
        connections = Connections(_several(model), base_url)
        templates = Templates(prompt, data, values)
        self._set(uuid.uuid4().hex, templates, connections, pace, _checked(options), keep)

    def _set(  # noqa: PLR0913, PLR0917 - as pickle passes them
        self,
        token: str,
        templates: Templates,
        connections: Connections,
        pace: Pace,
        options: AskKwargs,
        keep: Iterable[str] | None,
    ) -> None:
        self._token = token
        self._templates = templates
        self._connections = connections
        self._pace = pace
        self._options = options
        checker = Checker.of(templates.prompt, values=templates.values)
        (self._value,) = (one for one in checker.columns if one.name == "value")
        super().__init__((_COLUMNS[0], self._value, *_COLUMNS[1:]), keep)

    @property
    def budget(self) -> Budget | None:
        """What all rows may spend, and have spent."""
        return self._options.get("budget")

    @property
    def templates(self) -> Templates:
        """The prompt, and the columns of its values."""
        return self._templates

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self._templates, self._connections, self._pace, self._options, self.keep
        return _restored, (type(self), self._token, *parts)

    def cells(self, batch: Columns) -> Cells:
        """Return the cells of the results. Raises what concerns the whole batch."""
        return self._cells(batch, lasting().run(self._asked(batch)))

    def each(self, batch: Any, done: Callable[[int, Asked], None]) -> None:
        """Call `done` with what came of each row as soon as it ends, and with its index.

        It is called in the thread of the event loop; what it raises ends the asking.
        """
        lasting().run(self._asked(columns_of(batch), done))

    async def call_async(self, batch: Batch) -> Batch:
        """Do the same as a call, while the event loop runs on; cancelling it stops the asking."""
        given = columns_of(batch)
        found = await asyncio.wrap_future(lasting().start(self._asked(given)))
        made: Batch = given.result(self._kept(given.names), self.columns, self._cells(given, found))
        return made

    def _asked(
        self, batch: Columns, done: Callable[[int, Asked], None] | None = None
    ) -> Coroutine[Any, Any, list[Asked]]:
        desk = desk_of(self._token, self._pace)
        rows = self._templates.rows(batch)
        return Round(desk, self._connections, self._options, self._rendered, done).asked(rows)

    def _rendered(self, values: RowValues) -> Rendered:
        if isinstance(values, Problem):
            raise PromptError(values)
        return self._templates.render(values, prefill=False)

    def _cells(self, batch: Columns, found: list[Asked]) -> Cells:
        if batch.typed and self._value.form is not None:
            form = self._value.form()
            found = [_fitted(one, form) for one in found]
        cells = transposed(found, len(Asked._fields))
        return [*cells, [self._templates.fingerprint] * len(found)]


_COLUMNS = (
    Column("ok", "bool"),
    Column("reason"),
    Column("reply"),
    Column("attempts", "int"),
    Column("input_tokens", "int"),
    Column("output_tokens", "int"),
    Column("cost", "float"),
    Column("error"),
    Column("fingerprint"),
)


def _fitted(one: Asked, form: Form) -> Asked:
    """What came of a row, with the value as Arrow has it; it fails if that does not exist."""
    from pdl.schema.arrow_forms import UnfitError  # noqa: PLC0415 - needs pyarrow

    if not one.ok:
        return one
    try:
        return one._replace(value=form.put(one.value))
    except UnfitError as error:
        told = f"{format_path(error.path)}: {error}"
        return one._replace(ok=False, value=None, reason=LIMIT, error=told)


def _several(model: object) -> tuple[Any, ...] | None:
    """The models that were given; None for that of the prompt. Raises ValueError for no model."""
    if model is None:
        return None
    several = tuple(model) if isinstance(model, Sequence) and not isinstance(model, str) else None
    if several == ():
        raise ValueError("model must not be an empty list")
    return (model,) if several is None else several


def _checked(options: AskKwargs) -> AskKwargs:
    """The options of each ask. Raises TypeError and ValueError for invalid ones."""
    for name in options:
        if name in _UNFIT:
            raise TypeError(f"an Asker has no option `{name}`")
    AskOptions.of(options)
    return options


def _restored(kind: type[Asker], *parts: Any) -> Asker:
    made = kind.__new__(kind)
    made._set(*parts)  # noqa: SLF001 - of this module
    return made
