"""Renaming in all files: what changes, what is refused, and that nothing else changes."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import pytest
from drawn_templates import TEMPLATES
from hypothesis import given
from hypothesis import strategies as st
from marked import prepare
from shipped import examples

import pdl
from pdl.edit.document import Document
from pdl.edit.features.rename import Refusal, changed_text, rename, rename_file
from pdl.edit.features.rename import prepare as prepared
from pdl.edit.template.names import names_of
from pdl.edit.workspace import Workspace
from pdl.prompt.inputs import _TAKEN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from _pytest.mark import ParameterSet
    from marked import Files
    from shipped import Example

    from pdl.edit.features.rename import Edits
    from pdl.edit.template.names import Name

# files with a cursor in one of them; what becomes `new` is `[[…]]`
RENAMED: list[Files] = [
    {
        "a.pdl": "<|input|>\n{ [[¦x]]: int, y: int }\n<|user|>\nx {{ [[x]] + y.x }}"
        "{% set z = [[x]] %}{% for x in [[x]] %}{{ x }}{% endfor %}{{ f(x=[[x]]) }}{{ 'x' }}",
    },
    {
        "a.pdl": "<|input|>\n{ [[x]]: int }\n<|user|>\n{% include 's/b' %}",
        "c.pdl": '<|input|>\n{ "[[x]]": int }\n<|user|>\n{{ [[x]] }}{% include "s/b" %}',
        "d.pdl": "<|input|>\n{ x: int }\n<|user|>\n{{ x }}",
        "s/b": "{{ [[¦x]] }}{% include 's/c' %}",
        "s/c": "{% if [[x]] %}{{ [[x]] }}{% endif %}",
    },
    {"a.pdl": "<|schema|>\n{ a: [ [[¦T]] ] }\n[[T]] = [[T]] | int\n<|tools|>\nf(a: T)\nT = int"},
    {"a.pdl": "{% import 'b' as m %}{{ m.[[f]]() }}", "b": "{% macro [[f¦]]() %}{% endmacro %}"},
    {
        "a.pdl": "{% import 'b' as m %}{{ m['[[f]]'](1) }} {{ m.[[¦f]](2) }}{{ m['f g'] }}",
        "b": "{% macro [[f]](x) %}{% endmacro %}",
    },
    {
        "a.pdl": "{% import 'b' as m %}{{ m[\"f\"]([[¦x]]=1) }}",
        "c.pdl": "{% from 'b' import f as g %}{{ g([[x]]=1) }}",
        "b": "{% macro f([[x]]) %}{{ [[x]] }}{% endmacro %}",
    },
    {"a.pdl": "{% block [[¦c]] %}{% endblock %}{{ self['[[c]]']() }}"},
    {"a.pdl": "{% from 'b' import [[f]] %}{{ [[¦f]]() }}", "b": "{% set [[f]] = 1 %}"},
    {"a.pdl": "{% from 'b' import f as [[g]] %}{{ [[¦g]]() }}", "b": "{% set f = 1 %}"},
    {"a.pdl": "{% import 'b' as [[¦m]] %}{{ [[m]].f() }}{{ [[m]]::f() }}", "b": ""},
    {"a.pdl": "{% extends 'b' %}{% block [[¦c]] %}{% endblock %}", "b": "{% block [[c]] %}"},
    {"a.pdl": "{% set n = namespace([[x]]=1) %}{% set n.[[x]] = n.[[x¦]] %}{{ x }}"},
    {"a.pdl": "{% macro m([[a]]) %}{{ [[¦a]] }}{% endmacro %}{{ m([[a]]=a) }}"},
    {"a.pdl": "<|schema|>\n{ [[¦a]]: int, b: { a: int } }"},
    {"a.pdl": "<|tools|>\n[[¦go]](to: str)\ncome()"},
    {"a.pdl": "<|tools|>\ngo([[¦to]]: str)"},
    {"a.pdl": "{{ [[¦x]] }}{% if [[x]] %"},  # does not parse
    # keys of inputs
    {
        "a.pdl": "<|input|>\n{ l: [S], [[o]]: { o: int } }\nS = { o: int }\n<|user|>\n"
        "{% for i in l %}{{ i.o }}{% endfor %}{{ [[o]].o }}{{ [[¦o]]['o'] }}{{ x(o=1) }}",
    },
    {
        "a.pdl": "<|input|>\n{ l: [S], o: { o: int } }\nS = { [[¦o]]?: int, s: [S] = [] }\n"
        "<|user|>\n"
        "{% for i in l %}{{ i.[[o]] }}{{ i.s[0]['[[o]]'] }}{% for j in i.s %}{{ j.[[o]] }}"
        "{% endfor %}{% endfor %}{{ o.o }}{% set k = l | last if l else none %}{{ k.[[o]] }}"
        "{{ l | map(attribute='[[o]]') | join }}{{ [o] | sum('o') }}",
    },
    {
        "a.pdl": "<|input|>\n{ l: [{ [[o]]: int }] }\n<|user|>\n{% include 'b' %}{{ l.o }}"
        "{% for i in l %}{{ i.[[¦o]] }}{% include 'c' %}{% endfor %}",
        "b": "{% for i in l %}{{ i.[[o]] }}{% endfor %}",
        "c": "{% if i.[[o]] is defined %}{% endif %}",
    },
    {"a.pdl": "<|input|>\n{ [[¦x]]: int\n<|user|>\n{{ [[x]] "},
]


def _name(files: Files) -> str:
    return "New" if "T = " in str(files) else "new"


@pytest.mark.parametrize("files", RENAMED)
def test_what_is_renamed(tmp_path: Path, files: Files) -> None:
    workspace, document, cursor, _ = prepare(tmp_path, files)
    new = _name(files)
    edits = rename(workspace, document, cursor, new)
    assert not isinstance(edits, Refusal), edits
    _apply(workspace, edits)
    for name, text in files.items():
        parts = text.replace("¦", "").split("[[")
        expected = parts[0] + "".join(new + part.partition("]]")[2] for part in parts[1:])
        assert (tmp_path / name).read_text("utf-8") == expected


def _apply(workspace: Workspace, edits: Edits) -> None:
    for path, each in edits.items():
        assert path is not None
        document = workspace.document(path)
        assert document is not None
        path.write_text(changed_text(document, each), "utf-8")


INPUT = "<|input|>\n{ ¦x: int, y: int }\n<|user|>\n{{ x }}"
KEYS = "<|input|>\n{ a: { ¦b: int, c: int } }\n<|user|>\n{{ a.b }}"
REFUSED: list[tuple[str, Files, str]] = [
    ("1x", {"a.pdl": INPUT}, "`1x` is not a name that a template can read"),
    ("a-b", {"a.pdl": INPUT}, "`a-b` is not a name that a template can read"),
    ("", {"a.pdl": INPUT}, "`` is not a name that a template can read"),
    ("loop", {"a.pdl": INPUT}, "`loop` is reserved by Jinja"),
    ("if", {"a.pdl": INPUT}, "`if` is reserved by Jinja"),
    ("schema", {"a.pdl": INPUT}, "`schema` prints the schema of the answer"),
    ("y", {"a.pdl": INPUT}, "`y` is already a name: a.pdl:2"),
    ("z", {"a.pdl": INPUT + "{{ z }}"}, "`z` is already a name: a.pdl:4"),
    ("range", {"a.pdl": INPUT + "{{ range(2) }}"}, "`range` is already a name: a.pdl:4"),
    (
        "i",
        {"a.pdl": INPUT + "{% for i in l %}{{ x }}{% endfor %}"},
        "`i` would be something else there: a.pdl:4",
    ),
    (
        "x",
        {"a.pdl": "{% for ¦i in l %}{{ x }}{% endfor %}"},
        "`x` is already a name: a.pdl:1",
    ),
    (
        "z",
        {"a.pdl": INPUT + "{% include 'b' %}", "b": "{{ z }}{{ x }}"},
        "`z` is already a name: b:1",
    ),
    (
        "recursive",
        {"a.pdl": "{% set ¦x = 1 %}{% for i in x %}{% endfor %}"},
        "`recursive` is reserved by Jinja",
    ),
    ("t", {"a.pdl": "<|schema|>\n¦T\nT = int"}, "begins with a capital letter"),
    ("U", {"a.pdl": "<|schema|>\n[¦T, U]\nT = int\nU = str"}, "`U` is already a name"),
    ("T U", {"a.pdl": "<|schema|>\n¦T\nT = int"}, "not a name that a typed turn can have"),
    ("b", {"a.pdl": "<|schema|>\n{ ¦a: int, 'b': int }"}, "there is already a key `b`"),
    ("b c", {"a.pdl": "<|schema|>\n{ ¦a: int }"}, "not a name that a typed turn can have"),
    ("g", {"a.pdl": "<|tools|>\n¦f()\ng()"}, "there is already a tool `g`"),
    (
        "_f",
        {"a.pdl": "{% from 'b' import ¦f %}", "b": "{% macro f() %}{% endmacro %}"},
        "`_f` begins with `_`, so it cannot be imported",
    ),
    ("new", {"a.pdl": "a¦ {{ b }}"}, "there is no name to rename here"),
    ("new", {"a.pdl": "{{ loo¦p }}"}, "there is no name to rename here"),
    ("new", {"a.pdl": "{{ ¦range(1) }}"}, "`range` is a function of all templates"),
    ("new", {"a.pdl": "{{ ¦schema }}"}, "`schema` prints the schema of the answer"),
    ("New", {"a.pdl": "<|schema|>\n¦T"}, "`T` is not defined in this turn"),
    (
        "new",
        {"a.pdl": "{% import 'b' as m %}{{ m.¦f }}"},
        "the file that defines `f` was not found",
    ),
    ("new", {"a.pdl": "{% from 'b' import ¦f %}"}, "the file that defines `f` was not found"),
    (
        "new",
        {"a.pdl": '<|input|>\n```json\n{"type": "object"}\n```\n<|user|>\n{{ ¦x }}'},
        "`x` may be declared in JSON Schema: a.pdl:1",
    ),
    (
        "new",
        {"a.pdl": "<|input|>\n@a.json\n<|user|>\n{% include 'b' %}", "b": "{{ ¦x }}"},
        "`x` may be declared in JSON Schema: a.pdl:1",
    ),
    (
        "new",
        {"a.pdl": "{{ ¦x }}{% include 'b' ~ y %}"},
        "the name of a file is computed, and that may use `x`: a.pdl:1",
    ),
    ("c", {"a.pdl": KEYS}, "there is already a key `c`"),
    ("items", {"a.pdl": KEYS}, "`value.items` would not read a key of that name"),
    ("c d", {"a.pdl": KEYS}, "is not a name that a typed turn can have"),
    ("new", {"a.pdl": KEYS + "{{ z.b }}"}, "which its types do not say: a.pdl:4"),
    ("new", {"a.pdl": KEYS + "\n{{ l | map(attribute='x.b') }}"}, "do not say: a.pdl:5"),
    ("new", {"a.pdl": KEYS + "{% for i in [a] %}{{ loop.previtem.b }}"}, "do not say: a.pdl:4"),
    ("new", {"a.pdl": KEYS + "{% macro m(p=a) %}{{ p.b }}"}, "do not say: a.pdl:4"),
    ("new", {"a.pdl": KEYS.replace("int }", "int } = { b: 1 }")}, "do not say: a.pdl:2"),
    (
        "new",
        {"a.pdl": KEYS + "{% if c %}{% set x = a %}{% else %}{% set x = z %}{% endif %}{{ x.b }}"},
        "do not say: a.pdl:4",
    ),
    (
        "new",  # a file that is shared by prompts whose inputs can differ
        {
            "a.pdl": KEYS + "{% include 'd' %}",
            "b.pdl": KEYS.replace("¦", "") + "{% include 'd' %}",
            "d": "{{ a.b }}",
        },
        "another `b` may be the key too, which its types do not say: d:1",
    ),
    (
        "new",
        {
            "a.pdl": KEYS.replace("¦", "") + "{% include 'd' %}",
            "b.pdl": KEYS.replace("¦b: int", "b: str") + "{% include 'd' %}",
            "d": "{{ a.¦b }}",
        },
        "of `b` here, the types do not say which of these keys it is: a.pdl:2, b.pdl:2",
    ),
    (
        "new",
        {"a.pdl": KEYS.replace("¦", "") + "{% macro m(p=a) %}{{ p.¦b }}"},
        "of `b` here, the types do not say that it is this key: a.pdl:2",
    ),
    (
        "new",
        {"a.pdl": "{% set n = namespace(¦x=1) %}{{ f(n) }}"},
        "not all uses are known: a.pdl:1",
    ),
]


@pytest.mark.parametrize(("new", "files", "message"), REFUSED)
def test_what_is_refused(tmp_path: Path, new: str, files: Files, message: str) -> None:
    workspace, document, cursor, _ = prepare(tmp_path, files)
    found = rename(workspace, document, cursor, new)
    assert isinstance(found, Refusal)
    assert message in found.message.replace(f"{tmp_path}/", "")


@pytest.mark.parametrize("word", sorted(_TAKEN))
def test_words_that_no_input_can_have_are_refused(word: str) -> None:
    document = Document(INPUT.replace("¦", ""))
    assert isinstance(rename(Workspace(), document, 12, word), Refusal)


def test_the_range_that_is_renamed() -> None:
    document = Document('<|input|>\n{ "x": int }')
    assert prepared(Workspace(), document, 14) == (13, 14)
    assert isinstance(prepared(Workspace(), document, 0), Refusal)


@given(TEMPLATES, st.data())
def test_a_renaming_can_be_undone(text: str, data: st.DataObject) -> None:
    """And each other name remains what it was."""
    document = Document(text)
    names = names_of(document)
    if not names.all:
        return
    name = data.draw(st.sampled_from(names.all))
    new = data.draw(st.sampled_from(["x", "y", "z", "new", "k"]))
    edits = rename(Workspace(), document, name.start, new)
    if isinstance(edits, Refusal):
        return
    changed = Document(changed_text(document, edits[None]))
    after = names_of(changed)
    assert [one.symbol for one in after.all] == [one.symbol for one in names.all]
    start = after.all[names.all.index(name)].start
    back = rename(Workspace(), changed, start, name.text)
    assert not isinstance(back, Refusal)
    assert changed_text(changed, back[None]) == text


def _called(**values: object) -> str:
    return "".join(map(str, values.values()))


def _outcome(text: str, folder: Path, data: dict[str, object]) -> object:
    """What is rendered, without the names of macros, which are in it if one is printed."""
    try:
        found = str(pdl.loads(f"<|user|>\n.{text}", base=folder).render(data).messages)
        return re.sub(r"Macro (?:&#39;|\\?')\w+", "Macro", found)
    except pdl.PromptError as error:
        return [one.code for one in error.problems]
    except AssertionError:  # of Jinja, about a filter of a block that reads a name
        return None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What drawn templates import."""
    found = tmp_path_factory.mktemp("imported")
    (found / "a").write_text("{% macro x(y) %}x{{ y }}{% endmacro %}{% set y = 'b' %}", "utf-8")
    return found


@given(TEMPLATES, st.data())
def test_a_renamed_variable_renders_the_same(folder: Path, text: str, data: st.DataObject) -> None:
    """The data are renamed as well; what fails, fails in the same way."""
    document = Document(text)
    names = names_of(document).all
    if not names:
        return
    name = data.draw(st.sampled_from(names))
    edits = rename(Workspace(), document, name.start, "renamed")
    if isinstance(edits, Refusal):
        return
    values: dict[str, object] = {"x": "1", "y": ["2", "3"], "z": ["45"], "f": _called, "g": "6"}
    is_passed = names_of(document).passed(name.text) == name.symbol
    other = {"renamed" if is_passed and key == name.text else key: values[key] for key in values}
    changed = changed_text(document, edits[None])
    assert _outcome(changed, folder, other) == _outcome(text, folder, values)


def _inputs() -> Iterator[ParameterSet]:
    """The inputs of all shipped prompts, each with data."""
    for example in examples():
        inputs = pdl.load(example.prompt).inputs
        assert inputs is not None
        for one in inputs.names:
            yield pytest.param(example, one, id=f"{example.id}-{one}")


@pytest.mark.parametrize(("example", "name"), [*_inputs()])
def test_a_renamed_input_renders_the_same(tmp_path: Path, example: Example, name: str) -> None:
    path, data = example.prompt, example.data
    shutil.copytree(path.parent, tmp_path / "prompts")
    moved = tmp_path / "prompts" / path.name
    workspace = Workspace((tmp_path,))
    document = workspace.document(moved)
    assert document is not None
    edits = rename(workspace, document, document.inputs[name].start, "renamed")
    assert not isinstance(edits, Refusal)
    _apply(workspace, edits)
    other = {"renamed" if key == name else key: value for key, value in data.items()}
    expected, found = pdl.load(path).render(data), pdl.load(moved).render(other)
    assert found.messages == expected.messages
    assert found.schema == expected.schema
    assert found.config == expected.config


def _keys() -> Iterator[ParameterSet]:
    """Keys of the inputs' objects that no other object has, each with data."""
    for example in examples():
        names = names_of(Document(example.prompt.read_text("utf-8")))
        keys = [one for one in names.all if one.kind == "key"]
        texts = [one.text for one in names.all if one.kind in ("key", "input")]
        data = json.dumps(example.data)
        for one in keys:
            if texts.count(one.text) == 1 and f'"{one.text}":' in data:
                yield pytest.param(example, one, id=f"{example.id}-{one.text}")


@pytest.mark.parametrize(("example", "key"), [*_keys()])
def test_a_renamed_key_renders_the_same(tmp_path: Path, example: Example, key: Name) -> None:
    path, data = example.prompt, json.dumps(example.data)
    shutil.copytree(path.parent, tmp_path / "prompts")
    moved = tmp_path / "prompts" / path.name
    workspace = Workspace((tmp_path,))
    document = workspace.document(moved)
    assert document is not None
    edits = rename(workspace, document, key.start, "renamed")
    assert not isinstance(edits, Refusal), edits
    _apply(workspace, edits)
    other = data.replace(f'"{key.text}":', '"renamed":')
    expected = pdl.load(path).render(json.loads(data))
    assert pdl.load(moved).render(json.loads(other)).messages == expected.messages


def test_a_renamed_file_is_renamed_where_it_is_named(tmp_path: Path) -> None:
    workspace = _files(
        tmp_path,
        {
            "a.pdl": "{% include 'p/b' %}{% include 'p/c' %}",
            "q/a.pdl": "{% include 'p/b' %}<|media(i.png)|>",
            "p/b": "",
            "p/c": "",
            "q/i.png": "",
        },
    )
    found = rename_file(workspace, tmp_path / "p/b", tmp_path / "p/r/d")
    changed = {path.relative_to(tmp_path).as_posix(): each for path, each in found.items() if path}
    assert changed == {"a.pdl": [(12, 15, "p/r/d")], "q/a.pdl": [(12, 15, "p/r/d")]}
    found = rename_file(workspace, tmp_path / "q/i.png", tmp_path / "q/j.png")
    assert found == {tmp_path / "q/a.pdl": [(27, 32, "j.png")]}
    assert rename_file(workspace, tmp_path / "q/i.png", tmp_path / "i.png") == {}


def _files(folder: Path, files: Files) -> Workspace:
    return prepare(folder, files | {"cursor.pdl": "¦"})[0]
