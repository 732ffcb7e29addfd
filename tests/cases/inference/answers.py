"""What type checkers infer: each `reveal_type` has the type that they print beside it."""

from dataclasses import dataclass
from typing import Any, TypedDict

import pydantic

import pdl
from pdl.reply import Stream


@dataclass
class Point:
    x: int


class Invoice(pydantic.BaseModel):
    number: str


class Row(TypedDict):
    name: str


rendered = pdl.loads("<|user|>\nHi.\n").render()
typed = pdl.loads("<|user|>\nHi.\n").render(schema=Invoice)
schema = pdl.Schema.from_type(Point)
untyped: pdl.Schema = pdl.Schema.parse("int")


def told(check: pdl.Check, answer: pdl.Answer) -> Any:
    """Bare names stay valid under --strict."""
    return check.value, answer.value


reveal_type(schema)  # Schema[Point]
reveal_type(untyped)  # Schema[Any]
reveal_type(pdl.check(schema, "{}"))  # Check[Point]
reveal_type(pdl.check(Invoice, "{}"))  # Check[Invoice]
reveal_type(pdl.check(Invoice, "{}").value)  # Invoice
reveal_type(pdl.check(Invoice, "{}").data)  # Any
reveal_type(pdl.check(untyped, "{}").value)  # Any
reveal_type(pdl.check(None, "{}").value)  # Any
reveal_type(pdl.extract(Point, "{}"))  # Point
reveal_type(pdl.extract(Row, "{}")["name"])  # str
reveal_type(pdl.extract(list[int], "[]"))  # list[int]
reveal_type(pdl.extract(int, "1"))  # int
maybe: int | None = pdl.extract(int | None, "1")
reveal_type(rendered)  # Rendered[Any]
reveal_type(typed)  # Rendered[Invoice]
reveal_type(typed.check("{}"))  # Check[Invoice]
reveal_type(Stream(Invoice))  # Stream[Invoice]
reveal_type(Stream(Invoice).feed("").value)  # Invoice | None
reveal_type(Stream(schema).close())  # Check[Point]
reveal_type(Stream(untyped).feed("").value)  # Any | None
reveal_type(Stream(None).feed(""))  # Partial[Any]
