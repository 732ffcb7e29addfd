"""What finding and checking an answer costs beside `json.loads` of it, and what streaming costs.

    python benchmarks/checker.py         everything
    python benchmarks/checker.py kinds   only many different replies of 1 KB, by kind

Ratios are of the best of many runs in the same process; times differ from machine to machine.
"""

from __future__ import annotations

import datetime as dt
import json
import random
import sys
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


WORDS = (
    "account", "address", "battery", "bottle", "branch", "budget", "cable", "camera",
    "carton", "chair", "client", "coffee", "contract", "copper", "cotton", "cover",
    "customer", "delivery", "desk", "device", "discount", "drawer", "engine", "fabric",
    "factory", "filter", "frame", "garden", "glass", "handle", "harbor", "invoice", "kitchen",
    "lamp", "leather", "letter", "linen", "machine", "market", "metal", "mirror", "offer",
    "office", "order", "paint", "paper", "parcel", "pattern", "plastic", "port", "price",
    "product", "quarter", "region", "season", "service", "shelf", "shipping", "silver",
    "spring", "steel", "street", "summer", "supplier", "table", "vendor", "warehouse",
)  # fmt: skip
LEADS = (
    "Here is the JSON for {0} {number}:", "Sure! Below are the {0} {1} records you asked for.",
    "I went through the {0} list and extracted {number} rows.", "The {0} data of {1}, as JSON:",
    "Based on the {0} {1} above, this is the structured result for {2}.",
)  # fmt: skip
REMARKS = (
    "The {0} {1} is listed with its {2} and {3}.", "Each {0} has a {1}, a {2} and {number} {3}.",
    "I took the {0} from the {1} report, page {number}.", "Prices of the {0} are in the {1} {2}.",
    "Where the {0} was missing, I took the {1} of the {2}, as in {number} of the others.",
    "Let me know if you need the {0} in another {1}.", "I hope this helps with the {0} {1}!",
    "Note that the {0} of {1} should be read together with the {2}.",
)  # fmt: skip
KINDS = {"plain": 5, "fenced": 3, "repaired": 1, "wrong": 1}
"""Kind of a reply -> how many of ten are of it."""


class Writer:
    """Writes replies of about 1,000 characters, no two of them alike."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - no secret

    def said(self, *templates: str) -> str:
        """Sentences with other words and another number each time."""
        pick, number = self._random.choice, self._random.randrange(10_000)
        return " ".join(
            one.format(*(pick(WORDS) for _ in range(4)), number=number) for one in templates
        )

    def value(self, count: int = 4) -> dict[str, Any]:
        """A value that fits."""
        pick, number = self._random.choice, self._random.randrange
        rows = [
            {
                "id": number(100_000), "title": f"{pick(WORDS)} {pick(WORDS)}",
                "price": number(1, 100_000) / 100, "tags": self._random.sample(WORDS, number(1, 4)),
                "sold": pick([True, False]), "note": self.said(pick(REMARKS)),
            }
            for _ in range(count)
        ]  # fmt: skip
        return {"rows": rows}

    def fenced(self, text: str) -> str:
        """A text in a fence, with a lead and remarks around it."""
        pick = self._random.choice
        lead, more = self.said(pick(LEADS), pick(REMARKS)), self.said(pick(REMARKS), pick(REMARKS))
        return f"{lead}\n\n```json\n{text}\n```\n\n{more}"

    def sometimes_fenced(self, text: str) -> str:
        """A text, half of the time in a fence."""
        return self.fenced(text) if self._random.random() < 1 / 2 else text

    def repaired(self) -> str:
        """Something that is nearly JSON."""
        value = self.value()
        text = json.dumps(value, indent=1)
        broken = self._random.choice([
            text.replace("}\n ]", "},\n ]"), text.replace('"id"', "id"), repr(value),
            text.replace(": true", ": True").replace(": false", ": False"),
            text.replace('"note": "The', '"note": "The "big"'), f"{text[:-1]}, // all\n}}",
        ])  # fmt: skip
        return self.sometimes_fenced(broken)

    def wrong(self) -> str:
        """JSON that does not fit, or that is cut off."""
        value = self.value()
        row = self._random.choice(value["rows"])
        fault = self._random.choice(["missing", "type", "null", "extra", "cut"])
        if fault == "missing":
            del row["price"]
        elif fault == "extra":
            row["weight"] = 3
        elif fault != "cut":
            row["id"] = None if fault == "null" else str(row["id"])
        text = json.dumps(value, indent=1)
        if fault == "cut":
            return text[:-200]
        return self.sometimes_fenced(text)

    def write(self, kind: str) -> str:
        """A reply of a kind."""
        if kind == "plain":
            return json.dumps(self.value(5), indent=self._random.choice([None, 1]))
        if kind == "fenced":
            return self.fenced(json.dumps(self.value(), indent=1))
        return self.repaired() if kind == "repaired" else self.wrong()


def each(replies: list[str]) -> float:
    """The processor time for a reply, in microseconds; each is checked once."""
    start = time.process_time()
    for reply in replies:
        pdl.check(SCHEMA, reply)
    return (time.process_time() - start) / len(replies) * 1e6


def kinds(count: int = 400, rounds: int = 5) -> None:
    """Print what replies of each kind cost, beside plain JSON, and a mix of all."""
    shortest: dict[str, float] = {}
    for seed in range(rounds + 1):
        writer = Writer(seed)
        made = {kind: [writer.write(kind) for _ in range(count)] for kind in KINDS}
        mixed = [
            one for kind, tenths in KINDS.items() for one in made[kind][: count * tenths // 10]
        ]
        made["mix"] = random.Random(seed).sample(mixed, len(mixed))  # noqa: S311 - no secret
        taken = {kind: each(some) for kind, some in made.items()}
        if seed:  # the first round compiles
            shortest = {kind: min(one, shortest.get(kind, one)) for kind, one in taken.items()}
    for kind, one in shortest.items():
        size = sum(map(len, made[kind])) / len(made[kind])
        print(
            f"{kind}, {size:,.0f} characters: {one:,.0f} us, {one / shortest['plain']:.1f} x plain"
        )


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
    kinds()
    if sys.argv[1:] == ["kinds"]:
        return
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
