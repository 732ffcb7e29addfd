"""How long token masks take, beside trying each token with the grammar's matcher.

    PYTHONPATH=tests python benchmarks/masks.py [TOKENIZER]

TOKENIZER is whatever `pdl.masks.vocabulary_of` reads; without it, 128,000 made-up tokens. Each
grammar comes to the vocabulary after those above it, as in a program that has several; its texts
are followed twice, so that the second time all masks are known.
"""

from __future__ import annotations

import json
import random
import sys
import time
from typing import TYPE_CHECKING, Any

from large_vocabulary import large

import pdl
from pdl import gbnf
from pdl.masks import Masker, vocabulary_of
from pdl.masks.forced import cut
from pdl.masks.mask_cache import mask_cache

if TYPE_CHECKING:
    from pdl.masks import Vocabulary

TRIED = 300  # tokens that are tried one by one, to tell what all would take

NAME = {"type": "string", "maxLength": 40}
ZIP = {"type": "string", "pattern": "^[0-9]{5}$"}
DATE = {"type": "string", "format": "date"}
ADDRESS = {
    "type": "object",
    "properties": {
        "street": NAME,
        "city": NAME,
        "zip": ZIP,
    },
    "required": ["street", "city"],
}
ITEM = {
    "type": "object",
    "properties": {
        "sku": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"},
        "price": {"type": "number", "minimum": 0},
        "quantity": {"type": "integer", "minimum": 1, "maximum": 999},
    },
    "required": ["sku", "price"],
    "additionalProperties": False,
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "any JSON": {},
    "a closed object": {
        "type": "object",
        "properties": {"name": NAME, "age": {"type": "integer"}, "tags": {"items": NAME}},
        "required": ["name", "age"],
        "additionalProperties": False,
    },
    "an open object": {
        "type": "object",
        "properties": {
            "name": NAME,
            "address": ADDRESS,
            "born": DATE,
        },
        "required": ["name"],
    },
    "a list of objects": {"type": "array", "items": ITEM, "minItems": 1, "maxItems": 50},
    "200 words": {"enum": [f"word number {number * 37 % 1000}" for number in range(200)]},
    "a long string": {"type": "string", "minLength": 10, "maxLength": 5000},
}


def texts(grammar: gbnf.Grammar, rng: random.Random) -> list[bytes]:
    """Some random texts of a grammar."""
    return [grammar.generate(rng, size=150).encode() for _ in range(5)]


def along(masker: Masker, text: bytes) -> list[float]:
    """The microseconds of each mask, with the token taken."""
    here: Any = masker.start()
    found = []
    for token in cut(text, masker.vocabulary.trie)[0]:
        start = time.perf_counter()
        here.bitmask()
        here = here.accept(token)
        found.append((time.perf_counter() - start) * 1e6)
    return found


def one_by_one(grammar: gbnf.Grammar, vocabulary: Vocabulary, rng: random.Random) -> float:
    """The microseconds of a mask by trying each token, from those that some take."""
    here = grammar.start()
    pieces = [vocabulary.tokens[rng.randrange(len(vocabulary))] for _ in range(TRIED)]
    start = time.perf_counter()
    for piece in pieces:
        here.accept_token(None, piece)
    return (time.perf_counter() - start) * 1e6 * len(vocabulary) / TRIED


def spread(found: list[float]) -> str:
    """The mean, the median and the 99th of a hundred."""
    ranked = sorted(found)
    last = ranked[min(len(ranked) - 1, len(ranked) * 99 // 100)]
    mean = sum(found) / len(found)
    return f"{mean:9,.0f} {ranked[len(ranked) // 2]:9,.0f} {last:9,.0f}"


def main() -> None:
    """Print a line for each grammar."""
    start = time.perf_counter()
    vocabulary = vocabulary_of(sys.argv[1]) if sys.argv[1:] else large()
    print(f"{len(vocabulary):,} tokens in {time.perf_counter() - start:.2f} s")
    heads = ("mean", "median", "p99") * 2
    print(f"{'':18} {'ready':>8} " + " ".join(f"{head:>9}" for head in heads) + "  one by one")
    rng = random.Random(1)  # noqa: S311 - texts to try
    for name, schema in SCHEMAS.items():
        grammar = gbnf.compile(pdl.Schema.from_json_schema(json.loads(json.dumps(schema)))).grammar
        start = time.perf_counter()
        masker = Masker(grammar, vocabulary)
        masker.start().bitmask()
        ready = (time.perf_counter() - start) * 1e3
        held = texts(grammar, rng)
        cold = [one for text in held for one in along(masker, text)]
        warm = [one for text in held for one in along(masker, text)]
        tried = one_by_one(grammar, vocabulary, rng)
        print(f"{name:18} {ready:5.1f} ms {spread(cold)} {spread(warm)} {tried:11,.0f}")
    print(f"microseconds, new and known; caches of {mask_cache(vocabulary).size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
