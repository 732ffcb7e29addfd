"""What a real llama.cpp samples under compiled grammars: always valid, whatever the model says."""

from __future__ import annotations

import json
import sys
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import schemata
from compiled_texts import OPTIONS, TwiceError, read
from jsonschema import Draft202012Validator
from llama import needs_llama
from shares import share

import pdl
from pdl.gbnf import Grammar, Options
from pdl.gbnf.compiling.forms import wrap
from pdl.reply.validation.compiled import validator_of

if sys.platform == "linux":
    from sampled import Sampler
    from tiny_model import PRINTED, marks, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pdl.gbnf import Compiled

pytestmark = needs_llama

SCHEMAS = share(175)  # of which nothing is left to the checker, for each of the options
TEXTS = 2


@pytest.fixture(scope="module")
def sampler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sampler]:
    found = Sampler(write(tmp_path_factory.mktemp("model") / "tiny.gguf"))
    yield found
    found.close()


def whole(sampler: Sampler, grammar: Grammar, seed: int, **more: Any) -> str | None:
    """A text, which the grammar matches; None where it was cut, and then its beginning is one."""
    found = sampler.sample(str(grammar), seed=seed, **more)
    if found.ended:
        assert grammar.match(found.text), (found.text, str(grammar))
        return found.text
    begun = found.text.rstrip("\ufffd")  # as which the server shows a part of a character
    assert not grammar.start().accept(begun).is_dead, (begun, str(grammar))
    return None


def subjects(name: str) -> Iterator[tuple[pdl.Schema, Compiled]]:
    """Random schemas and their grammars, without those that lead to themselves or have no value."""
    count = number = 0
    while count < SCHEMAS:
        rng = Random(f"sampled {name} {number}")  # noqa: S311 - no secret
        number += 1
        try:
            schema = pdl.Schema.from_json_schema(schemata.document(rng))
            compiled = pdl.gbnf.compile(schema, OPTIONS[name])
        except pdl.SchemaError as error:
            codes = {one.code for one in error.problems}
            assert codes <= {"schema/endless", "schema/unsatisfiable"}, codes
        else:
            count += not compiled.report.post_hoc
            yield schema, compiled


def judges(schema: pdl.Schema) -> list[Callable[[Any], bool]]:
    """The checker's verdict, and jsonschema's.

    The latter leaves formats out and divides in floating point: it is asked for nothing of these.
    """
    document = schema.document
    found: list[Callable[[Any], bool]] = [validator_of(document).is_valid]
    if not any(f'"{keyword}"' in json.dumps(document) for keyword in ("format", "multipleOf")):
        found.append(Draft202012Validator(document).is_valid)
    return found


@pytest.mark.parametrize("name", OPTIONS)
def test_random_schemas(name: str, sampler: Sampler) -> None:
    """All is JSON, and valid unless the report leaves something to the checker."""
    held = 0
    for number, (schema, compiled) in enumerate(subjects(name)):
        checks = [] if compiled.report.post_hoc else judges(schema)
        for seed in range(number * TEXTS, (number + 1) * TEXTS):
            text = whole(sampler, compiled.grammar, seed)
            try:
                value = None if text is None else read(text)
            except TwiceError:
                continue
            assert text is None or all(check(value) for check in checks), (schema.document, text)
            held += text is not None and bool(checks)
    assert held > 0.85 * SCHEMAS * TEXTS


ANSWERS = [
    "int", "int<-5,120>", "int { multiple: 7 }", "float<-1.5,1.5>", "bool", "null", "int?",
    '"bug" | "feat"', "str?", "str<1,20> | int", "any", "[str]", "[int]<1,5>", "[int, str]",
    "{ a: int, b?: str }", "{ [str]: int<,9> }", "{ a: int } | { b: str<3> }",
    "{ root: Node }  Node = { v: int<0,99>, kids: [Node] }",
    '{ tag: "bug" | "feat", when: date, where?: uri, title: str<2,30> }',
]  # fmt: skip
FORMS = [
    "yesno", "code<5,80>", "code { lang: 'py' }", "tasklist", "tasklist<2,5>", "str", "str<1,80>",
    "str<2,9> { pattern: '^[a-z]' }", "date", "time", "datetime", "duration", "uuid", "ipv4",
    "ipv6", "email", "uri",
]  # fmt: skip
DRAWN = share(25)


def compiled(dsl: str) -> tuple[pdl.Schema, Grammar]:
    schema = pdl.Schema.parse(dsl)
    return schema, pdl.gbnf.compile(schema, Options.generate(), strict=True).grammar


def meant(schema: pdl.Schema, text: str) -> Any:
    """The value that a text stands for."""
    if schema.form == "json":
        return json.loads(text)
    if schema.form == "yesno":
        return text == "yes"
    return text.partition("\n")[2].removesuffix("\n```") if schema.form == "code" else text


@pytest.mark.parametrize("dsl", [*ANSWERS, *FORMS])
def test_the_checker_takes_it_as_it_is_meant(dsl: str, sampler: Sampler) -> None:
    """Without marks of reasoning or tools: amid a bare string the checker doubts what they are."""
    schema, grammar = compiled(dsl)
    bias = [[marks()[mark], False] for mark in PRINTED]
    for seed in range(DRAWN):
        text = whole(sampler, grammar, seed, logit_bias=bias)
        if text is not None:
            check = pdl.check(schema, text)
            assert (check.ok, check.value) == (True, meant(schema, text)), text


THOUGHT = ["int", "date", "yesno", "code<5,80>", '{ n: int<0,99>, tag: "bug" | "feat" }']


@pytest.mark.parametrize("template", ["<think>…</think>", "…</think>"])
@pytest.mark.parametrize("dsl", THOUGHT)
def test_wrapped(dsl: str, template: str, sampler: Sampler) -> None:
    """What stands behind the thought is an answer, and the checker finds that one or none."""
    schema, grammar = compiled(dsl)
    wrapped = Grammar(wrap(grammar.rules, template))
    found = 0
    for seed in range(DRAWN):
        text = whole(sampler, wrapped, seed)
        if text is None:
            continue
        answer = text.partition("</think>")[2].lstrip("\n")
        assert grammar.match(answer), text
        check = pdl.check(schema, text)
        assert not check.ok or check.value == meant(schema, answer), text
        found += check.ok
    assert found > DRAWN / 3
