"""What finding and checking an answer costs beside `json.loads` of it, and what streaming costs.

    python benchmarks/checker.py

Ratios are of the best of many runs in the same process; times differ from machine to machine.
"""

from __future__ import annotations

import datetime as dt
import json
import time
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, TypeAdapter

import pdl
from pdl.reply import Stream

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = pdl.Schema.parse(
    "{ rows: [{ id: int, title: str, price: float, tags: [str], sold: bool, note: str }] }"
)
PROSE = "The shop has many things, and some of them [3] cost less in spring. Look at each in turn. "
SECONDS = 1.0  # for each line


class Order(BaseModel):
    """Ten fields, as many models have."""

    number: int
    name: str
    email: str
    age: int
    price: float
    issued: dt.date
    kind: Literal["new", "old"]
    tags: list[str]
    paid: bool
    note: str | None


ORDER = {
    "number": 17, "name": "Ann Miller", "email": "ann@example.org", "age": 33, "price": 19.5,
    "issued": "2024-03-14", "kind": "new", "tags": ["x", "y", "z"], "paid": True, "note": None,
}  # fmt: skip


def row(number: int) -> dict[str, Any]:
    """One of the rows that the answers hold."""
    note = 'called "the best", with commas,\nand a second line'
    title = f"thing {number}"
    tags = ["new", "blue"]
    return {
        "id": number, "title": title, "price": number + 0.5, "tags": tags, "sold": number % 2 == 0,
        "note": note,
    }  # fmt: skip


def best(function: Callable[[], object]) -> float:
    """The shortest of many runs, in microseconds."""
    shortest, end = float("inf"), time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        start = time.perf_counter()
        function()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest * 1e6


def replies() -> dict[str, tuple[str, str]]:
    """Name -> the reply, and the JSON that is in it."""
    few, many = ({"rows": [row(number) for number in range(count)]} for count in (8, 6000))
    clean, indented = json.dumps(few), json.dumps(few, indent=1)
    dirty = indented.replace('"id"', "id").replace("true", "True").replace("}\n ]", "},\n ]")
    return {
        "clean": (clean, clean),
        "prose and a fence": (f"{PROSE * 12}\n\n```json\n{indented}\n```\n\n{PROSE * 4}", clean),
        "bare keys, True, a comma too many": (f"```json\n{dirty}\n```", clean),
        "clean, large": (json.dumps(many), json.dumps(many)),
    }


def typed() -> str:
    """What an instance costs in addition to the check, beside pydantic's own reading."""
    text = json.dumps(ORDER)
    schema = pdl.Schema.from_type(Order)
    plain = pdl.Schema.from_json_schema(schema.to_json_schema())
    adapter = TypeAdapter(Order)
    assert pdl.extract(schema, text) == adapter.validate_json(text)
    alone = best(lambda: adapter.validate_json(text))
    more = best(lambda: pdl.check(schema, text)) - best(lambda: pdl.check(plain, text))
    return f"instance of 10 fields: {more:.1f} us more, {more / alone:.1f} x TypeAdapter's"


def streamed(schema: pdl.Schema, text: str, name: str) -> float:
    """The seconds of a stream in pieces of 4 characters, each partial of which is read."""
    start = time.perf_counter()
    stream = Stream(schema)
    for at in range(0, len(text), 4):
        getattr(stream.feed(text[at : at + 4]), name, None)
    return time.perf_counter() - start


def typed_stream(count: int) -> str:
    """What partial instances cost beside the JSON so far."""
    text = json.dumps([{**ORDER, "number": number} for number in range(count)])
    schema = pdl.Schema.from_type(list[Order])
    data, value = (streamed(schema, text, name) for name in ("data", "value"))
    return f"partial instances of {count} orders: {value:.2f} s, {value / data:.1f} x the JSON"


def main() -> None:
    """Print a line for each kind of reply, for instances, and for streams of three sizes."""
    for name, (reply, plain) in replies().items():
        assert pdl.check(SCHEMA, reply).ok
        checked = best(lambda reply=reply: pdl.check(SCHEMA, reply))  # type: ignore[misc]
        loaded = best(lambda plain=plain: json.loads(plain))  # type: ignore[misc]
        size = len(reply) / 1000
        print(f"{name}, {size:,.1f} KB: {checked:,.0f} us, {checked / loaded:.1f} x json.loads")
    print(typed())
    for count in (10, 100):
        print(typed_stream(count))
    for count in (250, 500, 1000):
        text = json.dumps({"rows": [row(number) for number in range(count)]})
        seconds = streamed(SCHEMA, text, "start")
        print(f"stream of {len(text) / 1000:,.0f} KB in pieces of 4: {seconds:.2f} s")


if __name__ == "__main__":
    main()
