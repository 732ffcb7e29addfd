"""`Schema`: the one value that says what an answer must look like."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import UnionType
from typing import TYPE_CHECKING, Any, Generic, NewType, TypeVar, get_args, get_origin, overload

from pdl._types import T
from pdl.errors import SchemaError
from pdl.limits import DEFAULT_LIMITS, Limits, check_limits
from pdl.schema.parts import Form, SchemaParts, SourceMap
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    import pyarrow as pa

    from pdl._types import JsonSchema

V = TypeVar("V")


def schema_type_error(
    given: object, wanted: str = "a pdl.Schema", name: str = "schema"
) -> TypeError:
    """The error for a value that is not a schema; it names the function that makes one of it."""
    advice = ""
    if isinstance(given, Mapping | bool):
        advice = ": use pdl.Schema.from_json_schema for a JSON Schema"
    elif isinstance(given, str):
        advice = ": use pdl.Schema.parse for the schema DSL"
    elif isinstance(given, type) or hasattr(given, "__origin__"):
        advice = ": use pdl.Schema.from_type for a Python type"
    kind = given.__name__ if isinstance(given, type) else type(given).__name__
    article = "the type " if isinstance(given, type) else ""
    return TypeError(f"{name} must be {wanted}, not {article}{kind}{advice}")


def is_type(given: object) -> bool:
    """Whether a value is a type: a class, `list[int]`, `int | None`, an alias."""
    forms = (type, UnionType, NewType)
    return isinstance(given, forms) or get_origin(given) is not None or hasattr(given, "__value__")


_WANTED = "a pdl.Schema, a Python type or None"


def schema_of(given: object, wanted: str = _WANTED) -> Schema | None:
    """Return a schema as it is, that of a Python type, or None for None.

    Raises TypeError for anything else, SchemaError for a type that has no schema.
    """
    if given is None or isinstance(given, Schema):
        return given
    if not is_type(given):
        raise schema_type_error(given, wanted)
    return schema_of_type(given)


def schema_of_type(form: Any) -> Schema:
    """Return the schema of a Python type, which is made once. Raises SchemaError if it has none."""
    try:
        return _of_type(form, spelling(form))
    except TypeError:  # metadata of `Annotated` without a hash
        return Schema.from_type(form)


def spelling(form: Any) -> str:
    """Return what distinguishes equal types: `A | B` equals `B | A`, but its order matters."""
    return "" if isinstance(form, type) and not get_args(form) else repr(form)


@lru_cache(maxsize=256)
def _of_type(form: Any, _: str) -> Schema:
    return Schema.from_type(form)


# The methods import what they need when they are called: the parser alone takes as long to load as
# everything else that `pdl check` does, and most programs use one or two of these methods.
# ruff: noqa: PLC0415

_LINE = 80  # characters of a schema in a repr


@dataclass(frozen=True)
class Schema(Generic[T]):
    """What an answer must look like: make one with `parse`, `from_json_schema` or `from_type`.

    `document` is a JSON Schema 2020-12 object, never changed, in which every `$ref` is `#` and a
    JSON pointer into it. `form` says how the answer is written: `json`; `text`, the reply as it is;
    `yesno`; `code`, one fenced block, with the info string `lang` if that is set; or `tasklist`,
    with between `tasks[0]` and `tasks[1]` tasks. The document describes the value that results.
    `python_type` is the type that the schema was made of: values of answers are its instances, as
    type checkers know (`Schema[T]`). None if there is none; schemas are equal without it.
    Raises TypeError for a document that is not a mapping, ValueError for another form.
    """

    document: JsonSchema
    form: Form = "json"
    lang: str | None = None
    tasks: tuple[int | None, int | None] = (None, None)
    source_map: SourceMap = field(default=SourceMap(), compare=False, repr=False)
    python_type: Any = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse a value of which another function makes a schema."""
        if not isinstance(self.document, Mapping):
            raise schema_type_error(self.document, "a JSON Schema object", "document")
        if self.form not in get_args(Form):
            raise ValueError(f"form must be one of {', '.join(get_args(Form))}, not {self.form!r}")

    @classmethod
    def parse(
        cls,
        dsl: str | Source,
        *,
        name: str = "<schema>",
        limits: Limits = DEFAULT_LIMITS,
        resolve: Callable[[str], tuple[str, str]] | None = None,
    ) -> Self:
        """Parse a schema: the schema DSL, a JSON Schema in a fenced code block, or `@file.json`.

        `name` is the name in errors of a string that is not a `Source`. `resolve` is called with
        the text after the `@` and returns that file's text and name. Raises SchemaError with all
        problems and their positions, LimitError for a text that is too long or too deep, TypeError
        for anything but a string or a `Source`.
        """
        from pdl.schema.text import parse

        if not isinstance(dsl, str | Source):
            raise schema_type_error(dsl, "a str or a pdl Source", "dsl")
        check_limits(limits)
        source = dsl if isinstance(dsl, Source) else Source(dsl, name)
        return cls(*parse(source, limits, resolve))

    @classmethod
    def from_json_schema(
        cls,
        schema: Any,
        *,
        registry: Mapping[str, Any] | None = None,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Self:
        """Convert a JSON Schema of draft 4 to 2020-12, which is not changed.

        `registry` has the schemas of other documents by their URIs (absolute, without a fragment);
        nothing is ever fetched. Raises SchemaError with the JSON pointer of each invalid keyword
        value and each reference that points outside the document or to nothing; LimitError for a
        schema that is too deep.
        """
        from pdl.schema.json_schema import convert

        check_limits(limits)
        return cls(*convert(schema, limits, registry))

    @overload
    @classmethod
    def from_type(cls, form: type[V]) -> Schema[V]: ...

    @overload
    @classmethod
    def from_type(cls, form: Any) -> Schema[Any]: ...

    @classmethod
    def from_type(cls, form: Any) -> Schema[Any]:
        """Convert a Python type: a pydantic model, a dataclass, a TypedDict, `list[int]`.

        Raises SchemaError for a type that has no schema, naming its location.
        """
        from pdl.schema.python_types import convert

        return cls(*convert(form), python_type=form)

    def __repr__(self) -> str:
        from pdl.schema.dsl.write import write
        from pdl.schema.json_values import json_line

        try:
            text = repr(write(self._parts, exact=True))
        except SchemaError:
            text = json_line(self.document)
        except Exception:  # noqa: BLE001 - a debugger also shows an invalid document
            text = reprlib.repr(self.document)
        return f"Schema({text if len(text) <= _LINE else f'{text[: _LINE - 1]}…'})"

    def __str__(self) -> str:
        """The schema DSL; a JSON Schema in a fenced code block where the DSL cannot express all."""
        from pdl.schema.dsl.write import write
        from pdl.schema.json_values import json_document

        try:
            return write(self._parts, exact=True)
        except SchemaError:
            return f"```json\n{json_document(self.document)}\n```"

    def _repr_markdown_(self) -> str:
        from pdl.schema.json_values import fenced

        return fenced(str(self))

    def _repr_html_(self) -> str:
        from pdl.markup import Room, shown, title

        room = Room()
        parts = [title("schema"), room.block(str(self))]
        return shown(*parts, title("as a model reads it"), room.block(self.describe()))

    def __eq__(self, other: object) -> bool:
        """Equality by content, in which true is not 1; the order of keys is ignored."""
        if not isinstance(other, Schema):
            return NotImplemented
        if (self.form, self.lang, self.tasks) != (other.form, other.lang, other.tasks):
            return False
        from pdl.schema.json_values import same_json

        return self.document is other.document or same_json(self.document, other.document)

    def __hash__(self) -> int:
        """A hash by content, as equality is, computed each time in linear time."""
        from pdl.schema.json_values import content_hash

        return hash((self.form, self.lang, self.tasks, content_hash(self.document)))

    @property
    def _parts(self) -> SchemaParts:
        return SchemaParts(self.document, self.form, self.lang, self.tasks, self.source_map)

    def to_json_schema(self) -> dict[str, Any]:
        """Return a JSON Schema 2020-12 object of the answer's value, which you can change."""
        from pdl.schema.json_values import copy_json

        document: dict[str, Any] = copy_json(self.document)
        return document

    def to_dsl(self) -> str:
        """Return the canonical text of the schema in the schema DSL, without a final newline.

        Annotations other than descriptions and defaults of fields become words in comments. Raises
        SchemaError with each assertion that the DSL cannot express, and its path.
        """
        from pdl.schema.dsl.write import write

        return write(self._parts)

    def to_arrow(self) -> pa.DataType:
        """Return the type of Arrow that all values of the schema have, which needs pyarrow.

        Scalars, lists, closed objects, and maps have their types; anything else is a string of JSON
        text, marked by the metadata `pdl.json` where it is a field. Raises ConfigError without
        pyarrow.
        """
        from pdl.schema.arrow import form_of

        return form_of(self.document).type

    def describe(self) -> str:
        """Return instructions for a model on what to answer; `{{ schema }}` prints them."""
        from pdl.schema.describe import describe

        return describe(self._parts)
