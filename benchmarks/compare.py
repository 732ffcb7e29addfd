"""How long inclusion takes to decide, and how often it is not decided or wrong.

    python benchmarks/compare.py SCHEMAS.jsonl.xz [--every 10]

A line of the file has a `schema` and perhaps `tests` with `valid` and `data`. Each schema is
compared with itself with `"not": false` in all subschemas, so that no shortcut for equal ones
helps, and both ways with three changes of one keyword each: a bound, a required key, a type. Of
each schema that is included, 60 answers that its grammar makes and the valid instances of the file
are checked under the other one. Times are those of the process.
"""

from __future__ import annotations

import argparse
import json
import lzma
import time
from collections import Counter
from copy import deepcopy
from pathlib import Path
from random import Random
from statistics import mean, median
from typing import TYPE_CHECKING, Any

import pdl
from pdl import compare
from pdl.errors import PdlError
from pdl.reply import violations
from pdl.schema.keywords import schemas

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLES = 60
SIZES = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
ADDED = {"string": "maxLength", "integer": "minimum", "number": "minimum", "array": "minItems"}
TYPES: dict[str, str | list[str]] = {
    "string": "integer",
    "integer": "number",
    "number": "integer",
    "boolean": ["boolean", "null"],
    "array": ["array", "string"],
    "null": "string",
}


def bound(part: dict[str, Any], rng: Random) -> bool:
    """Change a bound, or add one."""
    known = [key for key in (*SIZES, *BOUNDS) if key in part]
    if known:
        key = rng.choice(known)
        part[key] += rng.choice((1, -1))
        part[key] = max(part[key], 0) if key in SIZES else part[key]
        return True
    kind = part.get("type")
    if isinstance(kind, str) and kind in ADDED and "enum" not in part:
        part[ADDED[kind]] = 1
        return True
    return False


def required(part: dict[str, Any], rng: Random) -> bool:
    """Leave a required key out, or require one."""
    if part.get("required"):
        part["required"].remove(rng.choice(part["required"]))
        return True
    if part.get("properties"):
        part["required"] = [rng.choice(list(part["properties"]))]
        return True
    return False


def kind(part: dict[str, Any], _rng: Random) -> bool:
    """Change a type."""
    if isinstance(part.get("type"), str) and part["type"] in TYPES:
        part["type"] = TYPES[part["type"]]
        return True
    return False


def pairs(schema: pdl.Schema, rng: Random) -> Iterator[tuple[str, pdl.Schema, pdl.Schema]]:
    """The pairs of a schema that are compared, each with what changed."""
    same = deepcopy(schema.document)
    for _, part in list(schemas(same)):
        part.setdefault("not", False)
    yield "itself", schema, pdl.Schema(same)
    for change in (bound, required, kind):
        document = deepcopy(schema.document)
        parts = [part for _, part in schemas(document)]
        rng.shuffle(parts)
        if any(change(part, rng) for part in parts):
            other = pdl.Schema(document)
            yield change.__name__, schema, other
            yield change.__name__, other, schema


def answers(schema: pdl.Schema, rng: Random) -> Iterator[Any]:
    """Values that fit a schema, made with its grammar."""
    try:
        grammar = pdl.gbnf.compile(schema, pdl.gbnf.Options.generate()).grammar
        texts = [grammar.generate(rng, size=300) for _ in range(SAMPLES)]
    except PdlError:
        return
    for text in texts:
        value = json.loads(text, strict=False)
        if not violations(schema, value):
            yield value


def rows(path: Path, every: int) -> Iterator[tuple[pdl.Schema, list[Any]]]:
    """The schemas of a file, and what is known to be valid."""
    with (lzma.open if path.suffix == ".xz" else open)(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            if number % every == 0:
                try:
                    schema = pdl.Schema.from_json_schema(row["schema"])
                except PdlError:
                    continue
                valid = [one["data"] for one in row.get("tests", ()) if one["valid"]]
                yield schema, valid


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--every", type=int, default=1)
    asked = parser.parse_args()
    seconds: list[float] = []
    verdicts: Counter[tuple[str, str]] = Counter()
    checked = wrong = 0
    for number, (schema, valid) in enumerate(rows(asked.path, asked.every)):
        rng = Random(number)  # noqa: S311 - no secret
        for name, old, new in pairs(schema, rng):
            start = time.process_time()
            found = compare.includes(old, new)
            seconds.append(time.process_time() - start)
            verdicts[name, type(found).__name__] += 1
            if not isinstance(found, compare.Yes):
                continue
            known = [value for value in valid if not violations(old, value)]
            for value in [*known, *answers(old, rng)]:
                checked += 1
                wrong += bool(violations(new, value))
    for (name, verdict), count in sorted(verdicts.items()):
        print(f"{name:10} {verdict:8} {count:7,}")
    unknown = sum(count for (_, verdict), count in verdicts.items() if verdict == "Unknown")
    print(f"unknown    {unknown:,} of {len(seconds):,}: {unknown / len(seconds):.2%}")
    print(f"wrong      {wrong} of {checked:,} answers")
    milliseconds = sorted(1000 * second for second in seconds)
    tail = milliseconds[int(0.95 * len(milliseconds))]
    print(f"median {median(milliseconds):.1f} ms, mean {mean(milliseconds):.1f} ms,", end=" ")
    print(f"95 in 100 below {tail:.1f} ms, most {milliseconds[-1]:.0f} ms")


if __name__ == "__main__":
    main()
