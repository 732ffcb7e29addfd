"""The files of the VS Code extension: they agree with the library and with each other."""

from __future__ import annotations

import json
import re
from itertools import chain
from pathlib import Path
from typing import Any, get_args

import pytest

import pdl
from pdl.prompt.turns import ROLES
from pdl.reply.result import Reason
from pdl.schema.dsl.constraints import _ALIASES, _KINDS
from pdl.schema.dsl.words import FORMS, TYPES
from pdl.testing import read_cases, run_case
from pdl.testing.sections import MARKS

EXTENSION = Path(__file__).parents[2] / "editors" / "vscode"


def read(name: str) -> Any:
    return json.loads((EXTENSION / name).read_text("utf-8"))


PACKAGE = read("package.json")
GRAMMAR = read("syntaxes/pdl-prompt.tmLanguage.json")
SNIPPETS = read("snippets/pdl-prompt.json")
FOUND = (EXTENSION / "syntaxes" / "pdl-prompt.tmLanguage.json").read_text("utf-8")


PROMPT = "<|input|>\n{ text: str }\n<|user|>\n{{ text }}\n<|schema|>\n{ answer: str }\n"


ALONE = {
    *("include", "import", "from", "extends", "set_global"),
    *("elif", "else"),
    "break",
    "continue",
}
"""Tags that no other one closes."""


def words_after(pattern: str) -> set[str]:
    """The alternatives of the group that follows in the grammar."""
    match = re.search(re.escape(pattern) + r"([\w|]+)\)", FOUND)
    assert match is not None, pattern
    return set(match[1].split("|"))


def test_the_version_is_that_of_the_library() -> None:
    assert PACKAGE["version"] == pdl.__version__
    assert f"## {pdl.__version__}\n" in (EXTENSION / "CHANGELOG.md").read_text("utf-8")
    assert f"pdl-prompts-{pdl.__version__}.vsix" in (EXTENSION / "README.md").read_text("utf-8")


def test_the_lock_file_names_no_registry() -> None:
    lock = read("package-lock.json")
    assert lock["version"] == PACKAGE["version"]
    assert lock["packages"]
    for name, package in lock["packages"].items():
        assert "resolved" not in package, name
        assert not name or package["integrity"]


def test_every_version_is_exact() -> None:
    for version in PACKAGE["devDependencies"].values():
        assert re.fullmatch(r"[0-9.]+", version)


def test_the_grammar_knows_the_words_of_types() -> None:
    assert words_after("(?<![\\\\p{L}\\\\p{N}_-])(?:str|") | {"str", "null"} == set(TYPES)
    assert words_after("(?<![\\\\p{L}\\\\p{N}_-])(?:yesno|") | {"yesno"} == {*FORMS, "code"}
    constraints = set(chain.from_iterable(kind.constraints for kind in _KINDS.values()))
    assert words_after("\\\\b(?:min|") | {"min"} == constraints | set(_ALIASES)


def test_the_grammar_knows_the_turns_and_the_marks_of_cases() -> None:
    known = re.findall(r"\(\(\?i:([a-z|]+)\)\)", FOUND)
    assert set("|".join(known).split("|")) == {*ROLES, *MARKS}
    marks = set(re.findall(r"\(\?i:(case\|[a-z|]+)\)", FOUND))
    assert [set(words.split("|")) for words in marks] == [set(MARKS)]
    reasons = re.findall(r":(absent[a-z|-]+)\)", FOUND)
    assert [set(words.split("|")) for words in reasons] == [set(get_args(Reason))]


def test_the_grammar_knows_the_tags_of_templates() -> None:
    tags = words_after("(?:(if|") | {"if"}
    page = (EXTENSION.parents[1] / "docs" / "format.md").read_text("utf-8")
    described = re.search(r"^\*\*Tags\*\*: (.+?)\. ", page, re.DOTALL | re.MULTILINE)
    assert described is not None
    documented = set(re.findall(r"`(\w+)`", described[1])) - {"loop"}
    assert tags == documented | {f"end{tag}" for tag in documented - ALONE}


def test_every_included_rule_exists() -> None:
    included = set(re.findall(r'"include": "#(\w+)"', FOUND))
    assert included == set(GRAMMAR["repository"])


@pytest.mark.parametrize("name", sorted(SNIPPETS))
def test_a_snippet_is_a_prompt_or_cases_or_a_part_of_one(name: str, tmp_path: Path) -> None:
    snippet = SNIPPETS[name]
    body = snippet["body"]
    text = "\n".join(body) if isinstance(body, list) else body
    assert snippet["description"]
    assert re.match(r"(prompt|case)$|(turn|tag|case)-", snippet["prefix"])
    filled = re.sub(r"\$\{\d+:([^}]*)\}", r"\1", text)
    filled = re.sub(r"\$\{\d+\|(.*?),.*?\|\}", r"\1", filled)
    filled = re.sub(r"\$\d+", "", filled)
    if snippet["prefix"].startswith("case"):
        (tmp_path / "any.pdl").write_text(PROMPT, "utf-8")
        (tmp_path / "any.tests.pdl").write_text(filled, "utf-8")
        found = read_cases(tmp_path / "any.tests.pdl")
        assert [run_case(case).status for case in found.cases] == ["passed"]
        return
    if "<|" not in filled or "media" in filled:
        filled = f"<|user|>\n{filled}"
    pdl.loads(filled)


def test_the_manifest_names_files_that_are_packaged() -> None:
    text = (EXTENSION / "package.json").read_text("utf-8")
    ignore = (EXTENSION / ".vscodeignore").read_text("utf-8").split()
    named = re.findall(r'"(?:\./)?((?:dist|icons|snippets|syntaxes)/[\w./-]+)"', text)
    assert named
    for name in {*named, "language-configuration.json", "LICENSE", "README.md", "NOTICES.txt"}:
        assert name.startswith("dist/") or (EXTENSION / name).is_file(), name
        assert f"!{name}" in ignore or f"!{name.split('/')[0]}/*" in ignore, name


def test_every_command_has_words_and_is_described() -> None:
    readme = (EXTENSION / "README.md").read_text("utf-8")
    for command in PACKAGE["contributes"]["commands"]:
        assert f"`{command['category']}: {command['title']}`" in readme
    for setting in PACKAGE["contributes"]["configuration"]["properties"]:
        assert f"| `{setting}` |" in readme
