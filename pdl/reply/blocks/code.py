"""`code`: the content of the one fenced block of a reply, exactly as it is written there.

Dots and comments that represent omitted code refuse it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pdl import _re as re
from pdl.reply.phrases import row, say, shorten
from pdl.reply.prose.omissions import EDGES, OPENING, left_out_after
from pdl.reply.prose.signs import Lead, sentences, taken_back
from pdl.reply.prose.visible import language
from pdl.reply.prose.words import hear
from pdl.reply.result import Reading, Rejected, failed
from pdl.reply.segments.spans import Spans

if TYPE_CHECKING:
    from pdl.reply.query import Query
    from pdl.reply.result import Segment, Span


_TOKEN = re.compile(
    r"""(?s:(?P<long>\"{3}|'{3}).*?(?:(?P=long)|\Z))"""
    r"""|(?P<comment>(?s:/\*.*?(?:\*/|\Z))|<!--(?s:.*?)(?:-->|\Z)|(?<!:)//[^\n]*+"""
    r"""|(?<!\S)(?:\#(?=[ !.…]|$)|--(?=[ .…]|$)|;;|%(?=[ .…]))[^\n]*+)"""
    r"""|(?:"[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)|(?<![A-Za-z]{2})(?<![&<])'[^'\\\n]*+(?>(?:\\.[^'\\\n]*+)*))["']?""",
    re.MULTILINE,
)
_DOTS = re.compile(r"\.{3}|…")
_LINE = re.compile(
    rf"^[ \t]*+[\[(<{{]?[ \t]*+(?:{_DOTS.pattern})[ \t]*+[\])>}}]?[,;]?[ \t]*+$", re.MULTILINE
)
_IN_LIST = re.compile(
    rf"(?<![\w\])])\[[^\[\]\n]*,[ \t]*(?:{_DOTS.pattern})[ \t]*\]"
    rf"|,\s*(?:{_DOTS.pattern})\s*(?:\}}|from\b)",
    re.IGNORECASE,
)
_PYTHON = frozenset(["", "python", "pyi", "pycon", "python-repl"])
_CLOSES = re.compile(r"[ \t]*(?:$|[\])}]|</|end\b)", re.MULTILINE)
_CLAUSE = re.compile(r"[ \t]*(?:$|\)|from|where|order|group|limit)", re.MULTILINE | re.IGNORECASE)
"""The text after a comment that is not a heading; `_CLAUSE` is the same for SQL."""

_LONGEST = 300  # characters of a comment
_NEAR_COMMENT = 400  # characters before something in which its line is looked for


def left_out(program: str, language: str) -> str:
    """The part of a program that represents omitted code; empty if there is none."""
    if _DOTS.fullmatch(program.strip()):
        return program.strip()
    for token in _TOKEN.finditer(program):
        if token["comment"] and _stands_for_code(token, program):
            return token[0]
    if not _DOTS.search(program):
        return ""
    bare = _TOKEN.sub(lambda one: "" if one["comment"] else "0", program)
    lines = () if ">>> " in bare else _LINE.finditer(bare)
    found = next((one for one in lines if not _is_body(bare, one, language)), None)
    found = found or _IN_LIST.search(bare)
    return found[0].strip() if found else ""


def _stands_for_code(comment: re.Match[str], text: str) -> bool:
    """Whether a comment begins with dots, or says on a line of its own that code is left out.

    One that only names parts, such as `other imports`, can be a heading of the code below it.
    """
    if OPENING.match(comment[0].lstrip(" \t/#*<!-;%[({")):
        return True
    said = comment[0].strip(EDGES + "%")
    above, _, before = text[max(0, comment.start() - _NEAR_COMMENT) : comment.start()].rpartition(
        "\n"
    )
    alone = before.strip(" \t{") in {"", "...", "pass"} and not above.rstrip().endswith(",")
    if not alone or "\n" in said or len(said) > _LONGEST:
        return False
    heard = hear(said)
    if heard.says("rest", "rest_of_code"):
        return True
    below = text.find("\n", comment.end()) + 1
    closes = _CLAUSE if comment[0].startswith("--") else _CLOSES
    return heard.says("others") and (not below or closes.match(text, below) is not None)


def _is_body(bare: str, found: re.Match[str], language: str) -> bool:
    """Whether dots are the body of a Python class or function: after a colon or a docstring."""
    if language not in _PYTHON or found[0].strip() != "...":
        return False
    above = bare[max(0, found.start() - _NEAR_COMMENT) : found.start()].rstrip().rpartition("\n")[2]
    return above.endswith(":") or above.strip() == "0"


_ALIASES = (
    "python py python3 py3 | javascript js node mjs jsx | typescript ts tsx | c++ cpp cxx cc"
    " | shell sh bash zsh shellscript | console shell-session shellsession terminal | c# csharp cs"
    " | golang go | rust rs | ruby rb | kotlin kt | yaml yml | markdown md | html htm xhtml"
    " | dockerfile docker | powershell ps1 pwsh | haskell hs | objective-c objc objectivec"
    " | perl pl | latex tex | json json5 jsonc | makefile make | sql postgresql postgres psql"
)
_NAMES = {name: names.split()[0] for names in _ALIASES.split("|") for name in names.split()}
_RUN = re.compile(r"`{3,}|~{3,}")
_BLANK_LINE = re.compile(r"[ \t\r]*+\n[ \t\r]*+\n")
_NEAR = 40  # characters before a block in which a colon is looked for
_WINDOW = 600  # characters after an answer that are looked at


def read(query: Query) -> Reading:
    """The content of the only block, or of the only one in `lang`, less its last line break."""
    blocks = [segment for segment in query.parts.segments if segment.kind == "fence"]
    fitting = [one for one in blocks if not query.lang or _name(one.label) == _name(query.lang)]
    if not fitting:
        return _absent(blocks, query.lang)
    contents = {_content(query, block): block for block in reversed(fitting)}
    spans = dict.fromkeys(block.span for block in fitting)
    if len(contents) > 1:
        spans = dict.fromkeys(marked(query, list(spans)))
        fitting = [block for block in fitting if block.span in spans]
        contents = {_content(query, block): block for block in reversed(fitting)}
    if len(contents) > 1:
        message = say("several-blocks", number=len(fitting))
        refused = failed("ambiguous", message, span=fitting[1].span, wanted="one code block")
        rivals = tuple(Rejected(span, "differs from another block") for span in spans)
        return replace(refused, rejected=rivals)
    [(value, block)] = contents.items()
    others = tuple(Rejected(o.span, "is not the answer") for o in blocks if o.span not in spans)
    since = max((one.span[1] for one in blocks if one.span[1] <= block.span[0]), default=0)
    return (
        _nested(query, value, block, blocks)
        or _unfinished(query, value, block)
        or spoken_against(query, block.span, since, "a code block")
        or Reading(value, block.body, rejected=others)
    )


def marked(query: Query, spans: list[Span]) -> list[Span]:
    """Those of several that the reply calls final or puts into an answer tag; else all of them."""
    tagged = Spans(query.parts.answers)
    ends = (0, *(end for _, end in spans))
    found = [
        span
        for span, end in zip(spans, ends, strict=False)
        if span[0] in tagged or Lead(query.front, end, span[0]).announces("block")
    ]
    return found or spans


def spoken_against(query: Query, span: Span, since: int, wanted: str) -> Reading | None:
    """The refusal of an answer that the words before it, from `since`, or after it take back."""
    after = _RUN.split(query.text[span[1] : span[1] + _WINDOW])[0]
    if Lead(query.front, since, span[0]).disowns():
        why = "is not meant as an answer, as the words before it say"
    elif taken_back(after) or any(
        hear(one).says("block_is_wrong") and not hear(one).says("harmless")
        for one in sentences(after)
    ):
        why = "is taken back by the words after it"
    else:
        return None
    found = shorten(query.text[slice(*span)].strip())
    message = say("unclear", found=found, why=why)
    return failed("ambiguous", message, span=span, found=found, wanted=wanted)


def _name(info: str) -> str:
    return _NAMES.get(language(info), language(info))


def _content(query: Query, block: Segment) -> str:
    """The lines of a block, less the indentation of the fence itself (GFM 4.5)."""
    text = query.text
    body = text[slice(*block.body)]
    if not block.closed:
        body = query.patterns.without_end(body)
    line = text[text.rfind("\n", 0, block.span[0]) + 1 : block.span[0]]
    if line:
        body = re.sub(rf"^[ \t]{{1,{len(line)}}}", "", body, flags=re.MULTILINE)
    return body.removesuffix("\n").removesuffix("\r") if body.endswith("\n") else body


def _nested(query: Query, value: str, block: Segment, blocks: list[Segment]) -> Reading | None:
    """The refusal of a block that might contain another, so that a line only seems to close it.

    A line of it begins as its own fence does, or a bare fence comes later that is never closed, or
    that neither a blank line nor a colon separates from the block.
    """
    run = _RUN.match(query.text, block.span[0])
    inner = run is not None and re.search(rf"^[ \t]*{run[0]}", value, re.MULTILINE) is not None
    apart = _BLANK_LINE.match(query.text, block.span[1])
    for one in blocks[blocks.index(block) + 1 :]:
        between = query.text[max(block.span[1], one.span[0] - _NEAR) : one.span[0]]
        led = apart or between.rstrip(" \t\r\n*_>").endswith((":", "："))
        inner |= not one.label and not (one.closed and led)
    if not inner:
        return None
    return failed("ambiguous", say("block-in-block"), span=block.span, wanted="one code block")


def _unfinished(query: Query, value: str, block: Segment) -> Reading | None:
    """The refusal of a block that is empty, cut off, or leaves something out."""
    span = block.span
    if not value.strip():
        return failed("absent", say("empty-block"), span=span, wanted="a code block")
    if not block.closed and not ends_turn(query, block):
        end = shorten(value.rstrip()[-24:], 24)
        message = say("block-cut-off", found=end)
        return failed("truncated", message, span=span, found=end, wanted="all of the code")
    said = left_out(value, _name(block.label))
    if not said and (after := left_out_after(query.text, span[1], listed=True)):
        said = query.text[slice(*after)]
    if not said:
        return None
    message = say("leaves-code-out", found=shorten(said))
    return failed("elided", message, span=span, found=shorten(said), wanted="all of the code")


def ends_turn(query: Query, block: Segment) -> bool:
    """Whether a token that ends the turn follows the content of a block that is never closed."""
    body = query.text[slice(*block.body)]
    bare = query.patterns.without_end(body)
    token = body[len(bare) :].strip()
    return bool(token) and not (token.endswith("</s>") and "<s>" in bare)


def _absent(blocks: list[Segment], lang: str | None) -> Reading:
    if not blocks:
        return failed("absent", say("holds-no", wanted=say("a-code-block")), wanted="a code block")
    named = dict.fromkeys(language(block.label) for block in blocks)
    found = row([f"in `{name}`" if name else "without a language" for name in named])
    message = say("other-language", lang=lang, number=len(blocks), found=found)
    wanted = f"a block in `{lang}`"
    return failed("wrong-schema", message, span=blocks[0].span, found=found, wanted=wanted)
