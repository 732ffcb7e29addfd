"""Lexers for Pygments: prompts with types and templates in them, their cases, GBNF grammars.

Pygments finds them by their entry points. Any text can be read, also a broken one, in linear time;
a tag that isn't closed ends at the next turn marker.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, get_args

from pygments.lexer import RegexLexer, bygroups, default, include, words
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Whitespace,
)

from pdl.prompt.turns import ROLES
from pdl.reply.result import Reason
from pdl.schema.dsl.words import CONSTANTS, FORMS, TYPES
from pdl.testing.sections import MARKS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pygments.token import _TokenType

_TYPED = ("schema", "input", "tools")
_SETTINGS = ("config",)
_TEXTS = tuple(role for role in ROLES if role not in _TYPED + _SETTINGS)

_BLANK = r"[^\S\n]*+"
# Alone on its line. Tags of the template beside it don't count: they can render to nothing.
_BEFORE = rf"(?:^|(?<=[%#]\}}))({_BLANK})(<\|)({_BLANK})"
_AFTER = rf"({_BLANK})(\|>)(?={_BLANK}(?:$|\{{[%#]))"
_UP_TO_CLOSE = r"(?>(?:[^<|]|<(?!\|)|\|(?!>))*)\|>"
_MARKER = bygroups(Whitespace, Punctuation, Whitespace, Keyword, Whitespace, Punctuation)
_NOTHING = bygroups()
_NAME = r"[^\W\d]\w*+"
_SECTION = rf"^{_BLANK}<\|{_BLANK}(?i:{'|'.join(MARKS)}){_BLANK}\|>"
_FIRST = re.compile(
    rf"({_SECTION})|^{_BLANK}<\|{_BLANK}(?i:{'|'.join(ROLES)}){_BLANK}\|>", re.MULTILINE
)
_RAW = bygroups(Comment.Preproc, Whitespace, Keyword, Whitespace, Comment.Preproc)


def _turns(*leave: str) -> list[Any]:
    """The rules for turn markers, which leave a state for the one of the turn that they open."""

    def marker(roles: tuple[str, ...]) -> str:
        return rf"{_BEFORE}((?i:{'|'.join(roles)})){_AFTER}"

    return [
        (marker(_TEXTS), _MARKER, leave),
        (marker(_TYPED), _MARKER, (*leave, "typed")),
        (marker(_SETTINGS), _MARKER, (*leave, "config")),
        (rf"{_BEFORE}(?=\{{\{{)", bygroups(Whitespace, Punctuation, Whitespace), leave),
    ]


def _section(marks: str, *states: str) -> tuple[Any, ...]:
    """The rule for a mark of a file of cases, which leads to the states of its section."""
    return (rf"^({_BLANK})(<\|)({_BLANK})((?i:{marks}))({_BLANK})(\|>)", _MARKER, states)


def _string(quote: str, *more: Any) -> list[Any]:
    """The rules of the rest of a string, which the rules in `more` can interrupt."""
    return [(quote, String, "#pop"), *more, (rf"[^{quote}\\\n{{]++|.", String)]


def _rendered(roles: Iterable[str]) -> str:
    """A marker in golden messages, where no template is."""
    return rf"^({_BLANK})(<\|)({_BLANK})((?i:{'|'.join(roles)}))({_BLANK})(\|>)(?={_BLANK}$)"


_ESCAPE = (r"\\[^\n]", String.Escape)
_AT_LINE_END = (r"(?=\n)", _NOTHING, "#pop")
_AT_MARKER = (rf"^(?={_BLANK}<\|)", _NOTHING, "#pop")


_AT_SECTION = (rf"(?={_SECTION})", _NOTHING, "#pop")
_LINE_COMMENT = (rf"^({_BLANK})(#[^\n]*+)", bygroups(Whitespace, Comment.Single))
_LINE_BY_LINE = ((r"[^\S\n]++", Whitespace), (r"\n", Whitespace))
_QUOTED = r'"(?>(?:[^"\\\n]|\\[^\n])*)"'
_REFUSED = bygroups(Keyword, Whitespace, Name.Constant)
_RENDERED = bygroups(Whitespace, Punctuation, Whitespace, Name.Tag, Whitespace, Punctuation)


class PromptLexer(RegexLexer):
    """Prompt files: turns, types, settings, media tags, and the template in all of them.

    Files of cases, too: the first mark says which of them a text is.
    """

    def get_tokens_unprocessed(
        self, text: str, stack: Iterable[str] = ("root",)
    ) -> Iterator[tuple[int, _TokenType, str]]:
        """Yield the tokens of a text: as cases, if its first mark is one of theirs."""
        first = _FIRST.search(text) if tuple(stack) == ("root",) else None
        return super().get_tokens_unprocessed(text, ("cases",) if first and first[1] else stack)

    name = "pdl prompt"
    aliases: ClassVar = ["pdl-prompt"]
    filenames: ClassVar = ["*.pdl"]
    mimetypes: ClassVar = ["text/x-pdl-prompt"]
    flags = re.MULTILINE | re.DOTALL
    tokens: ClassVar = {
        "root": [
            *_turns(),
            include("template"),
            (r"&lt;\|&gt;|&lt;\||\|&gt;|&amp;", String.Escape),
            (
                rf"(<\|)({_BLANK})((?i:raw_media|media))(\s*+)(\()(?={_UP_TO_CLOSE})",
                bygroups(Punctuation, Whitespace, Name.Function, Whitespace, Punctuation),
                "media",
            ),
            (r"<\||\|>", Punctuation),
            include("text"),
        ],
        "text": [(r"[^\n{<|&]++", Text), (r"\n", Whitespace), (r".", Text)],
        "media": [
            (r"\)?\s*+\|>", Punctuation, "#pop"),
            include("template"),
            (r"[^{)|\s]++|.", String.Other),
        ],
        "typed": [
            *_turns("#pop"),
            include("template"),
            (r"//", Comment.Single, "comment"),
            include("fields"),
            (r'"', String, "string"),
            (r"'", String, "raw string"),
            include("types"),
        ],
        "fields": [
            (r"\s++", Whitespace),
            (r"(```|~~~)([\w-]*+)", bygroups(Punctuation, Name.Label)),
            (r"@[^\s{]++", String.Other),
            (r"""("[^"\\\n{]*+"|'[^'\n{]*+'|[\w.-]++)(?=\s*+\??\s*+:)""", Name.Attribute),
        ],
        "types": [
            (r"-?(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?(?![\w.-])", Number),
            (r"[\w.-]++(?=\s*+\()", Name.Function),
            (words(CONSTANTS, suffix=r"(?![\w.-])"), Keyword.Constant),
            (words({**TYPES, **FORMS}, suffix=r"(?![\w.-])"), Keyword.Type),
            (r"[A-Z][\w.-]*+", Name.Class),
            (r"[\w.-]++", Name),
            (r"[|?=]", Operator),
            (r".", Punctuation),
        ],
        "comment": [_AT_LINE_END, include("template"), (r"[^\n{]++|.", Comment.Single)],
        "string": _string('"', _AT_LINE_END, _ESCAPE, include("template")),
        "raw string": _string("'", _AT_LINE_END, include("template")),
        "config": [
            *_turns("#pop"),
            (rf"^({_BLANK})(//[^\n]*+)", bygroups(Whitespace, Comment.Single)),
            (
                rf"^({_BLANK})([^\s:{{<]++)({_BLANK})(:)",
                bygroups(Whitespace, Name.Attribute, Whitespace, Punctuation),
                "setting",
            ),
            include("template"),
            include("text"),
        ],
        "setting": [
            _AT_LINE_END,
            include("template"),
            (r"\s++", Whitespace),
            (r'"', String, "string"),
            (words(CONSTANTS, suffix=r"(?![^\s,\]}])"), Keyword.Constant),
            (r"-?\d++(?:\.\d++)?(?:[eE][+-]?\d++)?(?![^\s,\]}])", Number),
            (r"[\[\]{},:]", Punctuation),
            (r"[^\s\[\]{},\"]++", String.Other),
        ],
        "template": [
            (r"\{#", Comment.Multiline, "template comment"),
            (r"(\{%[-+]?)(\s*+)(raw)(\s*+)([-+]?%\})", _RAW, "verbatim"),
            (
                rf"(\{{%[-+]?)(\s*+)({_NAME})?",
                bygroups(Comment.Preproc, Whitespace, Keyword),
                "tag",
            ),
            (r"\{\{[-+]?", Comment.Preproc, "tag"),
        ],
        "template comment": [
            (r"#\}", Comment.Multiline, "#pop"),
            (r"[^#]++|#", Comment.Multiline),
        ],
        "verbatim": [
            (r"(\{%[-+]?)(\s*+)(endraw)(\s*+)([-+]?%\})", _RAW, "#pop"),
            (r"[^{]++|\{", Text),
        ],
        "tag": [(r"[-+]?[%}]\}", Comment.Preproc, "#pop"), include("expression")],
        "braces": [(r"\}", Punctuation, "#pop"), include("expression")],
        "expression": [
            _AT_MARKER,
            (r"\s++", Whitespace),
            (r'"', String, "template string"),
            (r"'", String, "template raw string"),
            (rf"(\|)(\s*+)({_NAME})", bygroups(Operator, Whitespace, Name.Function)),
            (
                rf"(is)(\s++)(?:(not)(\s++))?({_NAME})",
                bygroups(Operator.Word, Whitespace, Operator.Word, Whitespace, Name.Function),
            ),
            (rf"(\.)({_NAME})", bygroups(Punctuation, Name.Attribute)),
            (words(("and", "or", "not", "in", "is"), suffix=r"\b"), Operator.Word),
            (r"(?:if|else|import|as|with|without|context|ignore|missing|recursive)\b", Keyword),
            (r"(?:[Tt]rue|[Ff]alse|[Nn]one)\b", Keyword.Constant),
            (r"(?:loop|schema|self|super|caller)\b", Name.Builtin),
            (rf"{_NAME}(?=\s*+\()", Name.Function),
            (_NAME, Name.Variable),
            (r"\d[\d_]*+(?:\.\d++)?(?:[eE][+-]?\d++)?", Number),
            (r"[-+*/%~=!<>|]", Operator),
            (r"\{", Punctuation, "braces"),
            (r".", Punctuation),
        ],
        "template string": _string('"', _AT_MARKER, _ESCAPE),
        "template raw string": _string("'", _AT_MARKER, _ESCAPE),
        # Files of cases
        "cases": [
            _section("case", "name"),
            _section("cases", "argument"),
            _section("data", "data", "argument"),
            _section("reply", "reply", "argument"),
            _section("judge", "reply", "judge"),
            _section("expect", "expect"),
            _section("assert", "assert"),
            _section("messages", "messages", "argument"),
            _LINE_COMMENT,
            *_LINE_BY_LINE,
            (r"[^\s]++", Text),
        ],
        "name": [_AT_LINE_END, (r"[^\S\n]++", Whitespace), (r"[^\n]++", Name.Label)],
        "argument": [
            _AT_LINE_END,
            (r"[^\S\n]++", Whitespace),
            (r"@[^\n]++", String.Other),
            (rf"(refused)({_BLANK})((?:{'|'.join(get_args(Reason))})?)(?={_BLANK}$)", _REFUSED),
            (rf"(refused)({_BLANK})([^\n]++)", bygroups(Keyword, Whitespace, String)),
            default("#pop"),
        ],
        "judge": [
            _AT_LINE_END,
            (rf"(?<=\|>)({_BLANK})(\S++)", bygroups(Whitespace, String.Other)),
            include("expectation"),
        ],
        "data": [
            _AT_SECTION,
            _LINE_COMMENT,
            (r"(?<=\s)#[^\n]*+", Comment.Single),
            (
                rf"^({_BLANK})((?>(?:-{_BLANK})*))([^\W\d][\w-]*+)(:)(?=\s)",
                bygroups(Whitespace, Punctuation, Name.Attribute, Punctuation),
                "json",
            ),
            include("reply"),
        ],
        "reply": [
            _AT_SECTION,
            (rf"^({_BLANK})(```|~~~)([\w-]*+)", bygroups(Whitespace, Punctuation, Name.Label)),
            (
                rf"({_QUOTED})(\s*+)(:)",
                bygroups(Name.Attribute, Whitespace, Punctuation),
                "json",
            ),
            (r'[^\s"]++|"', Text),
            (r"\s", Whitespace),
        ],
        "json": [
            (r"\n", Whitespace, "#pop"),
            (r"[^\S\n]++", Whitespace),
            (rf"{_QUOTED}(?!{_BLANK}:)", String, "#pop"),
            (r"-?\d++(?:\.\d++)?(?:[eE][+-]?\d++)?(?![^\s,\]}])", Number, "#pop"),
            (words(CONSTANTS, suffix=r"(?![^\s,\]}])"), Keyword.Constant, "#pop"),
            default("#pop"),
        ],
        "expectation": [
            *_LINE_BY_LINE,
            (r"//[^\n]*+", Comment.Single),
            include("fields"),
            (rf"{_QUOTED}|'[^'\n]*+'|[\"'][^\n]*+", String),
            include("types"),
        ],
        "expect": [_AT_SECTION, include("expectation")],
        "assert": [
            _AT_SECTION,
            _LINE_COMMENT,
            (rf"^({_BLANK})(<\|)", bygroups(Whitespace, Punctuation)),
            *_LINE_BY_LINE,
            include("expression"),
        ],
        "messages": [
            _AT_SECTION,
            (_rendered(_TYPED + _SETTINGS), _RENDERED, "rendered types"),
            (_rendered(_TEXTS), _RENDERED),
            (r"&lt;\|&gt;|&lt;\||\|&gt;|&amp;", String.Escape),
            include("reply"),
        ],
        "rendered types": [
            _AT_SECTION,
            (rf"(?={_rendered(ROLES)})", _NOTHING, "#pop"),
            include("expectation"),
        ],
    }


class GbnfLexer(RegexLexer):
    """Grammars in GBNF, the notation of llama.cpp."""

    name = "GBNF"
    aliases: ClassVar = ["gbnf"]
    filenames: ClassVar = ["*.gbnf"]
    flags = re.MULTILINE | re.DOTALL
    tokens: ClassVar = {
        "root": [
            (r"\s++", Whitespace),
            (r"#[^\n]*+", Comment.Single),
            (r"([\w-]++)(\s*+)(::=)", bygroups(Name.Class, Whitespace, Operator)),
            (r'"', String, "literal"),
            (r"\[\^?", String.Regex, "class"),
            (r"!?<[^\n<>]*+>", Name.Constant),
            (r"\d++(?![\w-])", Number),
            (r"[\w-]++", Name),
            (r"[|*+?.]", Operator),
            (r".", Punctuation),
        ],
        "literal": [(r'"', String, "#pop"), _ESCAPE, (r'[^"\\]++|.', String)],
        "class": [(r"\]", String.Regex, "#pop"), _ESCAPE, (r"[^\]\\]++|.", String.Regex)],
    }
