"""`code`: the content of the one fenced block of a reply, exactly as it stands there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.blocks.program import Program
from pdl.reply.blocks.quoted import unquoted
from pdl.reply.phrases import row, say
from pdl.reply.prose.marks_old import announced
from pdl.reply.prose.prefaces import doubt, left_out
from pdl.reply.prose.sentences import language
from pdl.reply.result import Reading, Rejected, failed
from pdl.reply.segments.spans import Spans
from pdl.reply.wording import shorten

if TYPE_CHECKING:
    from pdl.reply.query import Asked
    from pdl.reply.result import Segment, Span

_ALIASES = (
    ("python", "py", "python3", "py3"),
    ("javascript", "js", "node", "mjs", "jsx"),
    ("typescript", "ts", "tsx"),
    ("shell", "sh", "bash", "zsh", "shellscript"),
    ("console", "shell-session", "shellsession", "terminal"),
    ("c++", "cpp", "cxx", "cc"),
    ("c#", "csharp", "cs"),
    ("golang", "go"),
    ("rust", "rs"),
    ("ruby", "rb"),
    ("kotlin", "kt"),
    ("yaml", "yml"),
    ("markdown", "md"),
    ("html", "htm", "xhtml"),
    ("dockerfile", "docker"),
    ("powershell", "ps1", "pwsh"),
    ("haskell", "hs"),
    ("objective-c", "objc", "objectivec"),
    ("perl", "pl"),
    ("latex", "tex"),
    ("json", "json5", "jsonc"),
    ("makefile", "make"),
    ("postgresql", "postgres", "psql", "sql"),
)
_CANONICAL = {name: names[0] for names in _ALIASES for name in names}
_BLANK_LINE = re.compile(r"[^\S\n]*\n[^\S\n]*\n")
_RUN = re.compile(r"`{3,}|~{3,}")


def read(asked: Asked) -> Reading:
    """The content of the only block, or of the only one in `lang`, less its last line break."""
    lang = asked.lang
    blocks = _blocks(asked)
    if not blocks:
        bare = unquoted(asked)
        blocks = _blocks(bare) if bare else []
        asked = bare or asked
    fitting = [block for block in blocks if not lang or _same_language(block.label, lang)]
    if not fitting:
        return _absent(blocks, lang)
    fitting = _marked(asked, fitting) or fitting
    contents = {content(asked, block): block for block in reversed(fitting)}
    taken = {block.span for block in fitting}
    others = tuple(Rejected(b.span, "is not the answer") for b in blocks if b.span not in taken)
    if len(contents) > 1:
        return _many(fitting)
    [(value, block)] = contents.items()
    return _flaw(asked, value, block, blocks) or Reading(value, block.body, rejected=others)


def _blocks(asked: Asked) -> list[Segment]:
    return [segment for segment in asked.cut.segments if segment.kind == "fence"]


def _flaw(asked: Asked, value: str, block: Segment, blocks: list[Segment]) -> Reading | None:
    """Why the content of the only block is no answer after all."""
    text = asked.text
    others = [b for b in blocks if content(asked, b) != value]
    if not value.strip():
        return failed("absent", say("empty-block"), span=block.span, wanted="a code block")
    program = Program(value, language(block.label))
    if _has_fence(value, text, block) or (
        block.closed
        and (program.open_text or _stray(block, blocks) or _goes_on(text, block, others))
    ):
        message = say("block-in-block")
        return failed("ambiguous", message, span=block.span, wanted="1 code block")
    if not block.closed and not _ends(asked, program, block):
        end = shorten(value.rstrip()[-24:], 24)
        message = say("block-cut-off", found=end)
        return failed("truncated", message, span=block.span, found=end, wanted="all of the code")
    if said := program.left_out:
        return _elided(said, block.span)
    return _spoken_against(asked.around(block.span[0]), block, blocks)


def _elided(said: str, span: Span) -> Reading:
    found = shorten(said)
    message = say("leaves-code-out", found=found)
    return failed("elided", message, span=span, found=found, wanted="all of the code")


def _ends(asked: Asked, program: Program, block: Segment) -> bool:
    """Whether a block whose fence is never closed is whole all the same.

    Then the model ended its turn with a token, or the program ends with its function `main`. Code
    that can end where it does is no proof: most statements can go on.
    """
    if program.cut_off:
        return False
    body = asked.text[slice(*block.body)]
    bare = asked.patterns.without_end(body)
    token = body[len(bare) :].strip()
    if token:
        return not (token.endswith("</s>") and "<s>" in bare)
    return program.ends_with_main


def _spoken_against(text: str, block: Segment, blocks: list[Segment]) -> Reading | None:
    """What the words around a block say against it: it is another's, or not all of the code."""
    start, end = block.span
    since = max((one.span[1] for one in blocks if one.span[1] <= start), default=0)
    if omitted := left_out(text, start, end, since):
        return _elided(text[slice(*omitted)], omitted)
    why = doubt(text, block.body, block, since)
    if not why:
        return None
    found = shorten(text[slice(*block.body)].strip())
    message = say("unclear", found=found, why=why)
    return failed("ambiguous", message, span=block.span, found=found, wanted="a code block")


def _goes_on(text: str, block: Segment, blocks: list[Segment]) -> bool:
    """Whether a block without a language follows that no words introduce.

    Then its first line may be the one that ends `block`, with a bare block inside of it: what
    stands between the two would be the content of that one.
    """
    following = next((one for one in blocks if one.span[0] >= block.span[1]), None)
    if following is None or following.label:
        return False
    between = text[block.span[1] : following.span[0]]
    apart = _BLANK_LINE.match(between) is not None
    if _CANONICAL.get(language(block.label)) == "markdown" and not apart:
        return True
    return not between.rstrip(" \t\r\n*_>").endswith((":", "："))


def _stray(block: Segment, blocks: list[Segment]) -> bool:
    """Whether the last fence of the reply is bare and never closed.

    Then it may be the one that ends `block`, and the line that seemed to end it is content.
    """
    last = blocks[-1]
    return last.span != block.span and not last.closed and not last.label


def content(asked: Asked, block: Segment) -> str:
    """What a fence holds: its lines, less the indentation of the fence itself (GFM 4.5)."""
    text = asked.text
    body = text[slice(*block.body)]
    if not block.closed:
        body = asked.patterns.without_end(body)
    line = text[text.rfind("\n", 0, block.span[0]) + 1 : block.span[0]]
    if line:
        body = re.sub(rf"^[ \t]{{1,{len(line)}}}", "", body, flags=re.MULTILINE)
    return body.removesuffix("\n").removesuffix("\r") if body.endswith("\n") else body


def _has_fence(value: str, text: str, block: Segment) -> bool:
    """Whether a line begins as the block's own fence does, but does not close it.

    Then one block may be lost in the other. Shorter runs are content.
    """
    run = _RUN.match(text, block.span[0])
    return run is not None and re.search(rf"^[ \t]*{run[0]}", value, re.MULTILINE) is not None


def _same_language(info: str, wanted: str) -> bool:
    one, other = language(info), wanted.lower()
    return _CANONICAL.get(one, one) == _CANONICAL.get(other, other)


def _marked(asked: Asked, blocks: list[Segment]) -> list[Segment]:
    """The blocks that the reply calls final or corrected, or puts into an answer tag."""
    tagged = Spans(asked.cut.answers)
    marked: list[Segment] = []
    end = 0
    for block in blocks:
        start = block.span[0]
        if start in tagged or announced(asked.front, end, start):
            marked.append(block)
        end = block.span[1]
    return marked


def _absent(blocks: list[Segment], lang: str | None) -> Reading:
    if not blocks:
        return failed("absent", say("holds-no", wanted=say("a-code-block")), wanted="a code block")
    named = dict.fromkeys(language(block.label) for block in blocks)
    found = row([f"in `{name}`" if name else "without a language" for name in named])
    message = say("other-language", lang=lang, number=len(blocks), found=found)
    return failed(
        "wrong-schema", message, span=blocks[0].span, found=found, wanted=f"a block in `{lang}`"
    )


def _many(blocks: list[Segment]) -> Reading:
    message = say("several-blocks", number=len(blocks))
    reading = failed("ambiguous", message, span=blocks[1].span, wanted="1 code block")
    rejected = tuple(Rejected(block.span, "differs from another block") for block in blocks)
    return Reading(
        reason=reading.reason, span=reading.span, errors=reading.errors, rejected=rejected
    )
