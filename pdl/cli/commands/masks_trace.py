"""`pdl masks trace`: the tokens that are allowed at each token of a text."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from pdl.cli.grammars import CHOMP, match_text, read_texts
from pdl.cli.help import Command
from pdl.cli.masking import mask_options, sample, tokenize
from pdl.cli.options import FILE, format_option, out_option
from pdl.cli.output import json_document
from pdl.cli.terminal import INVALID

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.cli.masking import MaskInput
    from pdl.cli.output import Output
    from pdl.cli.terminal import Terminal
    from pdl.gbnf import Grammar
    from pdl.masks import Vocabulary
    from pdl.masks.protocol import TokenState

_WIDEST = 24  # characters of a token


@dataclass(frozen=True)
class Step:
    """A token, None for the end of the text, and what was allowed at its position."""

    token: int | None
    data: bytes
    ok: bool
    allowed: int
    examples: tuple[bytes, ...]
    microseconds: float


@dataclass(frozen=True)
class Trace:
    """The tokens up to the first that is not allowed, and the position after them."""

    steps: tuple[Step, ...]
    ok: bool
    complete: bool
    forced: bytes
    last: Step


def trace(grammar: Grammar, vocabulary: Vocabulary, tokens: Iterable[int], shown: int) -> Trace:
    """Follow tokens until one is not allowed. Raises TokenError for one that does not exist."""
    from pdl.masks import Masker  # noqa: PLC0415 - numpy is an extra

    state: TokenState = Masker(grammar, vocabulary).start()
    steps: list[Step] = []
    for token in tokens:
        steps.append(_step(state, vocabulary, token, shown))
        if not steps[-1].ok:
            break
        state = state.accept(token)
    last = _step(state, vocabulary, None, shown)
    ok = all(step.ok for step in steps)
    return Trace(tuple(steps), ok, state.is_complete, state.forced()[0], last)


def _step(state: TokenState, vocabulary: Vocabulary, token: int | None, shown: int) -> Step:
    from pdl.masks.protocol import allows  # noqa: PLC0415 - numpy is an extra

    began = perf_counter()
    mask = state.bitmask()
    passed = (perf_counter() - began) * 1e6
    allowed = state.allowed()
    examples = tuple(vocabulary.tokens[one] for one in sample(allowed.tolist(), shown))
    if token is None:
        return Step(None, b"", state.is_complete, len(allowed), examples, passed)
    if token >= len(vocabulary):
        state.accept(token)  # which raises
    ok = allows(mask, token)
    return Step(token, vocabulary.tokens[token], ok, len(allowed), examples, passed)


def _report(found: Trace, terminal: Terminal) -> str:
    """A line per token: its text, how many were allowed, some of them; and what can follow."""
    width = max((min(_WIDEST, len(_quoted(step.data))) for step in found.steps), default=0)
    lines = []
    for step in found.steps:
        mark = " " if step.ok else terminal.style("x", "error")
        said = terminal.safe(_quoted(step.data))
        lines.append(f"{mark} {step.token:>7} {said:<{width}}  {terminal.safe(_allowed(step))}")
    if not found.ok:
        lines.append(terminal.style("not allowed: the last token", "error"))
    else:
        end = "can end here" if found.complete else "is incomplete"
        lines.append(f"the text {end}; {_allowed(found.last)}")
        if found.forced:
            lines.append(f"forced next: {terminal.safe(_quoted(found.forced))}")
    return "\n".join(lines)


def _allowed(step: Step) -> str:
    if not step.examples:
        return f"{step.allowed:,} allowed"
    more = ", …" if len(step.examples) < step.allowed else ""
    return f"{step.allowed:,} allowed: {', '.join(map(_quoted, step.examples))}{more}"


def _quoted(data: bytes) -> str:
    """A token as a Python string, or as bytes if it is not UTF-8."""
    try:
        return repr(data.decode())
    except UnicodeDecodeError:
        return repr(data)


def _json(found: Trace) -> str:
    return json_document(
        {
            "ok": found.ok,
            "complete": found.complete,
            "forced": found.forced.decode("utf-8", "replace"),
            "steps": [_fields(step) for step in found.steps],
            "next": _fields(found.last) if found.ok else None,
        }
    )


def _fields(step: Step) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "allowed": step.allowed,
        "examples": [one.decode("utf-8", "replace") for one in step.examples],
        "microseconds": round(step.microseconds, 1),
    }
    if step.token is None:
        return fields
    text = step.data.decode("utf-8", "replace")
    return {"token": step.token, "text": text, "ok": step.ok, **fields}


@click.command(
    "trace",
    cls=Command,
    fields={
        "ok": "Whether all tokens are allowed.",
        "complete": "Whether the text can end there.",
        "forced": "The only text that can follow.",
        "steps": "Objects with token, text, ok, allowed (how many), examples, microseconds.",
        "next": "Such an object for what can follow, or null.",
    },
    exit_codes={
        0: "All tokens are allowed.",
        1: "A token is not allowed.",
        2: "A file or an option is invalid.",
    },
    examples=(
        (
            "text from the command line",
            "pdl masks trace person.gbnf --vocab tokenizer.json --text '{\"age\": 7}'",
        ),
        ("a reply to a prompt", "pdl masks trace person.pdl reply.txt --vocab model.gguf"),
        (
            "the tokens that a model returned",
            "pdl masks trace person.gbnf --vocab tokenizer.json --tokens '5018 425 794'",
        ),
    ),
    short_help="Show the allowed tokens at each token of a text.",
)
@mask_options
@click.argument("file", type=FILE, required=False, metavar="[TEXT-FILE]")
@click.option("--text", metavar="TEXT", help="The text, instead of a file.")
@CHOMP
@click.option("--tokens", metavar="IDS", help="Token IDs, instead of text: '15 7 226'.")
@click.option(
    "--shown",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    metavar="N",
    help="How many of the allowed tokens to show at each position.",
)
@out_option
@format_option
def command(  # noqa: PLR0913  (each is an option)
    *,
    masks: MaskInput,
    file: str | None,
    text: str | None,
    tokens: str | None,
    shown: int,
    output: Output,
    form: str,
    chomp: bool,
) -> None:
    """Follow text token by token, and show how many tokens are allowed at each.

    GRAMMAR is a GBNF file, PROMPT ends with .pdl, and SCHEMA is a JSON Schema (.json). Text is
    tokenized greedily (longest match), which can differ from the real tokenizer. Pass exact token
    IDs with --tokens. Stops at the first token that is not allowed.
    """
    given = sum(one is not None for one in (file, text, tokens))
    if given != 1:
        count = f"{given} of them" if given else "none of them"
        raise click.UsageError(f"expected one of TEXT-FILE, --text, and --tokens; found {count}")
    grammar, vocabulary = masks.read_grammar(), masks.read_vocabulary()
    hint = ""
    if tokens is not None:
        found = trace(grammar, vocabulary, _token_ids(tokens), shown)
    else:
        files, texts = ([] if one is None else [one] for one in (file, text))
        [read] = read_texts(masks.grammar, files, texts, lines=False, chomp=chomp)
        found = trace(grammar, vocabulary, tokenize(read, vocabulary), shown)
        hint = "" if found.ok else match_text(grammar, read).hint_of_file
    terminal = output.terminal
    report = _json(found) if form == "json" else _report(found, terminal)
    if hint and form == "text":
        report += f"\n  {terminal.style('hint:', 'hint')} {hint}"
    output.write_report(report)
    if not found.ok:
        raise click.exceptions.Exit(INVALID)


def _token_ids(text: str) -> list[int]:
    """Token IDs, separated by spaces or commas. Raises UsageError."""
    words = text.replace(",", " ").split()
    if not all(word.isascii() and word.isdigit() for word in words):
        raise click.UsageError(f"--tokens: expected IDs such as '15 7 226', found `{text}`")
    return [int(word) for word in words]
