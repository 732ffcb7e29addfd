"""What every way to a schema results in, before it becomes a `Schema`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.schema.origins import Origins

if TYPE_CHECKING:
    from pdl._types import JsonSchema

Form: TypeAlias = Literal["json", "text", "yesno", "code", "tasklist"]
"""How an answer is written: as JSON, or as one of the forms that are not JSON."""


class Parts(NamedTuple):
    """The fields of a `Schema`; that class says what they mean."""

    document: JsonSchema
    form: Form = "json"
    lang: str | None = None
    tasks: tuple[int | None, int | None] = (None, None)
    origins: Origins = Origins()


_WRITTEN = frozenset({"enum", "const", "x-gbnf"})


def json_form(document: JsonSchema) -> Form:
    """`text` for a root that is a free string, `json` for anything else.

    A string with `enum` or `const` is one of a few words, which the JSON form finds in a reply; one
    with a rule of its own is written as JSON, since that is what the rule is for.
    """
    free = document.get("type") == "string" and not _WRITTEN & document.keys()
    return "text" if free else "json"
