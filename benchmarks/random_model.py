"""What a model of random weights answers to random schemas, asked as any other: how much checks.

    PYTHONPATH=tests python benchmarks/random_model.py [--all] [--no-grammar] [SCHEMAS] [SEEDS]

Each schema is asked for with each seed. With the grammar every answer checks; a reply may be cut
off, and is then asked for again, as where a string has to end in `b` and a model of random weights
does not come to it. `--all` takes schemas as well of which the report leaves something to the
check, where a model that understands nothing has to be lucky. Without the grammar it always has to
be, and then a value is looked at by jsonschema too: a wrong one is what must never come.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import schemata
from jsonschema import Draft202012Validator
from tiny_model import write

import pdl
from pdl.models import AskError, ask
from pdl.models.llama import LlamaModel
from pdl.prompt import Message, Rendered, Text

if TYPE_CHECKING:
    from pdl.models import Model

TOKENS, RETRIES = 1_500, 11
SHOWN = 10


def asked(model: Model, schema: pdl.Schema, seed: int, *, constrain: bool) -> tuple[str, Any]:
    """What came of one question, in a word or two, and the value or the error."""
    rendered = Rendered((Message("user", (Text("Answer in any way."),)),), schema)
    config = {"max_tokens": TOKENS, "temperature": 1}
    try:
        retries = RETRIES if constrain else 1
        answer = ask(
            rendered, model, seed=seed, constrain=constrain, config=config, retries=retries
        )
    except AskError as error:
        return f"no answer: {error.attempts[-1].reason.split(':')[0]}", error
    if not valid(schema, answer.value):
        return "WRONG", answer
    return f"checks, after {len(answer.attempts)}", answer


def valid(schema: pdl.Schema, value: Any) -> bool:
    """A second opinion, which leaves formats out and so can only be too mild; multiples by pdl."""
    document = json.dumps(schema.document)
    if '"multipleOf"' in document:  # jsonschema divides in floating point
        return pdl.check(schema, json.dumps(value)).ok
    return bool(Draft202012Validator(schema.document).is_valid(value))


def main(*arguments: str) -> None:
    """Ask, count, and show the first of those that did not check."""
    constrain = "--no-grammar" not in arguments
    numbers = [int(one) for one in arguments if one.isdigit()]
    count, seeds = (*numbers, *(200, 5)[len(numbers) :])
    results: Counter[str] = Counter()
    shown = 0
    began = time.perf_counter()
    with TemporaryDirectory() as folder:
        model = LlamaModel(write(Path(folder) / "tiny.gguf"))
        for schema in schemata.satisfiable("asked", count, strict="--all" not in arguments):
            for seed in range(seeds):
                result, said = asked(model, schema, seed, constrain=constrain)
                results[result] += 1
                for attempt in said.attempts[:-1]:
                    results[f"earlier replies, {attempt.reason.split(':')[0]}"] += 1
                if constrain and not result.startswith("checks") and shown < SHOWN:
                    shown += 1
                    print(json.dumps(schema.document, ensure_ascii=False), seed, result, said)
    print(f"{count} schemas x {seeds} seeds, {time.perf_counter() - began:.0f} s")
    for result, number in sorted(results.items()):
        print(f"{number:6,} {result}")


if __name__ == "__main__":
    main(*sys.argv[1:])
