"""What Python's types do not say by themselves, and a schema does.

`Constraints` and `AnswerForm` are for `Annotated`, `Absent` is for fields of dataclasses, `record`
for classes. The names of constraints are those of annotated-types and pydantic.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_args

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pdl._types import Json
    from pdl.schema.parts import Form, SchemaParts

_Class = TypeVar("_Class")


@dataclass(frozen=True, kw_only=True)
class Constraints:
    """Constraints of a type: `Annotated[int, Constraints(ge=0, le=120)]`.

    `ge`, `gt`, `le`, `lt` are bounds of a number, `multiple_of` its step; `min_length` and
    `max_length` bound the characters of a string, the items of an array, or the keys of a map.
    `pattern` is a regular expression (ECMA-262) that is found in a string, `format` a format such
    as `email`; `unique` forbids equal items. `default` is the default of a field whose class has
    none. `keywords` are any other keywords of JSON Schema.
    """

    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    multiple_of: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    format: str | None = None
    unique: bool = False
    default: Any = field(default=..., hash=False)
    keywords: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def further(self) -> dict[str, Json]:
        """Return the keywords of JSON Schema that annotated-types has no names for."""
        found: dict[str, Json] = {} if self.format is None else {"format": self.format}
        found |= {"uniqueItems": True} if self.unique else {}
        found |= {} if self.default is ... else {"default": self.default}
        return found | dict(self.keywords)


@dataclass(frozen=True)
class AnswerForm:
    """How an answer is written that is not JSON: `Annotated[bool, AnswerForm("yesno")]`.

    It counts at the root of a schema. The fields are those of `Schema`.
    """

    form: Form
    lang: str | None = None
    tasks: tuple[int | None, int | None] = (None, None)


def answer_form(given: Any, parts: SchemaParts) -> SchemaParts:
    """Return the parts of a schema with the form that a type says."""
    for one in getattr(given, "__metadata__", ()):
        if isinstance(one, AnswerForm):
            return parts._replace(form=one.form, lang=one.lang, tasks=one.tasks)
    return parts


class _AbsentMark:
    """Marks the None of a field that is absent in JSON."""


Absent = Annotated[None, _AbsentMark()]
"""The None that a field has if its key is absent: `nick: str | Absent = None`.

In JSON the key can be absent, and cannot be null, unless the type also has a None of its own.
"""


def is_absence(form: Any) -> bool:
    """Whether a branch of a union is `Absent`, or pydantic's `SkipJsonSchema[None]`."""
    marks = getattr(form, "__metadata__", ())
    return any(isinstance(one, _AbsentMark) or type(one).__name__ == _SKIP for one in marks)


_SKIP = "SkipJsonSchema"


def can_be_absent(form: Any) -> bool:
    """Whether a type is a union with `Absent`."""
    return any(map(is_absence, get_args(form)))


def record(
    *, extra_items: Any = None, keywords: Mapping[str, Any] | None = None
) -> Callable[[_Class], _Class]:
    """Return a decorator for a TypedDict or a dataclass, which says more about its JSON object.

    `extra_items` is the type of the values of other keys, which a TypedDict can have (PEP 728): a
    type, or its name as a string. `keywords` are further keywords of JSON Schema, such as
    `{"minProperties": 1}`.
    """

    def decorate(cls: _Class) -> _Class:
        if extra_items is not None:
            cls.__extra_items__ = extra_items  # type: ignore[attr-defined]
        if keywords:
            cls.__schema_keywords__ = dict(keywords)  # type: ignore[attr-defined]
        return cls

    return decorate
