"""A check in a notebook: the verdict, and the reply with what was found marked in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import count
from pdl.markup import Room, block, escaped, folded, listed, shown, title
from pdl.reply.marks import Mark, marks_of, pieces, shifted
from pdl.schema.json_values import json_document

if TYPE_CHECKING:
    from pdl.reply.marks import Piece
    from pdl.reply.result import Check, Rejected, Span

_MARKS = 30  # repairs and errors that are shown
_REJECTED = 10
_MOST = 1_000  # errors that a check has
_LONGEST = 8_000  # characters of a reply
_BEFORE = 500  # characters before its answer, if it is longer
_WORDS = 300  # characters of the words of a mark


def check_html(check: Check) -> str:
    """Return a check as HTML; of a long reply, the part around its answer."""
    return shown(*check_parts(check, Room()))


def check_parts(check: Check, room: Room) -> list[str]:
    """Return the parts of the HTML of a check."""
    parts = [_verdict(check)]
    marked = marks_of(check.errors[:_MARKS], check.repairs[:_MARKS])[:_MARKS]
    if check.reply and not check.is_whole:
        parts += _reply(check, marked)
    if marked:
        left_out = len(check.errors) + len(check.repairs) - len(marked)
        least = "at least " if len(check.errors) >= _MOST else ""
        rows = [_words(n, mark) for n, mark in enumerate(marked, 1)]
        parts.append(listed(rows, left_out, least))
    if check.ok:
        parts += [title("value"), room.block(_value(check), "good")]
    elif check.feedback:
        parts += [title("feedback for the model"), room.block(check.feedback, "bad")]
    others = [one for one in check.rejected if check.ok or one.span != check.span]
    if others:
        parts.append(_rejected(others, check.reply, room))
    return parts


def _verdict(check: Check) -> str:
    if check.ok:
        return '<p class="pdl-verdict pdl-good"><b>✓ valid</b></p>'
    summary = escaped(check.summary[:_WORDS] or str(check.reason))
    return f'<p class="pdl-verdict pdl-bad"><b>✗</b> {summary}</p>'


def _value(check: Check) -> str:
    try:
        return json_document(check.data)
    except RecursionError:
        return "(nested too deeply to be shown)"


def _reply(check: Check, marked: list[Mark]) -> list[str]:
    """The reply, or the part around its answer; each mark has its number where it ends."""
    placed = check.span or next((mark.span for mark in marked if mark.span), None)
    first, last = within = _window(check.reply, placed)
    here = [mark._replace(span=shifted(mark.span, within)) for mark in marked]
    cut = pieces(check.reply[first:last], shifted(check.span, within), here)
    ends = {mark: at for at, piece in enumerate(cut) for mark in piece.marks}
    html = "".join(
        _piece(piece, here, [mark for mark in piece.marks if ends[mark] == at])
        for at, piece in enumerate(cut)
    )
    left_out = [
        f"{size:,} characters {where} left out"
        for size, where in ((first, "before"), (len(check.reply) - last, "after"))
        if size
    ]
    answer = f"highlighted: {'the answer' if check.ok else 'what is nearest to an answer'}"
    answer = answer if check.span else ""
    return [title("reply", "; ".join(filter(None, (answer, *left_out)))), block(html)]


def _window(reply: str, placed: Span | None) -> Span:
    """The part of a reply that is shown: a long one begins shortly before its answer."""
    if len(reply) <= _LONGEST:
        return 0, len(reply)
    first = min(max((placed or (0, 0))[0] - _BEFORE, 0), len(reply) - _LONGEST)
    return first, first + _LONGEST


def _piece(piece: Piece, marked: list[Mark], ended: list[int]) -> str:
    """A piece with its classes, followed by the numbers of the marks that end there."""
    numbers = "".join(f"<sup>{index + 1}</sup>" for index in ended)
    kinds = ["answer"] * piece.is_answer + sorted({marked[index].kind for index in piece.marks})
    if not kinds or not piece.text:
        return escaped(piece.text) + numbers
    words = "; ".join(escaped(marked[index].words[:_WORDS]) for index in piece.marks)
    told = f' title="{words}"' if words else ""
    classes = " ".join(f"pdl-{kind}" for kind in kinds)
    return f'<span class="{classes}"{told}>{escaped(piece.text)}</span>{numbers}'


def _words(number: int, mark: Mark) -> str:
    kind, words = mark.kind, escaped(mark.words[:_WORDS])
    return f'<sup>{number}</sup> <span class="pdl-{kind}">{kind}</span> <code>{words}</code>'


def _rejected(others: list[Rejected], reply: str, room: Room) -> str:
    """Other candidates by the beginning of each, and why they were not taken."""
    rows = []
    for one in others[:_REJECTED]:
        start, end = one.span
        text = room.text(reply[start:end], 80) or f"{start:,}–{end:,}"
        rows.append(f"<code>{text}</code>: {room.text(one.why, _WORDS)}")
    words = count(len(others), "other candidate")
    return folded(words, listed(rows, len(others) - _REJECTED))
