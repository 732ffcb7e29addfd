"""The errors that pdl raises, whose texts are built from fields, and helpers to word them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.source import Span


_LONGEST = 40  # characters of a word that is compared with known ones
_MOST = 2_000  # known words that it is compared with

SHOWN = 50
"""How many problems of one error its text shows."""

MOST_PROBLEMS = 100
"""How many problems of one text are reported; one with more is of another kind altogether."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, where, and what to do about it.

    `code` is a stable name (`turn/unknown-role`); `message` says in the author's words what is
    wrong and what was expected, without a final period; `hint` says how to fix it. `pointer` is the
    JSON pointer of what is wrong in a JSON Schema, or in the values of a prompt.
    """

    code: str
    message: str
    span: Span | None = None
    hint: str = ""
    pointer: str = ""

    @property
    def location(self) -> Span | None:
        """The span in the file that the author wrote."""
        return self.span.origin() if self.span is not None else None

    def __str__(self) -> str:
        location = self.location
        parts = [f"{location}: {self.message}" if location else self.message]
        if location:
            parts.append(location.excerpt())
        if self.hint:
            parts.append(f"  hint: {self.hint}")
        return "\n".join(parts)


class PdlError(Exception):
    """The base of all errors of pdl; `problems` lists everything that is wrong."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems

    def __str__(self) -> str:
        text = "\n".join(str(problem) for problem in self.problems[:SHOWN])
        return f"{text}\n{self.count}" if self.problems[1:] else text

    @property
    def count(self) -> str:
        """How many problems there are, as the last line of the text."""
        least = "at least " if len(self.problems) == MOST_PROBLEMS else ""
        more = f", of which {SHOWN} are shown" if self.problems[SHOWN:] else ""
        return f"{least}{len(self.problems)} problems{more}"

    @property
    def problem(self) -> Problem:
        """The first problem."""
        return self.problems[0]


class PromptError(PdlError):
    """A prompt file is invalid. Raised itself when its problems are of several kinds."""


class TemplateError(PromptError):
    """The template does not parse, reads an undefined name, or fails while it renders."""


class TurnError(PromptError):
    """The turns are invalid: an unknown role, text before the first turn, a repeated turn."""


class MediaError(PromptError):
    """An embedded file is missing, too large, outside the prompt's directory or of another kind."""


class InputError(PromptError):
    """The values for a prompt do not match its `<|input|>` turn, or that turn is invalid."""


class ConfigError(PromptError):
    """A `<|config|>` turn is invalid."""


class SchemaError(PromptError):
    """A schema is invalid: its syntax, a reference, a bound, a conflict."""


class CasesError(PromptError):
    """A file of cases (`NAME.tests.pdl`) is invalid."""


class GrammarError(PromptError):
    """A grammar (GBNF) is invalid: its syntax, an undefined rule, left recursion."""


class ToolError(PromptError):
    """A tool is invalid: its signature, name or description; or a call names an unknown tool."""


class FileError(PromptError):
    """A file cannot be read: it is missing, not UTF-8, or not a file."""


class LimitError(PromptError):
    """A limit of `Limits` was reached."""


class PinError(PdlError):
    """A prompt is not the version that is pinned, is not pinned, or its pin is invalid."""


class VocabularyError(PdlError):
    """A vocabulary cannot be loaded from a tokenizer or a file."""


class TokenError(PdlError):
    """A token that a mask does not allow, or that is not in the vocabulary."""


def unreadable(shown: str, error: OSError) -> FileError:
    """Return the error of a file that cannot be read."""
    reason = (error.strerror or str(error)).lower()
    return FileError(Problem("file/unreadable", f"{shown}: cannot be read: {reason}"))


def unwritable(shown: str, error: OSError) -> FileError:
    """Return the error of a file that cannot be written."""
    reason = (error.strerror or str(error)).lower()
    return FileError(Problem("file/unwritable", f"{shown}: cannot be written: {reason}"))


def missing_package(need: str, package: str, extra: str) -> ConfigError:
    """Return the error for an extra that is not installed; `need` is such as `masks need`."""
    message = f"{need} {package}, which is not installed"
    hint = f"pip install 'pdl-prompts[{extra}]'"
    return ConfigError(Problem("config/package", message, None, hint))


def error_from(
    problems: Iterable[Problem], kinds: dict[str, type[PdlError]] | None = None
) -> PdlError:
    """Return one error for all problems: of the class that they share, else a `PromptError`."""
    found = tuple(problems)
    classes = {(kinds or KINDS).get(problem.code.split("/")[0], PromptError) for problem in found}
    cls = classes.pop() if len(classes) == 1 else PromptError
    return cls(*found)


KINDS: dict[str, type[PdlError]] = {
    "template": TemplateError,
    "turn": TurnError,
    "media": MediaError,
    "input": InputError,
    "config": ConfigError,
    "schema": SchemaError,
    "gbnf": GrammarError,
    "tool": ToolError,
    "file": FileError,
    "limit": LimitError,
    "pin": PinError,
    "vocabulary": VocabularyError,
    "token": TokenError,
    "test": CasesError,
}
"""The classes of problems, by the first part of their codes: `turn/unknown-role`."""


def advised(options: Any) -> Any:
    """Decorate a class of options to suggest the nearest one for an unknown name."""
    init = options.__init__
    names = tuple(one.name for one in fields(options))

    @wraps(init)
    def checked(self: Any, *args: Any, **named: Any) -> None:
        for name in named:
            if name not in names:
                hint = did_you_mean(name, names) or f"use one of {', '.join(names)}"
                raise TypeError(f"{options.__name__} has no option `{name}`: {hint}")
        init(self, *args, **named)

    options.__init__ = checked
    return options


def an_instance(kind: type) -> str:
    """Return `a set`, `an int`, or `bytes`: an instance of a class, as a message names it."""
    if kind is bytes:
        return "bytes"
    article = "an" if kind.__name__[0] in "aeioAEIO" else "a"  # `a UUID`
    return f"{article} {kind.__name__}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a suggestion of the nearest known word, or an empty string if none is near."""
    near = nearest(word, known)
    return f"did you mean `{near}`?" if near else ""


def nearest(word: str, known: Iterable[str], alike: float = 0.6) -> str:
    """Return the known word most similar to a word, ignoring case; empty if none is similar."""
    import difflib  # noqa: PLC0415  (only errors need it, and most programs see none)

    if len(word) > _LONGEST:
        return ""
    folded = {name.lower(): name for name in sorted(known)[:_MOST][::-1]}
    near = difflib.get_close_matches(word.lower(), folded, n=1, cutoff=alike)
    return folded[near[0]] if near else ""


def count(number: int, noun: str) -> str:
    """Return a number with its noun: `1 item`, `3 items`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


_QUOTED = 40  # characters of quoted text in an error


def quoted(text: str) -> str:
    """Return text in backticks, cut if it is long; unprintable characters are escaped."""
    shown = text if len(text) <= _QUOTED else f"{text[: _QUOTED - 1]}…"
    return f"`{visible(shown)}`"


def visible(text: str) -> str:
    r"""Return a text on one line, with unprintable characters escaped.

    A newline in a name becomes `\n`, so that no name can look like two lines of a report.
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
