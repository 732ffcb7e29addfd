"""`GrammarCompiler`: the grammars of a column of schemas, or of a prompt's, and their reports."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pdl import gbnf
from pdl.batch.checker import schema_digest
from pdl.batch.columns import Column, ColumnError, SharedFunction, transposed
from pdl.batch.templates import Templates
from pdl.errors import PdlError, Problem, an_instance
from pdl.reply import Coercions
from pdl.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Self

    from pdl.batch.columns import Cells, Columns
    from pdl.batch.templates import Data, RowValues
    from pdl.gbnf import Options
    from pdl.prompt import Prompt

_GRAMMARS_KEPT = 1000
_COLUMNS = (
    Column("gbnf"),
    Column("exact", "bool"),
    Column("report", [dict.fromkeys(("pointer", "keyword", "level", "why"), "text")]),
    Column("schema_digest"),
    Column("error"),
)


class Row(NamedTuple):
    """The cells of one row, in the order of the columns."""

    gbnf: str | None = None
    exact: bool = False
    report: list[dict[str, str]] | None = None
    schema_digest: str | None = None
    error: str | None = None


class GrammarCompiler(SharedFunction):
    """A function of batches that compiles the schemas of a column to grammars.

    `schema` names the column. A cell is a JSON Schema (an object, or its JSON text), or a text of
    the schema DSL. A row has the grammar as `gbnf`; `exact`, whether it enforces all of the schema;
    the `report`, a list with the `pointer`, `keyword`, `level`, and `why` of each keyword; and
    `schema_digest`, as that of a `Checker` without coercions. `error` says why there is no grammar.

    `options` say how the grammar spells values. `strict` makes an error of what it can't enforce.
    `keep` names columns that the result keeps (by default `id`, if there is one).
    """

    def __init__(
        self,
        schema: str | Templates = "schema",
        *,
        options: Options | None = None,
        strict: bool = False,
        keep: Iterable[str] | None = None,
    ) -> None:
        if not isinstance(schema, str | Templates):
            raise TypeError(f"schema must name a column, not be {an_instance(type(schema))}")
        self.options = gbnf.Options.generate() if options is None else options
        if not isinstance(self.options, gbnf.Options):
            raise TypeError(f"options must be gbnf.Options, not {type(options).__name__}")
        self.schema = schema
        self.strict = strict
        self._read = lru_cache(_GRAMMARS_KEPT)(_schema_of_text)
        self._compiled = lru_cache(_GRAMMARS_KEPT)(self._row)
        super().__init__(_COLUMNS, keep)

    @classmethod
    def of(  # noqa: PLR0913 - each is an option
        cls,
        prompt: Prompt,
        *,
        data: Data = None,
        values: Mapping[str, Any] | None = None,
        options: Options | None = None,
        strict: bool = False,
        keep: Iterable[str] | None = None,
    ) -> Self:
        """Return the compiler of the schema that a prompt has for the values of each row."""
        return cls(Templates(prompt, data, values), options=options, strict=strict, keep=keep)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that make an equal compiler."""
        options = {"options": self.options, "strict": self.strict, "keep": self.keep}
        return {"schema": self.schema, **options}

    @property
    def has_types(self) -> bool:  # type: ignore[override]
        """Whether it depends on classes of a program."""
        return isinstance(self.schema, Templates) and self.schema.has_types

    def cells(self, batch: Columns) -> Cells:
        """Return the cells of the results."""
        if isinstance(self.schema, Templates):
            prompt = self.schema
            rows = [self._tried(_prompt_schema, prompt, one) for one in prompt.rows(batch)]
        else:
            rows = [self.compile(cell) for cell in batch.values(self.schema, "schema")]
        return transposed(rows, len(_COLUMNS))

    def compile(self, cell: object) -> Row:
        """Return the result for one schema."""
        if isinstance(cell, Mapping):
            return self._tried(Schema.from_json_schema, cell)
        if isinstance(cell, str):
            return self._tried(self._read, cell)
        found = "null" if cell is None else an_instance(type(cell))
        return Row(error=f"expected a schema, found {found}")

    def _tried(self, read: Callable[..., Schema], *given: Any) -> Row:
        try:
            return self._compiled(read(*given))
        except PdlError as error:
            return Row(error=str(error))

    def _row(self, schema: Schema) -> Row:
        found = gbnf.compile(schema, self.options, strict=self.strict)
        report = found.report
        digest = schema_digest(schema, Coercions())
        return Row(str(found.grammar), report.is_exact, report.to_json(), digest)


def _schema_of_text(text: str) -> Schema:
    """The schema of a text: a JSON Schema if it is a JSON object, else the DSL."""
    if text.lstrip().startswith("{"):
        try:
            found = json.loads(text)
        except ValueError:
            found = None
        if isinstance(found, dict):
            return Schema.from_json_schema(found)
    return Schema.parse(text)


def _prompt_schema(templates: Templates, values: RowValues) -> Schema:
    """Return the schema of a prompt for the values of a row. Raises PdlError."""
    if isinstance(values, Problem):
        raise ColumnError(values)
    schema = templates.render(values, prefill=True).schema
    if schema is None:
        raise ColumnError(Problem("schema/none", "this prompt has no `schema` turn"))
    return schema
