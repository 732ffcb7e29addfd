"""Differences of schemas: each by its path, in the author's words, with its verdict."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import schemata

import pdl
from pdl import compare
from pdl.compare import compare_schemas
from pdl.compare.drafts import Judge
from pdl.compare.verdicts import No, Yes
from pdl.reply import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.compare.verdicts import Comparison

OBJECT = {"type": "object"}
LONG = "|".join("a" * count for count in range(2, 13))
CASES: tuple[tuple[Any, Any, tuple[str, ...]], ...] = (
    # numbers, strings, listed values
    ("{ age: int<0,120> }", "{ age: int<0,100> }",
     ("$.age: int<0,120> became int<0,100>: narrowed; 101 was valid",)),
    ("{ n: int }", "{ n: float }", ("$.n: int became float: widened; 0.1 is now valid",)),
    ("{ n: float<0,1> }", "{ n: float { gt: 0, max: 1 } }",
     ("$.n: float<0,1> became float<,1> { gt: 0 }: narrowed; 0 was valid",)),
    ("{ s: str<1,80> }", "{ s: str<1,60> { pattern: '^[^!]' } }",
     ('$.s: str<1,80> became str<1,60> { pattern: "^[^!]" }: narrowed; "!" was valid',)),
    ("{ d: str }", "{ d: date }", ('$.d: str became date: narrowed; "" was valid',)),
    ("{ s: int }", "{ s: str }",
     ('$.s: int became str: narrowed and widened; 0 was valid, "" is now valid',)),
    ('{ k: "bug" | "feat" }', '{ k: "feat" | "spam" }',
     (('$.k: removed "bug", added "spam": narrowed and widened; "bug" was valid,'
      ' "spam" is now valid'),)),
    ('{ k: "a" | "b | c" | "d" }', '{ k: "d" }',
     ('$.k: removed "a", "b | c": narrowed; "a" was valid',)),
    ({"enum": [[1], {"a": 2}, 3]}, {"enum": [3]},
     ('$: removed [1], {"a": 2}: narrowed; [1] was valid',)),
    ({"enum": list(range(12))}, {"const": 11},
     ("$: removed 0, 1, 2, 3, 4, 5, 6, 7 and 3 more: narrowed; 0 was valid",)),
    ("{ k: str { pattern: '^[ a] , ]$' } }", "{ k: int }",
     (('$.k: str { pattern: "^[ a] , ]$" } became int: narrowed and widened;'
      ' "a , ]" was valid, 0 is now valid'),)),
    ("{ k: str }", '{ k: "a" | "b" }', ('$.k: str became "a" | "b": narrowed; "" was valid',)),
    (f"{{ s: str {{ pattern: '^({LONG})$' }} }}", f"{{ s: str {{ pattern: '^({LONG}|b)$' }} }}",
     (f'$.s: `pattern` ^({LONG[:57]}… became ^({LONG[:57]}…: widened; "b" is now valid',)),
    ({**OBJECT, "properties": {"s": {"type": "string", "format": "x"}}},
     {**OBJECT, "properties": {"s": {"type": "string", "format": "y"}}},
     ("$.s: `format` x became y: compatible",)),  # formats that nothing checks
    # keys
    ("{ a: int, b?: str }", "{ a: int }",
     ('$.b: optional key removed (str): narrowed; {"a":0,"b":""} was valid',)),
    ("{ a: int }", "{ a: int, b?: str }",
     ('$.b: optional key added (str): widened; {"a":0,"b":""} is now valid',)),
    ("{ a: int }", "{ a: int, b: str }",
     (('$.b: required key added (str): narrowed and widened; {"a":0} was valid,'
      ' {"a":0,"b":""} is now valid'),)),
    ("{ a?: int }", "{ a: int }", ("$.a: became required: narrowed; {} was valid",)),
    ("{ a: int }", "{ a?: int }", ("$.a: became optional: widened; {} is now valid",)),
    ("{ a: int, [str]: any }", "{ a: int }",
     ('$: closed to other keys: narrowed; {"a":0,"":0} was valid',)),
    ("{ a: int }", "{ a: int, [str]: bool }",
     ('$: opened to other keys (bool): widened; {"a":0,"":true} is now valid',)),
    ("{ [str]: int }", "{ [str]: int<0,> }",
     ("$.*: int became int<0,>: narrowed; -1 was valid",)),
    ("{ a: int, b: int, c: int }", "{ a: int, c: int, b: int }",
     ("$: order of keys `b`, `c` became `c`, `b`",)),
    ({**OBJECT, "patternProperties": {"^x": {"type": "integer"}}},
     {**OBJECT, "patternProperties": {"^x": {"type": "integer", "minimum": 0}}},
     ("$[/^x/]: int became int<0,>: narrowed; -1 was valid",)),
    ({**OBJECT, "patternProperties": {"^x": {"type": "integer"}}}, OBJECT,
     ('$: keys that match ^x removed (int): widened; {"x":""} is now valid',)),
    ({**OBJECT, "minProperties": 1}, {**OBJECT, "minProperties": 2},
     ('$: at least 1 key became at least 2 keys: narrowed; {"":0} was valid',)),
    # arrays
    ("{ a: [int]<1,5> }", "{ a: [int]<1,3> }",
     ("$.a: 1 to 5 items became 1 to 3 items: narrowed; [0,0,0,0] was valid",)),
    ("{ a: [{ b: int<0,5> }] }", "{ a: [{ b: int<0,3> }] }",
     ("$.a[*].b: int<0,5> became int<0,3>: narrowed; 4 was valid",)),
    ("{ a: [int, str] }", "{ a: [int, bool] }",
     ('$.a[1]: str became bool: narrowed and widened; "" was valid, true is now valid',)),
    ("{ a: [int] { unique: true } }", "{ a: [int] }",
     ("$.a: items no longer have to be unique: widened; [0,0] is now valid",)),
    # unions
    ("{ a: int? }", "{ a: int }", ("$.a: removed null: narrowed; null was valid",)),
    ("{ a: int | str }", "{ a: int | bool }",
     ('$.a: str became bool: narrowed and widened; "" was valid, true is now valid',)),
    ('{ s: A | B }\nA = { kind: "a", r: int<0,9> }\nB = { kind: "b" }',
     '{ s: B | A }\nA = { kind: "a", r: int<0,5> }\nB = { kind: "b" }',
     ('$.s.r: int<0,9> became int<0,5>, where `kind` is "a": narrowed; 6 was valid',)),
    ('{ s: A | B }\nA = { kind: "a" }\nB = { kind: "b" }',
     '{ s: A | B | C }\nA = { kind: "a" }\nB = { kind: "b" }\nC = { kind: "c" }',
     ('$.s: added C: widened; {"kind":"c"} is now valid',)),
    # names and recursion
    ("{ root: N }\nN = { v: int, kids: [N] }", "{ root: M }\nM = { v: int<0,>, kids: [M] }",
     ("$.root.v: int became int<0,>: narrowed; -1 was valid",)),
    # other keywords
    ({"type": "integer", "not": {"const": 3}}, {"type": "integer", "not": {"const": 4}},
     (('$: `not` changed: {"not": {"const": 3}} became {"not": {"const": 4}}:'
      " narrowed and widened; 4 was valid, 3 is now valid"),)),
    ({"allOf": [{"type": "integer"}, {"maximum": 9}]},
     {"allOf": [{"type": "integer"}, {"maximum": 7}]},
     ("$: `maximum` 9 became 7: narrowed; 8 was valid",)),
    # what models read
    ("{ a: int } // old", "{ a: int } // new", ('$: description "old" became "new"',)),
    ("{\n a: int, // one\n}", "{ a: int }", ('$.a: description removed: "one"',)),
    ({**OBJECT, "properties": {"a": {"default": 1}}},
     {**OBJECT, "properties": {"a": {"default": 2, "examples": [3]}}},
     ("$.a: default 1 became 2", "$.a: examples added: [3]")),
    # forms
    ("{ a: X, b: X } X = { v: int }", "{ a: X, b: X } X = { v: float }",
     ("$.a.v: int became float (also at `$.b.v`): widened; 0.1 is now valid",)),
    ("{ a: N, b: N } N = { v: int, n?: N }", "{ a: N, b: N } N = { v: bool, n?: N }",
     (("$.a.v: int became bool (also at `$.b.v`): narrowed and widened; 0 was valid,"
      " true is now valid"),)),
    ("str", '"yes" | "no"', ('$: str became "yes" | "no": narrowed; "a" was valid',)),
    ('code { lang: "py" }', "code",
     (('$: form of the answer: code { lang: "py" } became code: widened;'
       ' "```\\na\\n```" is now valid'),)),
    ("tasklist<1,2>", "tasklist<1>",
     (('$: form of the answer: tasklist<1,2> became tasklist<1>: narrowed;'
      ' "- [ ] a\\n- [ ] a" was valid'),)),
)  # fmt: skip

SAME = (
    ({"type": "integer", "minimum": 0, "maximum": 120}, "int<0,120>"),
    ({"type": "integer", "exclusiveMinimum": -1}, "int<0,>"),
    ("{ a: N }\nN = { b: int }", "{ a: { b: int } }"),
    ({**OBJECT, "required": ["a", "b"]}, {**OBJECT, "required": ["b", "a"], "minProperties": 0}),
    ({"type": ["integer", "null"]}, {"anyOf": [{"type": "null"}, {"type": "integer"}]}),
    ({"enum": ["a", "b"]}, {"anyOf": [{"const": "b"}, {"const": "a"}]}),
    ({"type": "string", "enum": ["a", 1]}, {"const": "a"}),
    ({"type": "array", "items": True}, {"type": "array"}),
    ({"allOf": [{"type": "integer"}]}, {"type": "integer"}),
    ({"enum": [True, False]}, {"type": "boolean"}),
    ({"oneOf": [{"type": "integer"}, {"type": "null"}]}, {"type": ["null", "integer"]}),
)


def schema(given: Any) -> pdl.Schema:
    if isinstance(given, str):
        return pdl.Schema.parse(given)
    return pdl.Schema.from_json_schema(given)


def lines(found: Comparison) -> tuple[str, ...]:
    return tuple(f"{change.path}: {change.message}" for change in found.changes)


@pytest.mark.parametrize(("old", "new", "wanted"), CASES)
def test_cases(old: Any, new: Any, wanted: tuple[str, ...]) -> None:
    one, other = schema(old), schema(new)
    found = compare.compare_schemas(one, other)
    assert lines(found) == wanted
    check_witnesses(one, other, found)


@pytest.mark.parametrize(("old", "new"), SAME)
def test_other_spellings_are_no_change(old: Any, new: Any) -> None:
    found = compare.compare_schemas(schema(old), schema(new))
    assert found.changes == ()
    assert found.verdict == "compatible"


GUESSES: tuple[tuple[str, str, list[str]], ...] = (
    ("{ name: str<1,20> }", "{ full_name: str<1,20> }",
     ["`full_name` may be `name`, renamed: same type and similar name"]),
    ("{\n n: str, // who\n}", "{\n customer: str, // who\n}",
     ["`customer` may be `n`, renamed: same type and description"]),
    ("{ a: { city: str }, b: {} }", "{ a: {}, b: { city: str } }",
     ["`$.b.city` may be `$.a.city`, moved: same type and name"]),
    ("{\n city: str, // where\n}", "{ address: {\n town: str, // where\n} }",
     ["`$.address.town` may be `$.city`, moved: same type and description"]),
    ("{ name: str }", "{ full_name: int }", []),  # of another type
    ("{ name: str }", "{ age: str }", []),  # nothing but the type
    ("{ name: str }", "{ name_1: str, name_2: str }", []),  # either
)  # fmt: skip


@pytest.mark.parametrize(("old", "new", "wanted"), GUESSES)
def test_guesses(old: str, new: str, wanted: list[str]) -> None:
    found = compare.compare_schemas(schema(old), schema(new))
    assert [one.guess for one in found.changes if one.guess] == wanted


def test_whom_changes_break() -> None:
    wide, narrow = schema("{ a: int }"), schema("{ a: int<0,9> }")
    assert compare.compare_schemas(wide, narrow).changes[0].breaks == ("recordings",)
    assert compare.compare_schemas(narrow, wide).changes[0].breaks == ("programs",)


def test_changes_that_cancel_each_other() -> None:
    """A key that is required is not narrowed by what also requires it."""
    found = compare.compare_schemas(
        schema({**OBJECT, "required": ["a"], "minProperties": 1}),
        schema({**OBJECT, "required": ["a"]}),
    )
    assert found.verdict == "compatible"
    assert [one.verdict for one in found.changes] == ["compatible"]
    assert not any(one.breaks for one in found.changes)


def test_a_part_alone_is_a_witness_where_no_whole_answer_shows_it() -> None:
    """No short answer has a part that fits what it must contain, and shows the difference."""
    old = {"type": "array", "contains": {"const": 1}, "items": {"type": "integer"}}
    new = {**old, "items": {"type": "integer", "minimum": 1}}
    (change,) = compare.compare_schemas(schema(old), schema(new)).changes
    assert change.message == "int became int<1,>: narrowed; 0 was valid"
    assert change.lost == No("0", 0)
    assert change.witnesses == "part"


def test_the_place_in_the_source_is_known_for_json() -> None:
    texts = [f'```json\n{{"properties": {{\n"a": {{"maximum": {most}}}}}}}\n```' for most in (1, 2)]
    (change,) = compare.compare_schemas(*(pdl.Schema.parse(text) for text in texts)).changes
    assert str(change.old_span) == "<schema>:3:6"
    assert str(change.new_span) == "<schema>:3:6"


def test_what_takes_too_long_is_undecided() -> None:
    found = compare.compare_schemas(
        schema("{ a: int }"), schema("{ a: str }"), limits=pdl.Limits(grammar_seconds=0)
    )
    assert found.verdict == "unknown"
    assert [one.verdict for one in found.changes] == ["unknown"]
    assert found.changes[0].breaks == ("recordings", "programs")
    undecided = "undecided: comparing the schemas takes longer than 0 seconds"
    assert found.changes[0].message.endswith(undecided)


def test_python_types_are_compared() -> None:
    assert lines(compare.compare_schemas(int, float)) == (
        "$: int became float: widened; 0.1 is now valid",
    )
    with pytest.raises(TypeError, match=r"use pdl\.Schema\.parse"):
        compare.compare_schemas("int", "float")  # type: ignore[arg-type]


def check_witnesses(old: pdl.Schema, new: pdl.Schema, found: Comparison) -> None:
    """Each whole answer is valid on one side alone."""
    for change in found.changes:
        for witness, one, other in ((change.lost, old, new), (change.gained, new, old)):
            if witness is not None and change.witnesses == "answer":
                assert check(one, witness.witness).ok
                assert not check(other, witness.witness).ok


def pairs(count: int) -> Iterator[tuple[pdl.Schema, pdl.Schema]]:
    """Random schemas, each with one that differs in one keyword."""
    rng = Random("pairs of schemas")  # noqa: S311 - no secret
    for one in schemata.satisfiable("compared", count, strict=False):
        yield one, pdl.Schema.from_json_schema(mutated(one.to_json_schema(), rng))


def mutated(document: Any, rng: Random) -> Any:
    """A document in which one number or list or type is another one."""
    nodes = [node for node in walk(document) if node.keys() & MUTATED.keys()]
    if nodes:
        node = rng.choice(nodes)
        keyword = rng.choice([key for key in MUTATED if key in node])
        node[keyword] = MUTATED[keyword](node[keyword])
    return document


MUTATED: dict[str, Any] = {
    **dict.fromkeys(("minimum", "maximum"), lambda value: value + 1),
    **dict.fromkeys(("minLength", "maxLength", "maxItems"), lambda value: value + 1),
    "required": lambda value: value[1:],
    "type": lambda _: "integer",
    "additionalProperties": lambda value: value is False,
    "enum": lambda value: [*value, "more"],
}


def walk(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            yield from walk(inner)


SWAPPED = {"widened": "narrowed", "narrowed": "widened"}


def summary(found: Comparison, *, swapped: bool = False) -> list[tuple[Any, ...]]:
    told = []
    for one in found.changes:
        ends = [None if end is None else end.witness for end in (one.lost, one.gained)]
        verdict = str(one.verdict)
        if swapped:
            verdict, ends = SWAPPED.get(verdict, verdict), ends[::-1]
        told.append((one.path, verdict, *ends, one.witnesses))
    return sorted(told, key=str)


def test_laws() -> None:
    """Of random schemas and mutations of them."""
    quick = pdl.Limits(grammar_seconds=10)
    decided = 0
    for old, new in pairs(60):
        assert compare.compare_schemas(old, old).changes == ()
        copied = pdl.Schema(json.loads(json.dumps(old.document)))
        assert compare.compare_schemas(old, copied).changes == ()
        found = compare.compare_schemas(old, new, limits=quick)
        check_witnesses(old, new, found)
        verdicts = {one.verdict for one in found.changes}
        assert (
            found.verdict == "compatible"
            or verdicts & {found.verdict, "both", "unknown"}
            or (found.verdict == "both" and {"widened", "narrowed"} <= verdicts)
        )
        reverse = compare.compare_schemas(new, old, limits=quick)
        assert summary(reverse, swapped=True) == summary(found)
        assert compare.compare_schemas(old, new, limits=quick) == found
        decided += found.verdict != "unknown"
    assert decided > 40


def test_many_changes_take_bounded_time() -> None:
    """Of 500 fields, each with a verdict or the reason why it has none."""
    fields = range(500)
    old = schema("{ " + ", ".join(f"f{n}: int<0,{n + 10}>" for n in fields) + " }")
    new = schema("{ " + ", ".join(f"f{n}: int<0,{n + 9}>" for n in fields) + " }")
    found = compare.compare_schemas(old, new, limits=pdl.Limits(grammar_seconds=2))
    assert len(found.changes) == len(fields)
    assert {one.verdict for one in found.changes} <= {"narrowed", "unknown"}


def test_parts_say_of_the_whole_what_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is concluded of parts, where the whole is not decided, is what the whole decides."""
    quick = pdl.Limits(grammar_seconds=10)
    some = list(pairs(150))
    wholes = [compare.compare_schemas(old, new, limits=quick) for old, new in some]
    monkeypatch.setattr(Judge, "decide_whole", undecided)
    concluded = 0
    for (old, new), whole in zip(some, wholes, strict=True):
        parts = compare.compare_schemas(old, new, limits=quick)
        for one, other in ((whole.forward, parts.forward), (whole.backward, parts.backward)):
            if compare.Unknown not in (type(one), type(other)):
                assert type(one) is type(other)
                concluded += 1
    assert concluded > 100


def undecided(judge: Judge) -> None:
    judge.forward = judge.backward = compare.Unknown("not tried")


def test_names_of_definitions_with_escaped_characters() -> None:
    """As a part of a whole, of which an answer is looked for."""
    old, new = (
        {**OBJECT, "properties": {"a": {"$ref": "#/$defs/x~1y%25"}, "n": {"maximum": most}},
         "$defs": {"x/y%": {"type": "integer"}}, "required": ["a"]}
        for most in (8, 9)
    )  # fmt: skip
    found = compare.compare_schemas(schema(old), schema(new))
    assert lines(found) == ("$.n: `maximum` 8 became 9: widened; 9 is now valid",)
    assert found.changes[0].gained == No('{"a":0,"n":9}', {"a": 0, "n": 9})


def test_long_strings_are_told_by_their_length() -> None:
    found = compare.compare_schemas(schema("str<1,2000>"), schema("str<1,1000>"))
    assert lines(found) == (
        "$: str<1,2000> became str<1,1000>: narrowed; a string of 1,001 characters was valid",
    )


def test_many_changes_decide_the_whole() -> None:
    """Of a sum of parts, no pair is compared with each other, and the whole is as the parts are."""
    old, new, other = (
        pdl.Schema.parse("{" + ", ".join(f"f{at}: int<0,{at + more}>" for at in range(40)) + end)
        for more, end in ((0, "}"), (1, "}"), (1, ", g: str }"))
    )
    found = compare_schemas(old, new)
    assert found.forward == Yes()
    assert isinstance(found.backward, No)
    assert not check(old, found.backward.witness)
    assert {(one.verdict, one.witnesses) for one in found.changes} == {("widened", "answer")}
    assert compare_schemas(new, old).verdict == "narrowed"
    assert compare_schemas(old, other).verdict == "both"
