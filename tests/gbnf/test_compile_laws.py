"""Laws of the compiler as a whole, on random schemas: the checker is the judge of every text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import schemata
from compiled_texts import OPTIONS, TwiceError, read
from emitted import Pairs, Text, written
from hypothesis import given, settings
from hypothesis import strategies as st
from instances import Instances, changed
from llama import TooManyStacksError, llama, needs_llama
from shares import share

import pdl
from pdl.gbnf import Options, Report
from pdl.reply.validation.compiled import validator_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl.gbnf import Grammar

SCHEMAS = share(180)  # for each of the options
STACKS = 400

_SPELLED = re.compile("exponent|digits|no point")
_LONG_NUMBER = re.compile(r"[0-9]{10}|[0-9][eE]|[0-9]\.[0-9]*0\b")


def spelled(value: Any) -> Any:
    """A value for `written`: numbers in digits, as all options take them, and members in order."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return [spelled(one) for one in value]
    if isinstance(value, dict):
        return Pairs(tuple((key, spelled(one)) for key, one in value.items()))
    if isinstance(value, int) or value.is_integer():
        return Text(str(int(value)))
    return Text(f"{Decimal(repr(value)):f}")


@dataclass
class Subject:
    """One schema, compiled."""

    document: dict[str, Any]
    schema: pdl.Schema
    options: Options
    rng: Random

    @cached_property
    def verdict(self) -> Callable[[Any], bool]:
        return validator_of(self.schema.document).is_valid

    @cached_property
    def values(self) -> list[Any]:
        """Values near the schema that a text can hold."""
        instances = Instances(self.document, self.rng)
        found = [schemata.value(self.rng) for _ in range(4)]
        return [*found, *(instances.value() for _ in range(8))]

    @cached_property
    def compiled(self) -> pdl.gbnf.Compiled | None:
        """None where no value satisfies the schema."""
        try:
            return pdl.gbnf.compile(self.schema, self.options)
        except pdl.SchemaError as error:
            assert [one.code for one in error.problems] == ["schema/unsatisfiable"]  # noqa: PT017 - whatever it is of
            return None


def subject(rng: Random, options: Options) -> Subject | None:
    """A random schema; None for one that leads to itself, which is no schema."""
    document = schemata.document(rng)
    try:
        schema = pdl.Schema.from_json_schema(document)
    except pdl.SchemaError:
        return None
    return Subject(document, schema, options, rng)


def hold(one: Subject) -> tuple[int, int, int]:
    """All laws for a schema; how many texts it gave, and how many values were valid and not."""
    compiled = one.compiled
    if compiled is None:
        closed = one.options.objects == "closed"  # which leaves less than the schema does
        assert closed or not any(map(one.verdict, one.values)), one.document
        return 0, 0, 0
    told = list(generated(one, compiled.grammar, compiled.report))
    near = [changed(value, one.rng) for value in told for _ in range(2)]
    valid = invalid = 0
    for value in (*one.values, *near):
        text = _text(value, one.options, one.rng)
        if text is None:
            continue
        if one.verdict(read(text)):
            valid += 1
            is_taken(one, compiled, text)
        else:
            invalid += 1
            assert compiled.report.post_hoc or not compiled.grammar.match(text), (
                one.document,
                text,
            )
    return len(told), valid, invalid


def generated(one: Subject, grammar: Grammar, report: Report) -> Iterator[Any]:
    """Values that a grammar generates, and that its near misses have: all JSON, and valid."""
    texts = [grammar.generate(one.rng, size=60) for _ in range(4)]
    near = [text for text in grammar.near_misses(one.rng, 4, size=60) if grammar.match(text)]
    for text in (*texts, *near):
        try:
            value = read(text)
        except TwiceError:
            continue
        assert one.verdict(value) or report.post_hoc, (one.document, text)
        yield value


def is_taken(one: Subject, compiled: pdl.gbnf.Compiled, text: str) -> None:
    """A valid text in the spelling of the options is taken, if keys may come in any order."""
    if one.options.key_order != "any" or one.options.objects == "closed":
        return
    missing = [entry.why for entry in compiled.report.bounded]
    if not all(map(_SPELLED.search, missing)):
        return
    if not (missing and _LONG_NUMBER.search(text)):
        assert compiled.grammar.match(text), (one.document, text)


def _text(value: Any, options: Options, rng: Random) -> str | None:
    """The value as the options write it; None for half a pair of surrogates, which no text has."""
    try:
        text = written(spelled(value), options, rng)
        text.encode()
    except UnicodeEncodeError:
        return None
    return text


@pytest.mark.parametrize("name", OPTIONS)
def test_many_schemas(name: str) -> None:
    """With fixed seeds, so that each run has compared as many."""
    options = OPTIONS[name]
    counts = [(0, 0, 0)]
    for seed in range(SCHEMAS):
        one = subject(Random(f"{name} {seed}"), options)  # noqa: S311 - no secret
        counts += [hold(one)] if one is not None else []
    told, valid, invalid = map(sum, zip(*counts, strict=True))
    assert told > 2 * SCHEMAS
    assert valid > 4 * SCHEMAS
    assert invalid > 3 * SCHEMAS


@given(rng=st.randoms(use_true_random=True), name=st.sampled_from(list(OPTIONS)))
@settings(max_examples=share(150))
def test_any_schema(rng: Random, name: str) -> None:
    one = subject(rng, OPTIONS[name])
    if one is not None:
        hold(one)


INDENTS: list[dict[str, Any]] = [
    {"separators": (",", ":")},
    {},
    {"indent": 1},
    {"indent": 2},
    {"indent": 4},
    {"indent": "\t"},
    {"indent": 0},
]


def test_what_programs_write_is_taken() -> None:
    """`json.dumps`, however it indents and whether it writes ASCII only."""
    count = 0
    for seed in range(share(300)):
        one = subject(Random(seed), OPTIONS["any-order"])  # noqa: S311 - no secret
        if one is None or one.compiled is None or one.compiled.report.bounded:
            continue
        for value in filter(one.verdict, one.values):
            ascii_only = one.rng.random() < 0.5
            text = json.dumps(value, ensure_ascii=ascii_only, **one.rng.choice(INDENTS))
            assert one.compiled.grammar.match(text), (one.document, text)
            count += 1
    assert count > share(500)


def test_strict_refuses_what_is_left_to_the_checker() -> None:
    refused = 0
    for seed in range(share(200)):
        one = subject(Random(seed), OPTIONS["default"])  # noqa: S311 - no secret
        if one is None or one.compiled is None:
            continue
        left = one.compiled.report.post_hoc
        if not left:
            strict = pdl.gbnf.compile(one.schema, one.options, strict=True)
            assert str(strict.grammar) == str(one.compiled.grammar)
            continue
        refused += 1
        with pytest.raises(pdl.SchemaError) as caught:
            pdl.gbnf.compile(one.schema, one.options, strict=True)
        assert {problem.code for problem in caught.value.problems} == {"schema/post-hoc"}
        assert len(caught.value.problems) == len(left)
    assert refused > share(10) / 4


def test_presets_follow_from_each_other() -> None:
    """What a model is to write, any reader is to accept; `to_gbnf` is for the model."""
    count = 0
    for seed in range(share(100)):
        one = subject(Random(seed), OPTIONS["generate"])  # noqa: S311 - no secret
        if one is None or one.compiled is None:
            continue
        assert pdl.to_gbnf(one.schema) == str(one.compiled.grammar)
        wide = pdl.gbnf.compile(one.schema, Options.accept())
        missing = [entry.why for entry in wide.report.bounded]
        for _ in range(3):
            text = one.compiled.grammar.generate(one.rng, size=40)
            if not missing or (
                all(map(_SPELLED.search, missing)) and not re.search(r"\.|\d{10}", text)
            ):
                assert wide.grammar.match(text), (one.document, text)
                count += 1
    assert count > share(120)


@needs_llama
@pytest.mark.parametrize("name", OPTIONS)
def test_llama_takes_the_same(name: str) -> None:
    """Every grammar parses there, and texts and what is nearly one get the same verdict."""
    compared = 0
    for seed in range(share(40)):
        one = subject(Random(f"{name} {seed}"), OPTIONS[name])  # noqa: S311 - no secret
        if one is not None and one.compiled is not None:
            compared += _compare(one, one.compiled.grammar)
    assert compared > share(50)


def _compare(one: Subject, grammar: Grammar) -> int:
    texts = [grammar.generate(one.rng, size=30) for _ in range(2)]
    texts += grammar.near_misses(one.rng, 2, size=30)
    with llama(str(grammar)) as judge:
        assert judge is not None, one.document
        for text in texts:
            try:
                ok, taken, _ = judge.match(text, limit=STACKS)
            except TooManyStacksError:
                continue
            match = grammar.match(text)
            assert (match.ok, match.character) == (ok, taken), (one.document, text)
    return len(texts)
