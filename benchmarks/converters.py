"""What converters of JSON Schema enforce, shown by values that fail one keyword.

python benchmarks/converters.py [COMMAND]

Each row is a schema with a value that satisfies it and one that doesn't. A converter is right if
its grammar takes the first and refuses the second; it may refuse the schema instead, which is safe.
It needs llguidance and lm-format-enforcer; those that are not installed are left out. COMMAND is
llama.cpp's own converter: it reads a schema and writes a grammar, as a program of ten lines does
that calls `json_schema_to_grammar` of common/json-schema-to-grammar.cpp. docs/comparison.md shows
the table.
"""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any, TypeAlias

import pdl
from pdl import gbnf

if TYPE_CHECKING:
    from collections.abc import Callable

Takes: TypeAlias = "Callable[[str], bool]"
"""Whether a grammar matches a whole text."""

_BOOLEANS = {"a": {"type": "boolean"}, "b": {"type": "boolean"}}
_DIGIT = {"type": "integer", "minimum": 0, "maximum": 9}
_LETTERS: dict[str, Any] = {"type": "string", "maxLength": 3}


def _object(**keywords: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, **keywords}


CASES: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "`pattern` with `maxLength`": ({**_LETTERS, "pattern": "^[a-z]+$"}, "abc", "abcd"),
    "two patterns (`allOf`)": (
        {"type": "string", "allOf": [{"pattern": "^a.*$"}, {"pattern": "^.*b$"}], "maxLength": 5},
        "aab",
        "aac",
    ),
    "`multipleOf`": ({"type": "integer", "multipleOf": 7, "minimum": 0, "maximum": 70}, 14, 15),
    "bounds of `number`": ({"type": "number", "minimum": 0.5, "maximum": 2}, 1.5, 0.25),
    "`format: date`, the calendar": (
        {"type": "string", "format": "date"},
        "2024-02-29",
        "2026-02-29",
    ),
    "`not`": ({**_LETTERS, "not": {"const": "abc"}}, "abd", "abc"),
    "`uniqueItems` of an enum": (
        {"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True},
        ["b", "a"],
        ["a", "a"],
    ),
    "`uniqueItems` of strings": (
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        ["b", "a"],
        ["a", "a"],
    ),
    "`contains`": (
        {"type": "array", "items": {"enum": [1, 2]}, "contains": {"const": 2}, "maxItems": 3},
        [1, 2],
        [1, 1],
    ),
    "`minProperties`": (_object(properties=_BOOLEANS, minProperties=1), {"a": True}, {}),
    "`patternProperties`": (_object(patternProperties={"^n_": _DIGIT}), {"n_a": 1}, {"b": 1}),
    "`propertyNames`": (
        {
            "type": "object",
            "propertyNames": {"enum": ["a", "b"]},
            "additionalProperties": {"type": "boolean"},
        },
        {"a": True},
        {"c": True},
    ),
    "`dependentRequired`": (
        _object(properties=_BOOLEANS, dependentRequired={"a": ["b"]}),
        {"a": True, "b": True},
        {"a": True},
    ),
    "`if`, `then`": (
        {
            **_object(properties={"kind": {"enum": ["x", "y"]}, "n": _DIGIT}),
            "required": ["kind", "n"],
            "if": {"properties": {"kind": {"const": "x"}}},
            "then": {"properties": {"n": {"maximum": 3}}},
        },
        {"kind": "x", "n": 2},
        {"kind": "x", "n": 7},
    ),
    "`oneOf` that overlaps": (
        {"oneOf": [{**_DIGIT, "maximum": 5}, {**_DIGIT, "minimum": 3}]},
        1,
        4,
    ),
}


def of_pdl(schema: dict[str, Any]) -> Takes:
    """The grammar that pdl compiles."""
    grammar = gbnf.compile(pdl.Schema.from_json_schema(schema)).grammar
    return lambda text: grammar.match(text).ok


def of_llama(schema: dict[str, Any]) -> Takes:
    """The grammar that llama.cpp's own converter writes."""
    ran = subprocess.run(  # noqa: S603  (the reader's own command)
        [sys.argv[1]], input=json.dumps(schema), capture_output=True, text=True, check=True
    )
    grammar = gbnf.parse(ran.stdout)
    return lambda text: grammar.match(text).ok


def of_llguidance(schema: dict[str, Any]) -> Takes:
    """A matcher of llguidance, over bytes."""
    from llguidance import LLMatcher, LLTokenizer  # noqa: PLC0415  (may be absent)

    tokenizer = LLTokenizer("byte")
    grammar = LLMatcher.grammar_from_json_schema(json.dumps(schema))
    if wrong := LLMatcher.validate_grammar(grammar, tokenizer):
        raise ValueError(wrong)

    def takes(text: str) -> bool:
        matcher, tokens = LLMatcher(tokenizer, grammar), [*text.encode()]
        if matcher.validate_tokens(tokens) < len(tokens):
            return False
        matcher.consume_tokens(tokens)
        return bool(matcher.is_accepting())

    return takes


def of_enforcer(schema: dict[str, Any]) -> Takes:
    """The parser of lm-format-enforcer, character by character."""
    from lmformatenforcer import JsonSchemaParser  # noqa: PLC0415  (may be absent)

    start = JsonSchemaParser(schema)

    def takes(text: str) -> bool:
        parser: Any = start
        for character in text:
            if character not in parser.get_allowed_characters():
                return False
            parser = parser.add_character(character)
        return bool(parser.can_end())

    return takes


CONVERTERS = {
    "pdl-prompts": of_pdl,
    "llguidance": of_llguidance,
    "lm-format-enforcer": of_enforcer,
}


def verdict(make: Callable[[dict[str, Any]], Takes], case: tuple[dict[str, Any], Any, Any]) -> str:
    """What a converter makes of a schema; values are fields of an object, as most answers are."""
    schema, good, bad = case
    whole = _object(properties={"v": schema}, required=["v"])
    try:
        takes = make(whole)
        is_right, is_wrong = takes(json.dumps({"v": good})), takes(json.dumps({"v": bad}))
    except FileNotFoundError:
        raise
    except Exception:  # noqa: BLE001  (each library has exceptions of its own for a refusal)
        return "refuses the schema"
    if not is_right:
        return "refuses a valid value"
    return "lets it through" if is_wrong else "enforced"


def main() -> None:
    """Print the table, as Markdown."""
    found = {}
    for name, make in CONVERTERS.items():
        try:
            found[f"{name} {metadata.version(name)}"] = make
        except metadata.PackageNotFoundError:
            print(f"not run: {name} is not installed")
    if len(sys.argv) > 1:
        found["llama.cpp"] = of_llama
    print("| |", " | ".join(found), "|")
    print("|---|" + "---|" * len(found))
    for words, case in CASES.items():
        print("|", words, "|", " | ".join(verdict(make, case) for make in found.values()), "|")


if __name__ == "__main__":
    main()
