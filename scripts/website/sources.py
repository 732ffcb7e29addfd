"""The Markdown that the builder reads: the pages of docs/, for its dialect and with their links."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://github.com/pdl-prompts/pdl"
ADDRESS = "https://pdl-prompts.github.io/pdl/"
"""Where the site is published."""
PLAYGROUND = "playground/"
"""The place of the playground on it; `play/` is the page about it."""
PLACES = {"CHANGELOG.md": "changelog.md"}
"""Files of the repository that are pages of the site, too."""

_FENCE = re.compile(
    r"^(?P<mark>`{3,})(?P<language>\w+)(?: (?P<file>\S+))?\n(?P<text>.*?)^(?P=mark)$",
    re.MULTILINE | re.DOTALL,
)
_LINK = re.compile(r"\]\((?P<target>[^()\s#]*)(?P<anchor>#[^()\s]*)?\)")
_TABLE_CODE = re.compile(r"^\|.*$", re.MULTILINE)
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    language: str
    file: str | None
    text: str

    @property
    def is_prompt(self) -> bool:
        """Whether it is a whole prompt file."""
        return bool(self.file and self.file.endswith(".pdl") and not self.is_cases)

    @property
    def is_cases(self) -> bool:
        """Whether it is a file of cases."""
        return bool(self.file and self.file.endswith(".tests.pdl"))


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    return [
        Block(found["language"], found["file"], found["text"]) for found in _FENCE.finditer(text)
    ]


def cell(text: str) -> str:
    """A text in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def adapted(
    name: str, text: str, after: Callable[[int, Block], str], pages: Mapping[str, str]
) -> str:
    """A page of docs/ for the builder.

    Args:
        name: Its place below docs/.
        text: Its Markdown, as on GitHub.
        after: What comes after the block of a number: HTML, or nothing.
        pages: All pages of the site, by place.
    """
    number = iter(range(text.count("```")))
    parts = []
    for is_block, part in _parts(text):
        if is_block:
            found = _FENCE.fullmatch(part)
            assert found
            block = Block(found["language"], found["file"], found["text"])
            parts += [_fence(found["mark"], block), after(next(number), block)]
        else:
            parts.append(_TABLE_CODE.sub(_bars, _relinked(name, part, pages)))
    return "".join(parts)


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """The text in pieces, each with whether it is a fenced block."""
    end = 0
    for found in _FENCE.finditer(text):
        yield False, text[end : found.start()]
        yield True, found.group()
        end = found.end()
    yield False, text[end:]


def _fence(mark: str, block: Block) -> str:
    """A block as the builder reads it: with a language that Pygments knows, and a title."""
    language = block.language
    if language in {"jinja", "pdl"} and (block.is_prompt or block.is_cases or "<|" in block.text):
        language = "pdl-prompt"
    title = f' title="{block.file}"' if block.file else ""
    return f"{mark}{language}{title}\n{block.text}{mark}"


def _relinked(name: str, text: str, pages: Mapping[str, str]) -> str:
    """The text with links to pages where the site has one, and to the repository otherwise."""
    sources = {page: place for place, page in PLACES.items()}

    def one(found: re.Match[str]) -> str:
        target, anchor = found["target"], found["anchor"] or ""
        if not target or ":" in target:
            return found.group()
        folder = posixpath.dirname(sources.get(name, f"docs/{name}"))
        place = posixpath.normpath(posixpath.join(folder, target))
        page = PLACES.get(place, place.removeprefix("docs/"))
        if page in pages:
            return f"]({posixpath.relpath(page, posixpath.dirname(name) or '.')}{anchor})"
        kind = "tree" if (ROOT / place).is_dir() else "blob"
        return f"]({REPOSITORY}/{kind}/main/{place}{anchor})"

    return _LINK.sub(one, text)


def _bars(row: re.Match[str]) -> str:
    """A row of a table; GitHub needs a backslash before a bar in code, and the builder shows it."""
    return _CODE.sub(lambda code: code.group().replace("\\|", "|"), row.group())
