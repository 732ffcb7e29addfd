"""`Checker`: the replies of a column checked against a schema, one row of results for each."""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple

from pdl import reply as replies
from pdl.batch.columns import Column, SharedFunction, transposed
from pdl.batch.templates import Templates, first_line
from pdl.errors import Problem, PromptError, an_instance
from pdl.gbnf.limits_errors import uncollected
from pdl.prompt.inputs import as_json
from pdl.schema.model import schema_of
from pdl.schema.parts import SourceMap

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from pdl._types import Json
    from pdl.batch.columns import Cells, Columns
    from pdl.batch.templates import Data, RowValues
    from pdl.prompt import Prompt
    from pdl.reply import Coercions
    from pdl.schema import Schema
    from pdl.schema.arrow_forms import Form

NO_REPLY = "no-reply"
"""The reason of a row whose reply is null, or is not a string."""
NO_SCHEMA = "no-schema"
"""The reason of a row whose values the prompt refuses, so that it has no schema."""
UNCHECKED = "unchecked"
"""The reason of a row that pdl itself, or a rule of the type, failed to check."""
LIMIT = "limit"
_DIGITS = 16  # of a digest: 64 bits
_UNCOLLECTED = 500  # rows that are checked before the collector runs
_SCHEMAS_KEPT = 1000  # of rows that bring values


def reply_digest(reply: str, context: Json = None) -> str:
    """Return a digest of a reply, and of the values that came with it: 16 hex digits."""
    data = reply.encode("utf-8", "surrogatepass")
    if context is not None:
        data += b"\0" + json.dumps(context, sort_keys=True, default=str).encode()
    return _digest(data)


def schema_digest(schema: Schema | None, coercions: Coercions, *sources: Json) -> str:
    """Return a digest of what decides how a reply is checked: 16 hex digits.

    `sources` are what the schemas of rows depend on.
    """
    asked: Json = None
    if schema is not None:
        asked = [schema.to_json_schema(), schema.form, schema.lang, schema.tasks]
    parts = [asked, dataclasses.asdict(coercions), *sources]
    return _digest(json.dumps(parts, sort_keys=True, default=str).encode())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_DIGITS]


class Row(NamedTuple):
    """The result of one reply: the cells of the columns of a `Checker`, in their order."""

    ok: bool
    value: Json
    reason: str | None
    summary: str
    errors: list[dict[str, Json]]
    feedback: str
    repairs: list[str]
    reply_digest: str | None
    schema_digest: str | None


class Checker(SharedFunction):
    """A function of batches that checks a column of replies: `Checker(schema)(batch)`.

    A batch is a dict of lists or arrays, a DataFrame of pandas or polars, or a Table or RecordBatch
    of pyarrow, and so is the result: a row for each row, in order. `schema` is one, a Python type,
    or None, for which the whole reply is the answer. `reply` names the column of replies, `keep`
    those that the result keeps (by default `id`, if there is one).

    A row is what `pdl.check` finds: `ok`, `value` (its JSON), `reason`, `summary`, `errors`,
    `feedback`, and `repairs` (their kinds). `reply_digest` and `schema_digest` identify what was
    checked, and `fingerprint` the prompt, where there is one. A row fails by itself: with the
    reason `no-reply` for a reply that is null or not a string, `no-schema` for values that the
    prompt refuses, `unchecked` for an exception (`summary` has it), and `limit` also for a value
    that the column's type of Arrow does not have.

    It can be pickled, and compiles its schema once in each process. Raises SchemaError for a type
    without a schema, TypeError for arguments of other types.
    """

    def __init__(
        self,
        schema: Any,
        *,
        coercions: Coercions | None = None,
        reply: str = "reply",
        keep: Iterable[str] | None = None,
    ) -> None:
        if not isinstance(reply, str):
            raise TypeError(f"reply must be the name of a column, not {type(reply).__name__}")
        self.coercions = replies.Coercions() if coercions is None else coercions
        if not isinstance(self.coercions, replies.Coercions):
            raise TypeError(f"coercions must be Coercions, not {type(coercions).__name__}")
        given = schema if isinstance(schema, _Against) else _Against(schema_of(schema))
        self.reply = reply
        self._against = given
        self._schemas = _Schemas(given, self.coercions)
        prompt = [Column("fingerprint")] if given.templates is not None else []
        columns = (_COLUMNS[0], Column("value", form=self._form), *_COLUMNS[1:], *prompt)
        super().__init__(columns, keep)

    @classmethod
    def of(  # noqa: PLR0913 - each is an option
        cls,
        prompt: Prompt,
        *,
        data: Data = None,
        values: Mapping[str, Any] | None = None,
        coercions: Coercions | None = None,
        reply: str = "reply",
        keep: Iterable[str] | None = None,
    ) -> Self:
        """Return the checker of a prompt's replies.

        If its schema depends on values, the prompt is rendered with those of each row: `data` are
        their columns, by default those that have names of its variables, and `values` are the same
        for all rows. The value is then JSON text in Arrow. Raises PromptError for an invalid schema
        that depends on no values.
        """
        against = _Against.of(Templates(prompt, data, values))
        return cls(against, coercions=coercions, reply=reply, keep=keep)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments that make an equal checker."""
        options = {"coercions": self.coercions, "reply": self.reply, "keep": self.keep}
        return {"schema": self._against.small(), **options}

    @property
    def has_types(self) -> bool:  # type: ignore[override]
        """Whether it depends on classes of a program."""
        return self._against.has_types

    @property
    def schema(self) -> Schema | None:
        """The schema of all replies; None if they have none, or each its own."""
        return self._against.schema

    def _form(self) -> Form:
        from pdl.schema.arrow import form_of  # noqa: PLC0415 - needs pyarrow
        from pdl.schema.arrow_forms import JSON_TEXT, TEXT  # noqa: PLC0415

        if not self._against.is_fixed:
            return JSON_TEXT
        return TEXT if self.schema is None else form_of(self.schema.document)

    def check(self, reply: object, values: RowValues | None = None) -> Row:
        """Return the result of one reply, with the values of its row."""
        given = reply if isinstance(reply, str) else None
        digest = None if given is None else reply_digest(given, values or None)
        found = self._schemas.of(values)
        if given is None:
            wanted = "null" if reply is None else an_instance(type(reply))
            return _failed(NO_REPLY, f"expected a string, found {wanted}", digest, None)
        if isinstance(found, Problem):
            return _failed(NO_SCHEMA, found.message, digest, None)
        schema, against = found
        try:
            check = replies.check(schema, given, coercions=self.coercions)
        except Exception as error:  # noqa: BLE001  (a bug in pdl costs one row, not the batch)
            message = f"pdl failed to check this reply: {type(error).__name__}: {error}"
            return _failed(UNCHECKED, message, digest, against)
        return Row(
            check.ok,
            check.data,
            check.reason,
            check.summary,
            [one.to_json() for one in check.errors],
            check.feedback,
            [one.kind for one in check.repairs],
            digest,
            against,
        )

    def cells(self, batch: Columns) -> Cells:
        """Return the cells of the results."""
        given = batch.values(self.reply, "reply")
        templates = self._against.templates
        values: Iterable[RowValues | None] = itertools.repeat(None)
        if not self._against.is_fixed and templates is not None:
            values = templates.rows(batch)
        pairs, rows = zip(given, values, strict=False), list[Row]()
        while some := [*itertools.islice(pairs, _UNCOLLECTED)]:
            with uncollected():
                rows += itertools.starmap(self.check, some)
        if batch.typed:
            form = self._form()
            rows = [_fitted(row, form) for row in rows]
        found = transposed(rows, len(Row._fields))
        return found if templates is None else [*found, [templates.fingerprint] * len(rows)]


_ERRORS = [
    {**dict.fromkeys(("path", "keyword", "found", "wanted", "message"), "text"), "span": ["int"]}
]
_COLUMNS = (
    Column("ok", "bool"),
    Column("reason"),
    Column("summary"),
    Column("errors", _ERRORS),
    Column("feedback"),
    Column("repairs", ["text"]),
    Column("reply_digest"),
    Column("schema_digest"),
)


def _failed(reason: str, message: str, reply: str | None, schema: str | None) -> Row:
    error = replies.Violation((), message, reason).to_json()
    ok = False
    return Row(ok, None, reason, f"{reason}: {message}", [error], "", [], reply, schema)


def _fitted(row: Row, form: Form) -> Row:
    """The row with the value as Arrow has it; it fails if that does not exist."""
    from pdl.schema.arrow_forms import UnfitError  # noqa: PLC0415 - needs pyarrow

    if not row.ok:
        return row
    try:
        return row._replace(value=form.put(row.value))
    except UnfitError as error:
        message = str(error)
        violation = replies.Violation(error.path, message, "arrow").to_json()
        told = _failed(LIMIT, f"{violation['path']} {message}", row.reply_digest, row.schema_digest)
        return told._replace(errors=[violation], repairs=row.repairs)


class _Against(NamedTuple):
    """What replies are checked against: one schema (or None), or that of each row."""

    schema: Schema | None
    templates: Templates | None = None
    is_fixed: bool = True

    @property
    def has_types(self) -> bool:
        """Whether it depends on classes of a program."""
        if self.schema is not None and self.schema.python_type is not None:
            return True
        return self.templates is not None and self.templates.has_types

    def small(self) -> Self:
        """Return it without the source of the schema, which no check needs."""
        if self.schema is None:
            return self
        return self._replace(schema=dataclasses.replace(self.schema, source_map=SourceMap()))

    @classmethod
    def of(cls, templates: Templates) -> Self:
        template = templates.prompt.template
        if template is None:
            templates.render({}, prefill=True)  # which raises what is wrong
        assert template is not None
        is_constant, schema = template.constant_schema
        if not is_constant and not templates.prompt.variables:
            is_constant, schema = True, templates.render({}, prefill=True).schema
        return cls(schema, templates, is_constant)


class _Schemas:
    """The schemas of rows with their digests: those of the last values are kept."""

    def __init__(self, against: _Against, coercions: Coercions) -> None:
        self._against = against
        self._coercions = coercions
        self._fixed = against.schema, schema_digest(against.schema, coercions)
        self._by_values: OrderedDict[str, tuple[Schema | None, str] | Problem] = OrderedDict()
        self._by_digest: OrderedDict[str, Schema | None] = OrderedDict()

    def of(self, values: RowValues | None) -> tuple[Schema | None, str] | Problem:
        if self._against.is_fixed:
            return self._fixed
        if values is None or isinstance(values, Problem):
            return values or Problem("batch/values", "the schema depends on values")
        try:
            key = json.dumps(as_json(values), sort_keys=True)
        except (TypeError, ValueError):  # a value that JSON does not have
            return self._rendered(values)
        found = self._by_values.get(key)
        if found is None:
            found = self._by_values[key] = self._rendered(values)
            _shorten(self._by_values)
        return found

    def _rendered(self, values: Mapping[str, Any]) -> tuple[Schema | None, str] | Problem:
        assert self._against.templates is not None
        try:
            schema = self._against.templates.render(values, prefill=True).schema
        except PromptError as error:
            return Problem("batch/values", first_line(error))
        digest = schema_digest(schema, self._coercions)
        known = self._by_digest.setdefault(digest, schema)  # equal schemas are compiled once
        _shorten(self._by_digest)
        return known, digest


def _shorten(kept: OrderedDict[str, Any]) -> None:
    if len(kept) > _SCHEMAS_KEPT:
        kept.popitem(last=False)
