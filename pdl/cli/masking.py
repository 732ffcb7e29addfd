"""What the commands of `pdl masks` share: the grammar, the vocabulary, the tokens of a text.

Two things are found with them: what was allowed at each token of a text (`Trace`), and how long the
masks of a grammar take (`Timing`).
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import PurePath
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.grammars import LINE_ENDS, GrammarOrigin, Text, line_end_hint, matched
from pdl.cli.options import FILE, data_options
from pdl.cli.origin import SchemaOrigin
from pdl.cli.texts import shown_name
from pdl.errors import Problem, TokenError, missing_package
from pdl.gbnf import Options
from pdl.gbnf import compile as compile_schema
from pdl.masks import Masker
from pdl.masks.forced import cut
from pdl.masks.protocol import allows
from pdl.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pdl.cli.context import Data
    from pdl.gbnf import Grammar
    from pdl.masks import Vocabulary
    from pdl.masks.protocol import TokenState

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


_NAMED = 5  # of the tokens that may stand in the place of one that may not


@dataclass(frozen=True)
class Step:
    """One token, and what was allowed where it stood; None where a text may end or not."""

    token: int | None
    data: bytes
    ok: bool
    allowed: int
    examples: tuple[bytes, ...]
    microseconds: float


@dataclass(frozen=True)
class Trace:
    """The tokens of a text up to the first that was not allowed, and the place behind them."""

    steps: tuple[Step, ...]
    ok: bool
    complete: bool
    forced: bytes
    last: Step
    """What is allowed at the end."""


def spelled(text: Text, vocabulary: Vocabulary) -> list[int]:
    """The longest tokens that make a text. Raises TokenError where there is none."""
    data = text.data
    found, end = cut(data, vocabulary.trie)
    if end < len(data):
        byte = f"{data[end]:#04x}, which is at offset {end:,}"
        message = f"no token of the vocabulary begins with the byte {byte}"
        hint = line_end_hint(text) if data[end:] in LINE_ENDS else ""
        place = text.span(end, end + 1)
        raise TokenError(Problem("token/unsayable", message, place, hint))
    return found


def numbers(text: str) -> list[int]:
    """The numbers of some tokens, between blanks or commas. Raises UsageError for others."""
    words = text.replace(",", " ").split()
    if not all(word.isascii() and word.isdigit() for word in words):
        raise click.UsageError("--tokens takes numbers, such as '15 7 226'")
    return [int(word) for word in words]


def traced(grammar: Grammar, vocabulary: Vocabulary, tokens: Iterable[int], shown: int) -> Trace:
    """Follow some tokens as far as they are allowed. Raises TokenError for one there is not."""
    here: TokenState = Masker(grammar, vocabulary).start()
    steps: list[Step] = []
    for token in tokens:
        step = _step(here, vocabulary, token, shown)
        steps.append(step)
        if not step.ok:
            break
        here = here.accept(token)
    last = _step(here, vocabulary, None, shown)
    ok = all(step.ok for step in steps)
    return Trace(tuple(steps), ok, here.is_complete, here.forced()[0], last)


def _step(here: TokenState, vocabulary: Vocabulary, token: int | None, shown: int) -> Step:
    watch = Watch()
    mask = here.bitmask()
    passed = watch.lap() * 1e3
    allowed = here.allowed()
    examples = tuple(vocabulary.tokens[one] for one in _several(allowed.tolist(), shown))
    if token is None:
        return Step(None, b"", here.is_complete, len(allowed), examples, passed)
    if token >= len(vocabulary):
        here.accept(token)  # which raises
    ok = allows(mask, token)
    return Step(token, vocabulary.tokens[token], ok, len(allowed), examples, passed)


def refused(masker: Masker, here: TokenState, text: Text, token: int, at: int) -> TokenError:
    """The error for a token of a text, from offset `at` on, that cannot stand there."""
    tokens, allowed = masker.vocabulary.tokens, here.allowed().tolist()
    data = tokens[token]
    named = ", ".join(repr(tokens[one]) for one in _several(allowed, _NAMED))
    more = ", …" if len(allowed) > _NAMED else ""
    message = f"token {token}, {data!r}, cannot stand here; {len(allowed):,} may: {named}{more}"
    hint = matched(masker.grammar, text, prefix=False).hint_of_file
    return TokenError(Problem("token/refused", message, text.span(at, at + len(data)), hint))


def _several(allowed: list[int], shown: int) -> list[int]:
    """Some tokens from the beginning to the end of all."""
    if len(allowed) <= shown:
        return allowed
    return [allowed[len(allowed) * number // shown] for number in range(shown)]


_LIMITS = (5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000)


@dataclass(frozen=True)
class Timing:
    """Milliseconds of each step, and microseconds of each mask with the token that was taken."""

    tokens: int
    texts: int
    vocabulary: float
    grammar: float
    masker: float
    first: float
    masks: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean of the masks."""
        return sum(self.masks) / len(self.masks)

    def percentile(self, percent: int) -> float:
        """What so many of a hundred masks took at most."""
        return sorted(self.masks)[min(len(self.masks) - 1, len(self.masks) * percent // 100)]

    def histogram(self) -> Sequence[tuple[float, int]]:
        """How many masks took less than a time, and no less than the one before."""
        found: list[tuple[float, int]] = []
        below = 0
        for limit in (*_LIMITS, float("inf")):
            held = sum(mask < limit for mask in self.masks)
            if held > below:
                found.append((min(limit, max(self.masks) + 1), held - below))
            below = held
        return found


def timed(origin: MaskOrigin, texts: Sequence[Text], count: int, seed: int) -> Timing:
    """Time the masks along some texts; along random ones of the grammar, if there are none.

    Raises TokenError for a text that does not match, and what the origin raises.
    """
    watch = Watch()
    vocabulary = origin.vocabulary()
    read = watch.lap()
    grammar = origin.grammar()
    made = watch.lap()
    masker = Masker(grammar, vocabulary)
    ready = watch.lap()
    masker.start().bitmask()
    first = watch.lap()
    held = texts or _drawn(grammar, count, seed)
    masks = [one for text in held for one in _along(masker, text)]
    return Timing(len(vocabulary), len(held), read, made, ready, first, tuple(masks))


def _drawn(grammar: Grammar, count: int, seed: int) -> list[Text]:
    from random import Random  # noqa: PLC0415 - only where no text is given

    rng = Random(seed)  # noqa: S311 - texts to try
    drawn = (Source(grammar.generate(rng), f"<random text {n + 1}>") for n in range(count))
    return [Text(source.text.encode(), source) for source in drawn]


def _along(masker: Masker, text: Text) -> Iterator[float]:
    """The microseconds of each mask along the tokens of a text, that of the end included."""
    here: TokenState = masker.start()
    at = 0
    for token in spelled(text, masker.vocabulary):
        start = perf_counter()
        here.bitmask()
        try:
            here = here.accept(token)
        except TokenError as error:
            raise refused(masker, here, text, token, at) from error
        yield (perf_counter() - start) * 1e6
        at += len(masker.vocabulary.tokens[token])
    start = perf_counter()
    here.bitmask()
    yield (perf_counter() - start) * 1e6
