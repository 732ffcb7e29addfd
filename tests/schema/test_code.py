"""The types of prompts as code: they are the schemas, and checkers and formatters accept them."""

from __future__ import annotations

import datetime as dt
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pydantic
import pytest
import schemata
import typing_extensions
from dsl_texts import parsed, schemas
from generated import module_of, same
from hypothesis import given
from pydantic.json_schema import SkipJsonSchema
from shipped import PROMPTS
from typing_extensions import TypeAliasType

import pdl
from pdl.errors import LimitError, SchemaError
from pdl.reply.validation.compiled import validator_of
from pdl.schema import Absent, AnswerForm, Constraints, Schema
from pdl.schema.code import PromptTypes, Target, write_types

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
PYTHON: tuple[Target, ...] = ("dataclass", "pydantic", "typeddict")
FILES = sorted(
    [
        *PROMPTS,
        *(ROOT / "tests" / "cases" / "cli" / "valid").glob("types-*/**/[!_]*.pdl"),
    ]
)


def prompt_types(path: Path) -> PromptTypes:
    prompt = pdl.load(path)
    assert prompt.template is not None
    is_known, answer = prompt.template.constant_schema
    inputs = prompt.inputs.schema if prompt.inputs is not None else None
    return PromptTypes(path.name, inputs, answer, "" if is_known else "its answer")


def types_of(dsl: str, target: Target, inputs: str | None = None) -> ModuleType:
    """The module of a prompt `answer.pdl`."""
    given = None if inputs is None else Schema.parse(inputs)
    code = write_types([PromptTypes("answer.pdl", given, Schema.parse(dsl))], target)
    assert code.notes == ()
    return module_of(code.text)


def widened(notes: tuple[str, ...]) -> tuple[str, ...]:
    """The notes that do not only tell what a type checker makes of a key that is empty."""
    return tuple(note for note in notes if "pyright does not accept" not in note)


@pytest.mark.parametrize("target", PYTHON)
@given(text=schemas)
def test_a_type_is_its_schema(text: str, target: Target) -> None:
    """A law of every schema that the DSL can express."""
    schema = parsed(text)
    if schema is not None:
        code = write_types([PromptTypes("answer.pdl", None, schema)], target)
        assert widened(code.notes) == ()
        assert same(Schema.from_type(module_of(code.text).Answer), schema), code.text


FORMS = [
    *(
        "yesno",
        "code",
        "code<20,> { lang: 'py' }",
        "tasklist",
        "tasklist { min: 3, max: 5 }",
        "tasklist<0>",
    ),
    *("str", "// words\nyesno", "[str]<1>", "{}", "{ [str]: any }", "any", "null", "1.5 | 2"),
    "{ a: int = 5, b?: [str] = ['x'], c?: date = '2024-01-01', d: { e: int } = { e: 1 } }",
    "{ a?: any = { b: [1.5, true, null] }, c?: [int, str] = [1, 'a'], d?: duration = 'P1D' }",
    "{ a?: datetime = '2024-01-01T10:00:00Z', b?: (uuid | int)? = null, c?: { [str]: int } = {} }",
    "{ a?: N = { b: 'x' }, c?: [N] = [{ b: 'y' }] }\nN = { b: str }",
    "{ a?: 'x' // of x\n, b?: ipv4 // of b\n, c: [ipv6 // of c\n] }",
    "{ a?: N }\nN = str?",
    "{ a?: any?, b?: null, c: int<,5>? }",
    "{ str: str, list: [str], field?: [str] = [], dt: date, Any: any, None: null, int: [int] }",
    "{ record: str, copy: str, model_x: str, _y: str, __z: str, self: str, json: str, 'a b': int }",
    "{ 'a-b': str, a_b: str, 'a b': str, '1': int, 'ﬁ': int, fi: int, class: int }",
    "Answer\nAnswer = { Answer?: Answer }",
    "[Any]\nAny = { Union: Literal }\nLiteral = { dataclass: BaseModel? }\nBaseModel = str",
    "[A]\nA = [B] | int\nB = { a: A } | [A]",
    "[A]\nA = [B] | int\nB = [A] | str",
    "{ a: A }\n// of A\nA = { b: str<1,> /* in A */ }".replace(" /* in A */", ""),
    '// ends with a quote"\n{ a: int }',
    "// ends with \\\n{ a: int }",
    "// Answer(x)\n{ a: int }",
    '// two\n// lines\n{ a: int // one """ two\n}',
    "{ a: int }<1>",
    "{ a?: int, b?: int }<1,>",
    "{ kids: [Node], [str]: Node? }\nNode = { v: int, [str]: Node }",
    "{ kids: [Node]<1,>, 'a b'?: Node }\nNode = { 'x y'?: Node }",
    "{ a: str, b: int<1,>, [str]: str | int<1,> }",
    "{ a?: float<1e30,>, b: [str<1,>], c: { [str]: str<1,> }, d: [date, str<1,>] | date }",
    '"a\'b" | \'c"d\' | "\\u0000\\ud83d\\ude00\\u2028" | "\\\\"',
]


@pytest.mark.parametrize("target", PYTHON)
@pytest.mark.parametrize("dsl", FORMS)
def test_a_type_is_its_schema_in_odd_cases(dsl: str, target: Target) -> None:
    assert same(Schema.from_type(types_of(dsl, target).Answer), Schema.parse(dsl))


def answer(dsl: str, target: Target) -> tuple[str, tuple[str, ...]]:
    """The text after the imports, and the notes."""
    code = write_types([PromptTypes("answer.pdl", None, Schema.parse(dsl))], target)
    return code.text.rpartition("answer.pdl\n")[2], code.notes


@pytest.mark.parametrize("target", PYTHON)
def test_an_empty_key_is_reported_where_pyright_refuses_it(target: Target) -> None:
    text, notes = answer("{ '': int }", target)
    said = 'pyright does not accept the key `""` of a TypedDict'
    expected = () if target == "pydantic" else (said,)
    assert notes == tuple(f"Answer: {note}" for note in expected)
    assert (f"# Not exact: {said}.\n" in text) is bool(expected)
    schema = Schema.parse("{ '': int }")
    code = write_types([PromptTypes("answer.pdl", None, schema)], target)
    assert same(Schema.from_type(module_of(code.text).Answer), schema)


@pytest.mark.parametrize(
    ("dsl", "reason"),
    [
        ("{ a: int, [str]: int }", "# A TypedDict, since a dataclass cannot have other keys.\n"),
        ("{ 'a b': int }", "# A TypedDict, since a dataclass cannot have such keys.\n"),
        ("{ a: int }", ""),
    ],
)
def test_a_comment_says_why_a_record_is_no_dataclass(dsl: str, reason: str) -> None:
    found = [
        line for line in answer(dsl, "dataclass")[0].splitlines(keepends=True) if line[:1] == "#"
    ]
    assert "".join(found) == reason


INDEXES = [
    ("{ a: str, [str]: str }", "string", True),
    ("{ a: str, b: 'x' | int, [str]: 'x' | str | int }", '"x" | string | number', True),
    ("{ a: int, [str]: any }", "unknown", True),
    ("{ a: int, [str]: str }", "unknown", False),
    ("{ name: str, 'k k'?: int, [str]: str | int }", "unknown", False),
]


@pytest.mark.parametrize(("dsl", "index", "is_exact"), INDEXES)
def test_other_keys_in_typescript(dsl: str, index: str, is_exact: bool) -> None:  # noqa: FBT001
    """All keys must fit the type of the other keys; a wider type is reported."""
    text, notes = answer(dsl, "typescript")
    assert f"  [key: string]: {index};\n" in text
    said = "other keys can have any type"
    assert notes == (() if is_exact else (f"Answer: {said}",))
    assert (f"Not exact: {said}." in text) is not is_exact


def test_constraints_in_typescript() -> None:
    """Also those of items and values, each with its path."""
    dsl = "{ a: [str<1,>?]<2,>, b: { [str]: int<3,> }, c: [str<4,>, any] | str<5,> }"
    text, _ = answer(dsl, "typescript")
    told = [line.split("@")[1].removesuffix(" */") for line in text.splitlines() if "@" in line]
    assert told == [
        *("minItems 2", "items.minLength 1", "additionalProperties.minimum 3"),
        *("anyOf[0].prefixItems[0].minLength 4", "anyOf[1].minLength 5"),
    ]


LONG = [
    f"{{ {'k' * length}{mark}: {form} }}"
    for length in (70, 77, 80, 83, 90)
    for mark in ("", "?")
    for form in (
        *("str", "[str]", "[str]<1,>", "{ a: int }", "{ [str]: str<1,> }", "N }\nN = { a: int"),
        f"'{'a' * 30}' | '{'b' * 30}' | '{'c' * 30}'",
        f"str = '{'d' * 60}'",
    )
]


@pytest.mark.parametrize("target", PYTHON)
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_type_is_the_schema_of_a_prompt(path: Path, target: Target) -> None:
    found = prompt_types(path)
    module = module_of(write_types([found], target).text)
    name = "".join(word.capitalize() for word in path.stem.replace("-", "_").split("_"))
    if found.answer is not None:
        assert same(Schema.from_type(getattr(module, name)), found.answer)
    if found.inputs is not None:
        # A default makes an input optional for those who pass it.
        document = found.inputs.to_json_schema()
        optional = {key for key, one in document["properties"].items() if "default" in one}
        required = [key for key in document.get("required", ()) if key not in optional]
        made = Schema.from_type(getattr(module, f"{name}Input"))
        assert set(made.document.get("required", ())) == set(required)
        assert list(made.document["properties"]) == list(document["properties"])


@pytest.mark.parametrize("target", PYTHON)
@pytest.mark.parametrize("seed", range(60))
def test_a_type_accepts_what_a_json_schema_accepts(seed: int, target: Target) -> None:
    """It accepts nothing else either, unless a note says what it does not express."""
    rng = Random(f"types {seed}")  # noqa: S311 - no secret
    try:
        schema = Schema.from_json_schema(schemata.document(rng))
    except SchemaError:
        return
    code = write_types([PromptTypes("answer.json", None, schema)], target)
    made = Schema.from_type(module_of(code.text).Answer)
    for _ in range(40):
        value = schemata.value(rng)
        accepted = validator_of(schema.document).is_valid(value)
        found = validator_of(made.document).is_valid(value)
        assert found == accepted or (found and code.notes), (value, code.text)


REPLY = """{"ship-to": {"street": "Elm", "country": "DE"}, "placed": "2024-01-02T03:04:05Z",
"items": [{"sku": "ABC1", "count": 2}], "parts": [1, null], "tags": [], "tree": [1, [2]],
"notes": {"private": true, "by": "me"}}"""


@pytest.mark.parametrize("target", PYTHON)
def test_a_reply_becomes_an_instance(target: Target) -> None:
    """Absent keys are None in classes, and absent in dicts; null is not accepted for them."""
    dsl = """{ day: date, nick?: str, none?: str?, open: { a: int, [str]: date }, kids: [K] }
    K = { kids?: [K] }"""
    made = types_of(dsl, target).Answer
    reply = (
        '{"day": "2024-01-02", "open": {"a": 1, "b": "2024-01-03"}, "kids": [{"kids": [{}]}, {}]}'
    )
    found: Any = pdl.extract(made, reply)
    values = found if target == "typeddict" else vars(found)
    assert values["day"] == dt.date(2024, 1, 2)
    assert values.get("nick") is values.get("none") is None
    opened = values["open"]
    assert (opened.b if target == "pydantic" else opened["b"]) == dt.date(2024, 1, 3)
    check = pdl.check(made, reply.replace("{", '{"nick": null, ', 1))
    assert not check.ok
    assert check.errors[0].path == ("nick",)


def test_an_absent_none_is_no_default_of_a_schema() -> None:
    made = Schema.from_type(types_of("{ a?: str }", "dataclass").Answer)
    assert made.document["properties"] == {"a": {"type": "string"}}


Nested = TypeAliasType("Nested", "int | list[Nested]")
Lost = TypeAliasType("Lost", "list[Missing]")  # type: ignore[name-defined]  # noqa: F821


class Loose(typing_extensions.TypedDict, extra_items=int):  # type: ignore[call-arg]
    a: str


class Plain(typing_extensions.TypedDict):
    a: str


class Skipping(pydantic.BaseModel):
    nick: str | SkipJsonSchema[None] = None
    kept: str | None = None
    mail: Annotated[str, pydantic.Field(json_schema_extra={"format": "email"})]


@dataclass
class Away:
    nick: Annotated[str, Constraints(max_length=5)] | Absent = None
    none: int | Absent | None = None
    kept: int | None = None


FROM_TYPES: list[tuple[Any, str]] = [
    (Nested, "Nested\nNested = int | [Nested]"),
    (Loose, "{ a: str, [str]: int }"),
    (Plain, "{ a: str }"),
    (Skipping, "{ nick?: str, kept?: str? = null, mail: email }"),
    (Away, "{ nick?: str<,5>, none?: int?, kept?: int? = null }"),
    (Annotated[str, AnswerForm("code", lang="py")], 'code { lang: "py" }'),
    (
        list[Annotated[float, Constraints(gt=0, multiple_of=0.5)]],
        "[float { gt: 0, multiple: 0.5 }]",
    ),
    (
        Annotated[list[int], Constraints(unique=True, keywords={"maxItems": 3})],
        "[int]<,3> { unique: true }",
    ),
    (list[Annotated[int | str, Constraints(keywords={"allOf": [{}]})]], ""),
    (
        Annotated[Literal["a"], "1st"] | Annotated[str, "2nd"],
        '// ("a": 1st; if string: 2nd)\n"a" | str',
    ),
    (Annotated[Literal["a", "b"], pydantic.AfterValidator(str)] | None, '"a" | "b" | null'),
]


@pytest.mark.parametrize(("form", "text"), FROM_TYPES, ids=[text for _, text in FROM_TYPES])
def test_what_code_says_is_read_from_other_types_too(form: Any, text: str) -> None:
    schema = Schema.from_type(form)
    assert (schema.to_dsl() if text else schema.document["items"]["allOf"]) == (text or [{}])


def test_an_alias_of_an_undefined_name_is_refused() -> None:
    with pytest.raises(SchemaError, match="it names `Missing`, which is not defined there"):
        Schema.from_type(Lost)


NAMES: list[tuple[list[tuple[str, str, str]], list[str]]] = [
    ([("a-b.pdl", "{}", "{ x: { y: int } }")], ["ABInput", "ABX", "AB"]),
    ([("2x.v1.pdl", "", "[{ y: int }]")], ["T2xItem", "T2x"]),
    (
        [("x.pdl", "{}", "int"), ("x-input.pdl", "{}", "int")],
        ["XInput", "X", "XInputInput", "XInput2"],
    ),
    ([("a/x.pdl", "", "int"), ("b/x.pdl", "", "int")], ["X", "X2"]),
    (
        [("a.pdl", "", "[N]\nN = { x: int }"), ("b.pdl", "", "N\nN = { x: int }")],
        ["N", "A", "B"],
    ),
    (
        [("a.pdl", "", "[N]\nN = { x: int }"), ("b.pdl", "", "N\nN = { y: int }")],
        ["AN", "A", "BN", "B"],
    ),
    ([("a.pdl", "{ n: N }\nN = { x: int }", "N\nN = { x: int }")], ["N", "AInput", "A"]),
    (
        [("a.pdl", "{ n: N }\nN = { x: int = 1 }", "N\nN = { x: int = 1 }")],
        ["NInput", "AInput", "N", "A"],
    ),
    ([("a.pdl", "", "B | [B]\nB = { x: { y: int }, X: { y: int } }")], ["BX", "BX2", "B", "A"]),
    (
        [("pet.pdl", "", '{ kind: "cat" } | { kind: "big dog", lives: int }')],
        ["PetCat", "PetBigDog", "Pet"],
    ),
]


COLLISIONS = [
    (["a.pdl", "b.pdl"], []),
    (
        ["AB.pdl", "a-b.pdl", "a_b.pdl"],
        [
            "a-b.pdl: its types are named `AB2`, since another prompt has the name `AB`",
            "a_b.pdl: its types are named `AB3`, since another prompt has the name `AB`",
        ],
    ),
    (
        ["x.pdl", "x-input.pdl"],
        ["x-input.pdl: a type is named `XInput2`, since another prompt has the name `XInput`"],
    ),
]


@pytest.mark.parametrize("target", [*PYTHON, "typescript"])
@pytest.mark.parametrize(("files", "notes"), COLLISIONS)
def test_names_that_depend_on_other_prompts_are_reported(
    files: list[str], notes: list[str], target: Target
) -> None:
    schema = Schema.parse("{ a: { b: int } }")
    code = write_types([PromptTypes(file, None, schema) for file in files], target)
    assert list(code.notes) == notes
    assert all(note.partition(": ")[2][1:] in code.text for note in notes)


@pytest.mark.parametrize(("prompts", "names"), NAMES)
def test_names(prompts: list[tuple[str, str, str]], names: list[str]) -> None:
    """Types are named after files, definitions, and keys."""
    given_types = [
        PromptTypes(file, Schema.parse(inputs) if inputs else None, Schema.parse(answer))
        for file, inputs, answer in prompts
    ]
    text = write_types(given_types, "typescript").text
    found = [line.split()[2] for line in text.splitlines() if line.startswith("export ")]
    assert found == names


def test_the_text_is_the_same_in_every_process() -> None:
    """Hashes of strings differ from process to process; the text and the notes do not."""
    case = ROOT / "tests" / "cases" / "cli" / "valid" / "types-json-schema" / "pet.json"
    words = ["types", str(ROOT / "prompts"), str(case), "--to", "typescript"]
    command = [sys.executable, "-m", "pdl", *words]
    found = set()
    for seed in "123":
        env = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, capture_output=True, check=True, env=env)  # noqa: S603
        found.add((done.stdout, done.stderr))
    assert len(found) == 1


def test_a_schema_that_nests_too_deep_is_refused() -> None:
    with pytest.raises(LimitError, match="`Answer` nests too deep to be code"):
        types_of(f"{'[' * 120}int{']' * 120}", "dataclass")
    with pytest.raises(LimitError, match="nests too deep to be code"):
        types_of(f"{'{ a: ' * 120}int{' }' * 120}", "pydantic")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of modules: of all prompts together, and of many schemas, for each target."""
    folder = tmp_path_factory.mktemp("code")
    several = [PromptTypes(f"s{at}.pdl", None, Schema.parse(dsl)) for at, dsl in enumerate(FORMS)]
    rng = Random("modules")  # noqa: S311 - no secret
    drawn = [schemata.document(rng) for _ in range(60)]
    for target in (*PYTHON, "typescript"):
        suffix = "ts" if target == "typescript" else "py"
        texts = {
            "prompts": write_types(list(map(prompt_types, FILES)), target),
            "odd": write_types(several, target),
            "long": write_types(
                [PromptTypes(f"s{at}.pdl", None, parsed(dsl)) for at, dsl in enumerate(LONG)],
                target,
            ),
        }
        for number, document in enumerate(drawn):
            try:
                schema = Schema.from_json_schema(document)
            except SchemaError:
                continue
            texts[f"drawn{number}"] = write_types([PromptTypes("a.json", None, schema)], target)
        for name, code in texts.items():
            (folder / f"{name}_{target}.{suffix}").write_text(code.text, encoding="utf-8")
    return folder


def run(folder: Path, *words: str) -> str:
    """What a command reports about a folder; it must find nothing."""
    env = {**os.environ, "MYPYPATH": str(ROOT), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(  # noqa: S603  (our own words)
        words, cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.parametrize("width", ["88", "100"])
def test_ruff_would_format_nothing(folders: Path, width: str) -> None:
    ruff = [sys.executable, "-m", "ruff", "format", "--isolated", "--diff", "--line-length", width]
    assert run(folders, *ruff, ".") == ""


def test_ruff_finds_no_fault(folders: Path) -> None:
    """Imports are sorted, and used."""
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "I,F,E7,E9", "."]
    assert run(folders, *ruff) == ""


def test_mypy_finds_no_fault(folders: Path) -> None:
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache")]
    silent = "--follow-imports=silent"  # of pdl itself, which is checked with its own settings
    assert run(folders, *mypy, silent, ".") == ""


def test_tsc_finds_no_fault(folders: Path) -> None:
    assert run(folders, _found("tsc"), "--strict", "--noEmit", *_named(folders, "*.ts")) == ""


def test_pyright_finds_no_fault(folders: Path) -> None:
    pyright = [_found("pyright"), "--pythonpath", sys.executable]
    assert run(folders, *pyright, *_named(folders, "*.py")) == ""


def _named(folder: Path, pattern: str) -> list[str]:
    return [path.name for path in sorted(folder.glob(pattern))]


def _found(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not on PATH: `npm install typescript pyright` brings it")
    return path
