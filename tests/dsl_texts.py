"""Texts of the schema DSL that say everything it can say."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from pdl.errors import PromptError
from pdl.schema import Schema
from pdl.schema.dsl.words import TYPES

numbers = st.integers(-1000, 1000) | st.floats(-1e6, 1e6).map(lambda number: round(number, 3))
texts = st.text(st.characters(codec="utf-8"), max_size=8)
quoted = texts.map(lambda text: json.dumps(text, ensure_ascii=False))
literals = quoted | numbers.map(json.dumps) | st.sampled_from(["true", "false", "'raw\\d'"])
words = st.sampled_from([*TYPES])
keys = (
    st.from_regex(r"\A[a-z_][a-z0-9_-]{0,6}\Z") | quoted | st.sampled_from(["이름", "नाम", "int"])
)
comments = st.sampled_from(["", "", "", " // words\n", "\n// above\n"])


def bounded(word: str, low: int, high: int, kind: int) -> str:
    """A type with bounds, in one of the ways to write them."""
    low, high = min(low, high), max(low, high)
    ways = (
        "<{0},{1}>",
        "<{0},>",
        "<,{1}>",
        " {{ min: {0}, max: {1} }}",
        " {{ max: {1} }}",
        " {{}}",
    )
    return word + ways[kind % len(ways)].format(low, high)


bounds = st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(0, 5))
scalars = st.one_of(
    words,
    literals,
    st.builds(lambda word, three: bounded(word, *three), st.sampled_from(["str", "int"]), bounds),
    st.sampled_from(
        [
            "str { pattern: '^a|b$' }",
            "int { gt: -1, lt: 5, multiple: 2 }",
            "float<-0.5,1e3> { multiple: 0.5 }",
            "str<3>",
            "email<,80>",
            "time<,20> { zone: true }",
        ]
    ),
)


@st.composite
def objects(draw: st.DrawFn, types: st.SearchStrategy[str]) -> str:
    """An object with fields of the types, some with comments."""
    chosen = draw(st.lists(keys, max_size=4, unique_by=lambda key: key.strip('"')))
    fields = [
        f"{draw(comments)}{key}{draw(st.sampled_from(['', '?']))}: {draw(types)}," for key in chosen
    ]
    rest = draw(st.sampled_from(["", "", "[str]: any", "[str]: int"]))
    return "{" + draw(comments).join([*fields, rest]) + "\n}" + draw(st.sampled_from(["", "<,9>"]))


def compound(types: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Arrays, tuples, objects, unions and groups of types."""
    arrays = st.builds(lambda item, three: bounded(f"[{item}]", *three), types, bounds)
    tuples = st.lists(types, min_size=2, max_size=3).map(lambda items: f"[{', '.join(items)}]")
    unions = st.lists(types, min_size=2, max_size=3).map(lambda items: f"({' | '.join(items)})")
    optional = types.map(lambda one: f"({one})?")
    return arrays | tuples | unions | optional | objects(types)


types = st.recursive(scalars, compound, max_leaves=8)
named = st.builds(
    "{}\nNode = {{ v: {}, kids: [Node], next?: Leaf }}\nLeaf = {}".format,
    types.map(lambda one: f"[Node, {one}]"),
    types,
    types,
)
schemas = types | named


def problems(text: str) -> set[str]:
    """The codes of what is wrong with a text, each of which must have a place."""
    try:
        Schema.parse(text)
    except PromptError as error:
        unplaced = [problem for problem in error.problems if problem.span is None]
        return {"no place"} if unplaced else {problem.code for problem in error.problems}
    return set()


def parsed(text: str) -> Schema | None:
    """The schema of a generated text, or None if it says the same value twice."""
    if problems(text) & {"schema/duplicate-value", "schema/duplicate-key"}:
        return None
    return Schema.parse(text)
