"""Prompts under random edits, each followed by requests, as an editor sends them."""

from __future__ import annotations

import re
import shutil
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pdl.edit.document import Document, Edit, Range
from pdl.edit.features import navigation, preview, rename
from pdl.edit.features.actions import actions
from pdl.edit.features.completion import complete
from pdl.edit.features.diagnostics import Diagnostic, diagnostics
from pdl.edit.features.folding import folds
from pdl.edit.features.hover import hover
from pdl.edit.features.inlay import inlay_hints
from pdl.edit.features.lenses import lenses
from pdl.edit.features.selection import selections
from pdl.edit.features.semantic_tokens import semantic_tokens
from pdl.edit.features.signature import signature_help
from pdl.edit.features.symbols import search, symbols
from pdl.edit.formatting.format import format_edits, format_range, format_typed_on
from pdl.edit.positions import Positions
from pdl.edit.template.names import names_of
from pdl.edit.template.usage import inferred_inputs
from pdl.edit.workspace import Workspace
from pdl.prompt.lint import included_files, lint_file
from pdl.testing.lint import lint_cases
from pdl.testing.sections import is_cases

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

PROMPTS = Path("prompts")
PIECES = (
    *(
        "\n<|case|> one\n",
        "<|case|>",
        "\n<|data|>\n",
        "\n<|reply|>\n",
        "\n<|reply|> refused absent\n",
    ),
    *(
        "\n<|expect|>\n",
        "<|expect|> ",
        "\n<|assert|>\n",
        "\n<|messages|>\n",
        "\n<|cases|> @a.jsonl\n",
    ),
    *("\n<|judge|> judges/grounded.pdl\n", "<|data|> @a.json\n", "<|", "# "),
    *("<|user|>\n", "\n<|system|>\n", "\n<|assistant|>\n", "\n<|schema|>\n", "\n<|tools|>\n"),
    *("\n<|input|>\n", "\n<|config|>\n", "<|usr|>", "<|", "|>", "<|media(images/a.png)|>"),
    *("{{", "}}", "{%", "%}", "{#", "#}", "{{ ", " }}", "{% if ", "{% endif %}", "{% else %}"),
    *("{% for a in b %}", "{% endfor %}", "{% set a = 1 %}", "{% raw %}", "{% endraw %}"),
    *("{% macro m(a, b=1) %}", "{% endmacro %}", "{% include 'partials/tone.pdl' %}"),
    *("{", "}", "[", "]", "(", ")", "<", ">", '"', "'", "`", "```", "```json\n", "\\", "|", "||"),
    *(":", "=", ",", ".", "..", "?", "@", "//", "#", "-", "&", "*", "\n", "\n\n", " ", "\t"),
    *("\r\n", "\r", "\u2028", "\x0b", "\x85", "é", "😀", "👩‍👩‍👧", "\u00a0", "\ufeff", "ß", "日本"),
    *(
        "0",
        "1e9",
        "int",
        "str",
        "int<1,2>",
        "[str]",
        "Name = ",
        "null",
        "none",
        "true",
        "is ",
        "| ",
    ),
)
_WORD = re.compile(r"\w+")

Feature = Callable[[Workspace, Document, int], object]


def _in_workspace(feature: Callable[[Workspace, Document], object]) -> Feature:
    return lambda workspace, document, _: feature(workspace, document)


def _at(feature: Callable[[Document, int], object]) -> Feature:
    return lambda _, document, at: feature(document, at)


def _whole(feature: Callable[[Document], object]) -> Feature:
    return lambda _, document, __: feature(document)


FEATURES: dict[str, Feature] = {
    "complete": complete,
    "complete with snippets": lambda workspace, document, at: complete(
        workspace, document, at, snippets=True
    ),
    "hover": hover,
    "signature help": signature_help,
    "inlay hints": _in_workspace(
        lambda workspace, document: inlay_hints(workspace, document, Range(0, len(document.text)))
    ),
    "inferred inputs": _whole(inferred_inputs),
    "names": _at(lambda document, at: names_of(document).at(at)),
    "definition": navigation.definition,
    "type definition": _at(navigation.type_definition),
    "references": navigation.references,
    "highlights": _at(navigation.highlights),
    "links": _in_workspace(navigation.links),
    "prepare rename": rename.prepare,
    "rename": lambda workspace, document, at: rename.rename(workspace, document, at, "new"),
    "symbols": _whole(symbols),
    "workspace symbols": _in_workspace(lambda workspace, _: list(search(workspace, "a"))),
    "folding": _whole(folds),
    "selection": _at(selections),
    "semantic tokens": _whole(semantic_tokens),
    "lenses": _whole(lenses),
    "preview": _in_workspace(preview.render),
    "format": _whole(lambda document: _valid(document, format_edits(document))),
    "format a range": _at(
        lambda document, at: _valid(document, format_range(document, Range(at // 2, at)))
    ),
    "format on type": _at(
        lambda document, at: _valid(document, format_typed_on(document, at, "\n"))
    ),
}
"""What an editor asks for, by its name: of a document, at an offset."""


def _offer(workspace: Workspace, document: Document, at: int) -> None:
    found = actions(workspace, document, Range(at, at), diagnostics(workspace, document))
    for action in found:
        for path, edits in action.edits.items():
            assert path == document.path, action
            _valid(document, edits)


def _valid(document: Document, edits: list[Edit]) -> None:
    """Changes are in the order of the text, and apart."""
    at = 0
    for one in edits:
        assert at <= one.start <= one.end <= len(document.text), edits
        at = one.end


def _round_trip(document: Document, at: int) -> None:
    for encoding in ("utf-8", "utf-16", "utf-32"):
        positions = Positions(document.raw, encoding)
        assert positions.offset(positions.position(at)) == at, (encoding, at)


FEATURES |= {
    "diagnostics": _in_workspace(diagnostics),
    "actions": _offer,
    "positions": _at(_round_trip),
}


@dataclass
class Failure:
    """A request that went wrong, with all that is needed to repeat it."""

    prompt: str
    text: str
    request: str
    why: str


@dataclass
class Walks:
    """Sequences of edits in a copy of the shipped prompts, and what became of the requests."""

    folder: Path
    rng: Random
    patience: float = 1.0
    """Seconds of processor time that a request can take."""
    requests_per_edit: int = 2
    edits: int = 0
    requests: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=dict)
    slowest: dict[str, tuple[float, str, str]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    def __post_init__(self) -> None:
        shutil.copytree(PROMPTS, self.folder, dirs_exist_ok=True)
        self.folder = self.folder.resolve()
        self.workspace = Workspace((self.folder,), patience=1e9)
        self.files: list[Path] = sorted(self.folder.rglob("*.pdl"))
        self.texts = {path: path.read_text(encoding="utf-8") for path in self.files}
        self.parts = {path: included_files(path) for path in self.files}
        whole = "".join(self.texts.values())
        self.lines: list[str] = whole.splitlines(keepends=True)
        self.words: list[str] = sorted({*_WORD.findall(whole)})

    def walk(self, length: int) -> None:
        """Edit one of the prompts so many times, and hold its findings to those of its file."""
        path = self.rng.choice(self.files)
        text = self.texts[path]
        if self.rng.random() < 0.2:
            text = text.replace("\n", "\r\n")
        document = self.workspace.open(path, text)
        for _ in range(length):
            text = self.edited(text)
            self.edits += 1
            document = self.workspace.open(path, text)
            often = [*FEATURES, *["diagnostics"] * (len(FEATURES) // 5)]
            for name in self.rng.choices(often, k=self.requests_per_edit):
                self.request(name, document)
        self.hold(path, document)
        self.workspace.close(path)

    def edited(self, text: str) -> str:
        """Return a text with a random change."""
        rng = self.rng
        start = rng.randint(0, len(text))
        end = min(start + rng.choice((0, 1, 1, 2, 5, 20, 100)), len(text))
        put = ""
        match rng.randrange(10):
            case 0 | 1:
                put = rng.choice(PIECES)
            case 2:
                put = chr(rng.randrange(32, 127))
            case 3:
                put, end = rng.choice(self.words), start
            case 4:
                put, end = "".join(rng.choices(self.lines, k=2)), start
            case 5 | 6:
                return self._words_changed(text)
            case 7 | 8:
                return self._lines_changed(text)
        return text[:start] + put + text[end:]

    def _words_changed(self, text: str) -> str:
        found = list(_WORD.finditer(text))
        if not found:
            return text + self.rng.choice(self.words)
        one, other = sorted(self.rng.choices(found, k=2), key=re.Match.start)
        if one is other or self.rng.random() < 0.5:
            put = self.rng.choice(("", *self.rng.choices(self.words, k=3)))
            return text[: one.start()] + put + text[one.end() :]
        between = text[one.end() : other.start()]
        return text[: one.start()] + other[0] + between + one[0] + text[other.end() :]

    def _lines_changed(self, text: str) -> str:
        lines = text.splitlines(keepends=True)
        if not lines:
            return self.rng.choice(self.lines)
        at = self.rng.randrange(len(lines))
        match self.rng.randrange(4):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, self.rng.choice(self.lines))
            case 2:
                lines[at] = self.rng.choice(self.lines)
            case _:
                lines.append(lines.pop(at))
        return "".join(lines)

    def request(self, name: str, document: Document) -> None:
        """Ask for something, and note how long that takes."""
        at = self.rng.randint(0, len(document.text))
        began = time.process_time()
        try:
            FEATURES[name](self.workspace, document, at)
        except Exception:  # noqa: BLE001 - each is to be reported
            why = traceback.format_exc(limit=-3, chain=False)
            self._fail(document, f"{name} at {at}", why)
        took = time.process_time() - began
        self.requests[name] += 1
        self.seconds[name] = self.seconds.get(name, 0.0) + took
        if took > self.slowest.get(name, (0.0,))[0]:
            self.slowest[name] = took, f"at {at}", document.raw
        if took > self.patience:
            self._fail(document, f"{name} at {at}", f"{took:.2f} s")

    def hold(self, path: Path, document: Document) -> None:
        """Compare what an editor shows with what `pdl lint` finds in the file that it saves."""
        self.requests["compared with pdl lint"] += 1
        path.write_text(document.raw, encoding="utf-8", newline="")
        try:
            known = diagnostics(self.workspace, document)
            own = [one for one in known if one.file is None or not is_cases(path)]  # no table's
            shown = {_shown(document, one) for one in own}
            found = set(self._linted(path))
        except Exception:  # noqa: BLE001 - as for requests
            self._fail(document, "pdl lint", traceback.format_exc(limit=-3, chain=False))
            return
        finally:
            path.write_text(self.texts[path], encoding="utf-8")
        if shown != found:
            why = f"only shown: {sorted(shown - found)}\nonly found: {sorted(found - shown)}"
            self._fail(document, "diagnostics", why)

    def _linted(self, path: Path) -> Iterator[tuple[str, ...]]:
        """What the command finds in a file, in the prompts that include it too."""
        parts = {**self.parts, path: included_files(path)}
        partial = set().union(*parts.values())
        mains, left = {path}, [path]
        for part in left:
            for includer in self.files:
                if part in parts[includer] and includer not in mains:
                    mains.add(includer)
                    left.append(includer)
        for main in mains:
            if is_cases(main):
                found = lint_cases(main, root=self.folder)
            else:
                found = lint_file(main, partial=main in partial or main.name[0] == "_")
            for finding in found:
                problem = finding.problem
                place = str(problem.location or f"{main}:1:1")
                if place.rsplit(":", 2)[0] == str(path):
                    message = problem.message.replace(f"{main.parent}/", "")
                    yield place, problem.code, finding.severity, message, problem.hint

    def _fail(self, document: Document, request: str, why: str) -> None:
        self.failures.append(Failure(str(document.path), document.raw, request, why))


def _shown(document: Document, one: Diagnostic) -> tuple[str, ...]:
    place = str(document.source.span(one.range.start))
    return place, one.code, one.severity, one.message, one.hint
