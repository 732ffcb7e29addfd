"""What is emitted means the same to engines that read GBNF in ways of their own."""

from __future__ import annotations

import json
import random
import re

import pytest
from engines import Question, ask, has
from schemata import document

from pdl import Schema, gbnf
from pdl.errors import PdlError

ODD_NAMES = {
    "type": "object",
    "properties": {
        "9lives": {"enum": ["^a", "^-", "-", "--a"]},
        "2": {"type": "object", "properties": {"3-d": {"type": "string", "pattern": "^[+-9]*$"}}},
        "-": {"type": "string", "pattern": "^[^\\-a-f\\x1f]+$"},
        "über": {"type": "array", "items": {"type": "string", "pattern": "^[\\^A\\x7fbB]{2}$"}},
        "\x7fa\x00b": {"type": "integer"},
    },
}
_READ_ON = re.compile(r"(?<!\\)(?:\\\\)*\\x[0-9A-F]{2}(?=[0-9A-Fa-f])")
_HYPHEN = re.compile(r"(?<!\\)(?:\\\\)*\\(?:x2D|u002D|-)")


def _compiled(seed: int, count: int) -> list[gbnf.Grammar]:
    """The grammars of some random schemas, as far as something satisfies them."""
    rng = random.Random(seed)  # noqa: S311 - a test's choice
    found = [gbnf.compile(Schema.from_json_schema(ODD_NAMES)).grammar]
    while len(found) < count:
        try:
            found.append(gbnf.compile(Schema.from_json_schema(document(rng))).grammar)
        except PdlError:
            continue
    return found


def test_nothing_is_written_that_engines_read_in_different_ways() -> None:
    r"""Names like `9a`, escapes like `\x41B` and hyphens amid a class, which xgrammar mistakes."""
    for grammar in _compiled(1, 60):
        text = str(grammar)
        assert not _READ_ON.search(text)
        assert not _HYPHEN.search(text)
        assert all(name[0].isalpha() for name in grammar.rule)


def test_xgrammar_takes_the_same_texts() -> None:
    if not has("xgrammar"):
        pytest.skip("xgrammar is not installed")
    rng = random.Random(2)  # noqa: S311 - a test's choice
    questions: list[Question] = []
    wanted: list[list[bool]] = []
    for grammar in _compiled(3, 60):
        texts = [grammar.generate(rng, size=60) for _ in range(5)]
        texts += list(grammar.near_misses(rng, 5, size=60))
        questions.append(("xgrammar", str(grammar), texts))
        wanted.append([grammar.match(text).ok for text in texts])
    for (_, made, texts), answers, told in zip(questions, ask(questions), wanted, strict=True):
        assert answers == told, (made, json.dumps(texts))
