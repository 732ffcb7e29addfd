"""What the commands of `pdl masks` share: the grammar, the vocabulary, the tokens of a text."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import PurePath
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.grammars import GrammarOrigin
from pdl.cli.options import FILE, data_options
from pdl.cli.origin import SchemaOrigin
from pdl.cli.texts import shown_name
from pdl.errors import missing_package
from pdl.gbnf import Options
from pdl.gbnf import compile as compile_schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.cli.context import Data
    from pdl.gbnf import Grammar
    from pdl.masks import Vocabulary

    Function = Callable[..., None]

_SCHEMAS = frozenset([".pdl", ".json"])
"""How the names of files end that have a schema; all others have a grammar."""


@dataclass(frozen=True)
class MaskOrigin:
    """A grammar, or a prompt or JSON Schema that has one, and the vocabulary of a model."""

    file: str
    root: str | None
    vocab: str
    eos: tuple[str, ...]
    data: Data

    def __post_init__(self) -> None:
        if self.data.is_given and self._suffix not in _SCHEMAS:
            message = "--context and --set fill a prompt (.pdl)"
            raise click.UsageError(f"{message}, and {shown_name(self.file)} is a grammar")

    @property
    def _suffix(self) -> str:
        return PurePath(self.file).suffix.lower()

    def grammar(self) -> Grammar:
        """The grammar. Raises FileError, GrammarError, LimitError, and what a prompt raises."""
        if self._suffix not in _SCHEMAS:
            return GrammarOrigin(self.file, self.root or "root").read()
        is_prompt = self._suffix == ".pdl"
        prompt, document = (self.file, None) if is_prompt else (None, self.file)
        origin = SchemaOrigin(prompt, None, document, data=self.data, root=self.root)
        return compile_schema(origin.required(), Options.generate()).grammar

    def vocabulary(self) -> Vocabulary:
        """The vocabulary. Raises FileError, VocabularyError."""
        from pdl.masks import vocabulary_of  # noqa: PLC0415 - numpy is an extra

        eos = [int(one) if _NUMBER.fullmatch(one) else one for one in self.eos]
        return vocabulary_of(self.vocab, eos=eos or None)


_NUMBER = re.compile(r"[0-9]{1,18}")  # more digits are of no token's number


def require_numpy() -> None:
    """Raise ConfigError where what masks need is not installed."""
    if find_spec("numpy") is None:
        raise missing_package("token masks need", "numpy", "masks")


def mask_options(function: Function) -> Function:
    """`GRAMMAR`, `--vocab`, `--eos`, `--root`, the data: a function takes them as one `origin`."""

    @data_options
    @functools.wraps(function)
    def bundled(
        *,
        grammar: str,
        vocab: str,
        eos: tuple[str, ...],
        root: str | None,
        data: Data,
        **others: Any,
    ) -> None:
        function(origin=MaskOrigin(grammar, root, vocab, eos, data), **others)

    return _GRAMMAR(_VOCAB(_EOS(_ROOT(bundled))))


_GRAMMAR = click.argument("grammar", type=FILE, metavar="GRAMMAR|PROMPT|SCHEMA")
_VOCAB = click.option(
    "--vocab",
    type=FILE,
    required=True,
    metavar="FILE",
    help="The model's vocabulary: tokenizer.json, tekken.json, a SentencePiece model, a GGUF file,"
    " a folder with one of them, or what `pdl.masks.save` wrote.",
)

_ROOT = click.option(
    "--root",
    metavar="NAME|FOLDER",
    help="The rule of a grammar that a whole text must match, `root` if it is not given; of a"
    " prompt the folder of the files that it includes.",
)
_EOS = click.option(
    "--eos",
    multiple=True,
    metavar="TOKEN",
    help="A token that ends a text, by its text or number, where the file does not say; may be"
    " repeated.",
)


class Watch:
    """Milliseconds since it was last asked."""

    def __init__(self) -> None:
        self._last = perf_counter()

    def lap(self) -> float:
        """The milliseconds since then."""
        now = perf_counter()
        passed, self._last = now - self._last, now
        return passed * 1e3
