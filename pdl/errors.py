"""Every error that pdl raises. They hold fields; their texts are built here."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.source import Span


SHOWN = 50
"""Problems of one error that are told as text."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, where, and what to do about it.

    `code` is a stable kebab-case name (`unknown-role`); `message` says in the author's words what
    is wrong and what was expected, without a final stop; `hint` advises. `pointer` is the JSON
    pointer of what is wrong in a JSON Schema.
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
        place = self.location
        parts = [f"{place}: {self.message}" if place else self.message]
        if place:
            parts.append(place.excerpt())
        if self.hint:
            parts.append(f"  hint: {self.hint}")
        return "\n".join(parts)


class PdlError(Exception):
    """The base of all errors of pdl; `problems` holds each thing that was wrong."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__(*problems)
        self.problems = problems

    def __str__(self) -> str:
        text = "\n".join(str(problem) for problem in self.problems[:SHOWN])
        return f"{text}\n{self.count}" if self.problems[1:] else text

    @property
    def count(self) -> str:
        """How many problems there are, in words for the end of a text."""
        more = f", of which {SHOWN} are shown" if self.problems[SHOWN:] else ""
        return f"{len(self.problems)} problems{more}"

    @property
    def problem(self) -> Problem:
        """The first problem."""
        return self.problems[0]


class PromptError(PdlError):
    """A prompt file is wrong. Raised as such when its problems are of several kinds."""


class TemplateError(PromptError):
    """The template does not parse, reads an undefined name, or fails while it renders."""


class TurnError(PromptError):
    """The turns are wrong: an unknown role, text before the first turn, a doubled turn."""


class MediaError(PromptError):
    """An embedded file is missing, too large, outside the prompt's folder or of another kind."""


class InputError(PromptError):
    """The values for a prompt do not fit its `<|input|>` turn, or that turn is wrong."""


class ConfigError(PromptError):
    """A `<|config|>` turn is wrong."""


class SchemaError(PromptError):
    """A schema is wrong: its notation, a reference, a bound, a conflict."""


class GrammarError(PromptError):
    """A grammar (GBNF) is wrong: its syntax, an undefined rule, left recursion."""


class ToolError(PromptError):
    """A tool is wrong: its signature, its name, its description, or a call that names none."""


class FileError(PromptError):
    """A file cannot be read: it is missing, not UTF-8, or not a file."""


class LimitError(PromptError):
    """A limit of `Limits` was reached."""


class VocabularyError(PdlError):
    """A vocabulary cannot be had from a tokenizer, or a file is none."""


class TokenError(PdlError):
    """A token that a mask does not allow, or that the vocabulary has not."""


def missing_package(need: str, package: str, extra: str) -> ConfigError:
    """That an extra of pdl-prompts is not installed; `need` are words such as `masks need`."""
    message = f"{need} {package}, which is not installed"
    hint = f"pip install 'pdl-prompts[{extra}]'"
    return ConfigError(Problem("config/package", message, None, hint))


def error_from(
    problems: Iterable[Problem], kinds: dict[str, type[PdlError]] | None = None
) -> PdlError:
    """One error for all problems: of their own class if they share one, else a `PromptError`."""
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
    "vocabulary": VocabularyError,
    "token": TokenError,
}
"""The first part of a problem's code names its kind: `turn/unknown-role`."""


def advised(options: Any) -> Any:
    """A class of options that names the nearest one where another name is passed."""
    init = options.__init__
    names = tuple(one.name for one in fields(options))

    @wraps(init)
    def checked(self: Any, *args: Any, **named: Any) -> None:
        for name in named:
            if name not in names:
                hint = did_you_mean(name, names) or f"it has {', '.join(names)}"
                raise TypeError(f"{options.__name__} has no option `{name}`: {hint}")
        init(self, *args, **named)

    options.__init__ = checked
    return options


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Advice that names the nearest known word, or an empty string if none is near."""
    near = nearest(word, known)
    return f"did you mean `{near}`?" if near else ""


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that is most like a word, case aside; an empty string if none is near."""
    import difflib  # noqa: PLC0415  (only errors need it, and most programs see none)

    folded = {name.lower(): name for name in sorted(known, reverse=True)}
    near = difflib.get_close_matches(word.lower(), sorted(folded), n=1, cutoff=0.6)
    return folded[near[0]] if near else ""


_QUOTED = 40  # characters of a piece of text in an error


def quoted(text: str) -> str:
    """A piece of text in backticks, cut if it is long; what no terminal prints is escaped."""
    shown = text if len(text) <= _QUOTED else f"{text[: _QUOTED - 1]}…"
    return f"`{visible(shown)}`"


def visible(text: str) -> str:
    r"""A text on one line: what no terminal prints, or would not print as a character, is escaped.

    A newline in a name becomes `\n`, so that no name can look like two lines of a report.
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
