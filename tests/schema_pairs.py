"""Pairs of random schemas, of which one is mostly a change of the other."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import instances
import schemata

import pdl
from pdl.reply import violations
from pdl.schema.keywords import schemas


def chance(seed: object) -> Random:
    """The pseudo-random numbers of a seed."""
    return Random(str(seed))  # noqa: S311 - no secret


LINES = [
    line
    for line in (Path(__file__).parent / "cases" / "compare" / "inclusion.txt")
    .read_text("utf-8")
    .splitlines()
    if line.strip() and not line.startswith("#")
]
"""`old => new => verdict => verdict of new in old`: `yes`, a witness, or `?` and why."""

_SIZES = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", *_SIZES)


def loaded(document: Any) -> pdl.Schema | None:
    """The schema of a document; None if it is not valid, such as one that refers to itself."""
    try:
        return pdl.Schema.from_json_schema(document)
    except pdl.SchemaError:
        return None


def drawn(rng: Random) -> list[pdl.Schema]:
    """Three schemas, the others changes of the first one."""
    while True:
        document = schemata.document(rng)
        found = [loaded(one) for one in (document, changed(document, rng), changed(document, rng))]
        valid = [one for one in found if one is not None]
        if len(valid) == len(found):
            return valid


def pair(rng: Random) -> tuple[pdl.Schema, pdl.Schema]:
    """Two schemas, in any order; one in four of them have nothing in common."""
    old, new, _ = drawn(rng)
    both = [old, new if rng.random() < 0.75 else drawn(rng)[0]]
    rng.shuffle(both)
    return both[0], both[1]


def changed(document: dict[str, Any], rng: Random) -> dict[str, Any]:
    """A document with one or two keywords left out, added, or with another value."""
    new = deepcopy(document)
    parts = [part for _, part in schemas(new) if part]
    for part in rng.sample(parts, min(len(parts), rng.choice((1, 1, 2)))):
        keyword = rng.choice([key for key in part if key != "$defs"] or ["type"])
        chance = rng.random()
        if chance < 0.3:
            part.pop(keyword, None)
        elif chance < 0.6:
            other = schemata.schema(rng, 1)
            part.update(other if isinstance(other, dict) else {})
        elif keyword in _BOUNDS and isinstance(part.get(keyword), int | float):
            part[keyword] = max(part[keyword] + rng.choice((1, -1)), 0)
        elif keyword in ("enum", "required", "type") and isinstance(part.get(keyword), list):
            part[keyword] = part[keyword][1:] or part[keyword]
        else:
            part.pop(keyword, None)
    return new


def values(schema: pdl.Schema, rng: Random, count: int) -> list[Any]:
    """Values that satisfy a schema: those of `count` tries that do."""
    made = instances.Instances(schema.document, rng)
    return [one for one in (made.value() for _ in range(count)) if not violations(schema, one)]
