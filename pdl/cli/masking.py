"""What the commands for token masks share: the grammar, the vocabulary, the tokens of text."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import PurePath
from typing import TYPE_CHECKING

import click

from pdl.cli.files import display_name
from pdl.cli.grammars import GrammarInput
from pdl.cli.inputs import SchemaInput
from pdl.cli.options import FILE, bundle, eos_option, values_options
from pdl.errors import Problem, TokenError, missing_package

if TYPE_CHECKING:
    from pdl.cli.grammars import Text
    from pdl.cli.values import TemplateValues
    from pdl.gbnf import Grammar
    from pdl.masks import Vocabulary

# numpy is an extra, and the commands say so before they need it.
# ruff: noqa: PLC0415

_SCHEMAS = frozenset([".pdl", ".json"])
"""Suffixes of files with a schema; all others have a grammar."""


@dataclass(frozen=True)
class MaskInput:
    """The vocabulary of a model, and a grammar, or a prompt or JSON Schema to compile."""

    grammar: str
    root: str | None
    vocab: str
    eos: tuple[str | int, ...]
    values: TemplateValues

    def __post_init__(self) -> None:
        if self.values.are_given and self._suffix not in _SCHEMAS:
            message = "--context and --set require a prompt (.pdl)"
            raise click.UsageError(f"{message}, found the grammar {display_name(self.grammar)}")
        if find_spec("numpy") is None:
            raise missing_package("token masks need", "numpy", "masks")

    @property
    def _suffix(self) -> str:
        return PurePath(self.grammar).suffix.lower()

    def read_grammar(self) -> Grammar:
        """Return the grammar. Raises FileError, GrammarError, LimitError, and prompt errors."""
        from pdl.gbnf import Options
        from pdl.gbnf import compile as compile_schema

        if self._suffix not in _SCHEMAS:
            return GrammarInput(self.grammar, self.root or "root").read()
        is_prompt = self._suffix == ".pdl"
        prompt, document = (self.grammar, None) if is_prompt else (None, self.grammar)
        schema = SchemaInput(prompt, None, document, values=self.values, root=self.root)
        return compile_schema(schema.required(), Options.generate()).grammar

    def read_vocabulary(self) -> Vocabulary:
        """Return the vocabulary. Raises FileError, VocabularyError."""
        from pdl.masks import vocabulary_of

        return vocabulary_of(self.vocab, eos=self.eos or None)


mask_options = bundle(
    "masks",
    MaskInput,
    click.argument("grammar", type=FILE, metavar="GRAMMAR|PROMPT|SCHEMA"),
    click.option(
        "--vocab",
        type=FILE,
        required=True,
        metavar="FILE",
        help="The model's vocabulary: tokenizer.json, tekken.json, a SentencePiece model, a GGUF"
        " file, a directory with one of them, or a file that `pdl.masks.save` wrote.",
    ),
    eos_option(
        "An end-of-sequence token, by its text or ID, if FILE does not name one. Repeatable."
    ),
    click.option(
        "--root",
        metavar="NAME|DIR",
        help="For a grammar, the root rule. Default: root. For a prompt, the directory of the files"
        " that it includes.",
    ),
    values_options,
)
"""`GRAMMAR`, `--vocab`, `--eos`, `--root`, and template values, passed as one `masks`."""


def tokenize(text: Text, vocabulary: Vocabulary) -> list[int]:
    """Tokenize greedily, longest match first. Raises TokenError where no token fits."""
    from pdl.masks.forced import cut

    found, end = cut(text.data, vocabulary.trie)
    if end < len(text.data):
        byte = f"{text.data[end]:#04x} at offset {end:,}"
        message = f"no token of the vocabulary begins with the byte {byte}"
        place = text.span(end, end + 1)
        raise TokenError(Problem("token/unsayable", message, place, text.newline_hint(end)))
    return found


def sample(allowed: list[int], count: int) -> list[int]:
    """Return evenly spaced tokens."""
    if len(allowed) <= count:
        return allowed
    return [allowed[len(allowed) * number // count] for number in range(count)]
