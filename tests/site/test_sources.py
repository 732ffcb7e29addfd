"""The pages that the builder of the site gets, from those of docs/ and from pdl itself."""

from __future__ import annotations

import re
from types import ModuleType

import pytest
import yaml
from doc_blocks import ROOT
from website.sources import Block, adapted, blocks

import pdl


def page(text: str, name: str = "a.md") -> str:
    return adapted(name, text, lambda *_: "", {"a.md": "", "b.md": "", "api/c.md": ""})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[b](b.md#x)", "[b](b.md#x)"),
        ("[x](#x) [y](https://a.example/b.md)", "[x](#x) [y](https://a.example/b.md)"),
        ("[r](../README.md)", "[r](https://github.com/pdl-prompts/pdl/blob/main/README.md)"),
        ("[r](../LICENSE)", "[r](https://github.com/pdl-prompts/pdl/blob/main/LICENSE)"),
        ("[r](../prompts)", "[r](https://github.com/pdl-prompts/pdl/tree/main/prompts)"),
    ],
)
def test_links(text: str, expected: str) -> None:
    assert page(text) == expected


def test_links_of_the_changes() -> None:
    """They are those of a file beside docs/."""
    assert page("[a](docs/a.md) [l](LICENSE)", "changelog.md") == (
        "[a](a.md) [l](https://github.com/pdl-prompts/pdl/blob/main/LICENSE)"
    )


def test_links_from_a_folder() -> None:
    assert page("[a](../a.md) [c](c.md)", "api/c.md") == "[a](../a.md) [c](c.md)"


@pytest.mark.parametrize(
    ("fence", "expected"),
    [
        ("```jinja a.pdl\n<|user|>\n```", '```pdl-prompt title="a.pdl"\n<|user|>\n```'),
        ("```jinja a.tests.pdl\n<|case|>\n```", '```pdl-prompt title="a.tests.pdl"\n<|case|>\n```'),
        ("```jinja\n{{ a }}\n```", "```jinja\n{{ a }}\n```"),
        ("```json a.json\n[](b)\n```", '```json title="a.json"\n[](b)\n```'),
        ("````text a\n```json\n```\n````", '````text title="a"\n```json\n```\n````'),
    ],
)
def test_fences(fence: str, expected: str) -> None:
    assert page(fence) == expected


def test_bars_in_tables() -> None:
    r"""GitHub needs `\|`, which the builder would show."""
    row = r"| `<\|user\|>` | a \| b |"
    assert page(row) == r"| `<|user|>` | a \| b |"


def test_what_comes_after_blocks() -> None:
    text = "```sh\na\n```\n\nand\n\n```python\nb\n```\n"
    seen: list[tuple[int, Block]] = []

    def after(number: int, block: Block) -> str:
        seen.append((number, block))
        return "!"

    assert adapted("a.md", text, after, {}) == text.replace("```\n", "```!\n")
    assert seen == list(enumerate(blocks(text)))


def test_each_page_is_in_the_navigation() -> None:
    """Those that are made are named in scripts/build_site.py, whose builder finds missing ones."""
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = re.findall(r"[\w./]+\.md$", str(yaml.safe_load(text)["nav"]) and text, re.MULTILINE)
    made = {one for one in named if one.startswith("api/")} | {"cli.md", "changelog.md"}
    assert sorted(set(named) - made) == sorted(p.name for p in (ROOT / "docs").glob("*.md"))
    assert len(set(named)) == len(named)


def test_each_public_package_is_in_the_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for name in pdl.__all__:
        if isinstance(getattr(pdl, name), ModuleType):
            assert f"api/pdl.{name}.md" in text
