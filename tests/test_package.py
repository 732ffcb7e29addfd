"""The package as a whole: its names, and what importing it costs."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import tiny_model

import pdl
import pdl.prompt
import pdl.reply
import pdl.schema

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_every_public_name_is_there() -> None:
    for name in pdl.__all__:
        assert getattr(pdl, name).__name__.rpartition(".")[2] == name
        assert name in dir(pdl)


def test_the_version_is_that_of_the_distribution() -> None:
    assert pdl.__version__.count(".") == 2


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        _ = pdl.nothing


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import pdl", "jinja2 lark jsonschema regex click rich pydantic"),
        ("import pdl; pdl.loads", "lark jsonschema regex click rich pydantic"),
        ("import pdl; pdl.loads('<|user|>\\nHi').render()", "jsonschema click rich pydantic"),
        (
            "import pdl; pdl.check(pdl.Schema.parse('{ a: int }'), '{\"a\": 1}')",
            "jsonschema jinja2",
        ),
        (
            "import pdl; pdl.check(pdl.Schema.parse('{ a: int }'), 'So: {\"a\": 1}. Done!')",
            "jsonschema jinja2",
        ),
        ("import pdl.cli", "jinja2 lark jsonschema regex rich pydantic"),
    ],
)
def test_what_is_not_needed_is_not_imported(statement: str, absent: str) -> None:
    """Start-up is most of the time of a command."""
    code = f"{statement}\nimport sys\nprint(*sorted(set({absent.split()!r}) & sys.modules.keys()))"
    done = subprocess.run(  # noqa: S603  (our own interpreter and text)
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


COMPILING = """
from pdl.cli.app import application
application.main(["gbnf", "compile", "--dsl", "{ a: int }"], standalone_mode=False)
"""
ASKING = """
import pdl
prompt = pdl.loads("<|user|>\\n{{ schema }}\\n<|schema|>\\n{ stars: int<1,5> }")
assert pdl.ask(prompt.render(), lambda messages: '{"stars": 4}').value == {"stars": 4}
"""


@pytest.mark.parametrize(
    ("code", "most"),
    [(COMPILING, 85), (ASKING, 72)],
    ids=["pdl gbnf compile", "load, render, ask"],
)
def test_a_reader_follows_few_modules(code: str, most: int) -> None:
    """How many modules of pdl a way leads through, cold; docs/architecture.md draws them."""
    told = "\nimport sys\nprint(*(name for name in sys.modules if name.split('.')[0] == 'pdl'))"
    done = subprocess.run(  # noqa: S603  (our own interpreter and text)
        [sys.executable, "-c", code + told], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.splitlines()[-1].split()
    assert 20 < len(loaded) <= most, "\n".join(sorted(loaded))


SOURCES = sorted(Path(pdl.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: "/".join(path.parts[-3:]))
def test_files_and_functions_are_short(path: Path) -> None:
    """A file is read in one go: docs/architecture.md gives the bounds."""
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 410
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < 50, node.name


def test_jsonschema_is_imported_for_what_does_not_fit() -> None:
    code = (
        "import pdl, sys\nschema = pdl.Schema.parse('{ a: int }')\n"
        "assert pdl.check(schema, '{\"a\": 1}').ok and 'jsonschema' not in sys.modules\n"
        "assert not pdl.check(schema, '{\"a\": true}').ok and 'jsonschema' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603  (our own text)


def test_no_name_of_a_package_is_that_of_a_module_in_it() -> None:
    """Whatever imports the module first would put it in the name's place."""
    for module in pkgutil.walk_packages(pdl.__path__, "pdl."):
        if module.ispkg:
            package = importlib.import_module(module.name)
            inner = {one.name for one in pkgutil.iter_modules(package.__path__)}
            assert not inner & set(getattr(package, "__all__", ())), module.name


@pytest.mark.parametrize(
    ("package", "statement", "extra"),
    [
        ("numpy", "pdl.masks.Vocabulary", "masks"),
        ("numpy", "exec('from pdl.masks import vocabulary_of')", "masks"),
        ("httpx", "pdl.models.connect('ollama:qwen3')", "run"),
        ("xllamacpp", "pdl.models.connect(FILE)", "llama"),
        ("mcp", "pdl.models.mcp_tools(url='http://127.0.0.1')", "mcp"),
    ],
)
def test_a_missing_extra_is_named(package: str, statement: str, extra: str, tmp_path: Path) -> None:
    """As one kind of error, whichever it is."""
    file = tmp_path / "tiny.gguf"
    tiny_model.write(file)
    code = (
        f"import sys; sys.modules[{package!r}] = None\nimport pdl\nFILE = {f'llama:{file}'!r}\n"
        f"try:\n    {statement}\nexcept pdl.ConfigError as error:\n    print(error)"
    )
    done = subprocess.run(  # noqa: S603  (our own interpreter and text)
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    message, hint = done.stdout.splitlines()
    assert message.endswith(f" {package}, which is not installed")
    assert hint == f"  hint: pip install 'pdl-prompts[{extra}]'"


GROUP_KEPT = re.compile(r"\)(?:[*+?]|\{+\d*,?\d*\}+)\+(?![,;=])")
"""A group with a possessive quantifier; behind a comma it is part of a character class."""


@pytest.mark.parametrize("path", sorted(Path(pdl.__file__).parent.rglob("*.py")), ids=str)
def test_no_group_is_possessive(path: Path) -> None:
    """`(?:ab?)++` does not match all that it should before Python 3.11.5; `(?>(?:ab?)+)` does."""
    assert not GROUP_KEPT.search(path.read_text(encoding="utf-8"))


ROOT = Path(__file__).parents[1]
OF_TOOLS = frozenset({".git", ".venv", "__pycache__", ".hypothesis"}) | {
    f".{tool}_cache" for tool in ("mypy", "pytest", "ruff", "import_linter")
}
DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³]) *(?:\..*)?", re.IGNORECASE
)
NO_NAME = re.compile(r"[\x00-\x1f<>:\"/\\|?*]|[. ]$")


def windows_refuses(name: str) -> bool:
    """Whether Windows takes the name for a device, whatever its ending, or for none at all.

    https://learn.microsoft.com/windows/win32/fileio/naming-a-file
    """
    return DEVICE.fullmatch(name) is not None or NO_NAME.search(name) is not None


@pytest.mark.parametrize(
    "name", ["nul", "NUL.txt", "con.a.b", "aux .c", "com1", "Lpt9.log", "a.", "a ", "a:b", "a?"]
)
def test_names_that_windows_refuses(name: str) -> None:
    assert windows_refuses(name)


@pytest.mark.parametrize("name", ["null", "nul-character.txt", "com.txt", "console", ".gitignore"])
def test_names_that_windows_takes(name: str) -> None:
    assert not windows_refuses(name)


def test_each_file_can_be_cloned_on_windows() -> None:
    """No name is refused there, and no two in a folder are one but for their case."""
    refused = []
    for folder, inner, files in os.walk(ROOT):
        inner[:] = [name for name in inner if name not in OF_TOOLS]
        names = [*inner, *files]
        assert len({name.lower() for name in names}) == len(names), folder
        refused += [f"{folder}/{name}" for name in names if windows_refuses(name)]
    assert refused == []


_PACKAGES = (
    *(pdl, pdl.batch, pdl.gbnf, pdl.masks, pdl.models),
    *(pdl.prompt, pdl.reply, pdl.schema, pdl.tools),
)
_TABLES = (
    pdl.Limits,
    pdl.Answer,
    pdl.Check,
    pdl.batch.Asker,
    pdl.models.ToolRun,
    pdl.models.Attempt,
    pdl.models.AskOptions,
    pdl.reply.Dialects,
    pdl.schema.Constraints,
)
"""Classes with so many fields that no signature of theirs is short."""


def _called() -> Iterator[tuple[str, Any]]:
    """All that may be called of what is public, with its name."""
    for package in _PACKAGES:
        for name in package.__all__:
            public = getattr(package, name)
            if inspect.isclass(public) and not issubclass(public, Exception):
                yield name, public
                routines = [*inspect.getmembers(public, inspect.isfunction)]
                routines += inspect.getmembers(public, inspect.ismethod)
                yield from ((f"{name}.{m}", one) for m, one in routines if m[0] != "_")
            elif inspect.isroutine(public):
                yield name, public


def test_signatures_can_be_read() -> None:
    """Help and editors show them with the defaults, in front of all else."""
    told = {name: str(inspect.signature(one)) for name, one in _called() if one not in _TABLES}
    assert {"check", "load", "Grammar.match", "Schema.parse"} <= told.keys()
    assert {name: text for name, text in told.items() if len(text) > 310 or " at 0x" in text} == {}
