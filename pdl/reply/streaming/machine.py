"""One bracketed value, read as it comes: what is certain of it at each moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from pdl.reply.streaming import spelling
from pdl.reply.streaming.certainty import Certainty
from pdl.reply.streaming.spelling import NoReadingError
from pdl.reply.streaming.tokens import Atom, Comment, Quoted
from pdl.reply.streaming.tree import Growth, Open, Tail, Whole
from pdl.reply.validation.json_types import equal

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl.limits import Limits
    from pdl.reply.streaming.cursor import Cursor
    from pdl.reply.streaming.growing import Growing
    from pdl.reply.streaming.listener import Listener
    from pdl.reply.streaming.partial import View

Status: TypeAlias = Literal["reading", "closed", "stuck"]
"""Going on; the last bracket is there; what follows has no reading that is certain."""

_FENCES = frozenset("`~")


class Machine:
    """Reads from an opening bracket to its closer, each character once and without recursion.

    `listener` hears what was read. `fenced` says that a line of backticks may end the text.
    `marked` is set when a tag or a fence may begin here, which only the caller can tell: if it does
    not, `plain` goes on. `quoted`: a string or a key in quotes has begun. `limit` says which bound
    was reached. `certainty` knows what of it all can be read in no other way.
    """

    def __init__(self, limits: Limits, listener: Listener, *, fenced: bool) -> None:
        self.status: Status = "reading"
        self.marked = self.quoted = False
        self.limit = ""
        self._limits = limits
        self._listener = listener
        self._fenced = fenced
        self._top: Open | None = None
        self._depth = 0
        self._root: Any = None
        self._begun = False  # there is more than the first bracket
        self._starts: list[int] = []  # where the open brackets begin
        self._start = self._end = 0  # where the last token begins and ends
        self._token: Quoted | Atom | Comment | None = None
        self._is_key = False  # the token is a key
        self._key = ""
        self._again = False  # the key stands for the second time
        self._scalar: Tail | None = None  # a scalar that waits for what follows it
        self._promised = False  # a bracket is there that may begin a tag
        self.certainty = Certainty(listener)
        self._wants: Callable[[Cursor, str], bool] = self._value

    # What a caller sees

    def read(self, cursor: Cursor) -> None:
        """Read as far as possible."""
        self.marked = self._promised = False
        while cursor.at < cursor.end and self.status == "reading":
            goes_on = self._in_token(cursor, self._token) if self._token else self._between(cursor)
            if not goes_on:
                return

    def plain(self, cursor: Cursor) -> None:
        """Go on at what might have been a tag or a fence and is none."""
        if cursor.text[cursor.at] == "[" and self._wants == self._value:
            self._open(cursor, [])
        else:
            self._stop()

    def view(self) -> View | None:
        """What has been read by now."""
        if self.status == "closed":
            return Whole(self._root)
        top = self._top
        if top is None:
            return None
        if self._promised:
            return Growth(Open(top, self._next_key(top), [], 0, self._is_again(top)), None)
        if isinstance(self._token, Quoted) and not self._is_key:
            return Growth(top, self._tail(top, self._token.text, None, is_open=True))
        return Growth(top, self._scalar)

    def brackets(self) -> list[str]:
        """The brackets that are open, from the outermost in."""
        found: list[str] = []
        current = self._top
        while current is not None:
            found.append("[" if isinstance(current.box, list) else "{")
            current = current.around
        return found[::-1]

    @property
    def in_string(self) -> bool:
        """Whether a string is open."""
        return isinstance(self._token, Quoted)

    def _tail(self, top: Open, text: Growing | None, value: Any, *, is_open: bool) -> Tail:
        length = 0 if text is None else len(text)
        return Tail(self._next_key(top), text, length, value, is_open, self._is_again(top))

    def _next_key(self, top: Open) -> str | int:
        return top.size if isinstance(top.box, list) else self._key

    def _is_again(self, top: Open) -> bool:
        """Whether what comes next is in, or is, the second value of a key."""
        return top.again or (self._again and isinstance(top.box, dict))

    # Between tokens: each of the methods that may be wanted looks at the first character of one

    def _between(self, cursor: Cursor) -> bool:
        blank = spelling.BLANKS.match(cursor.text, cursor.at)
        assert blank
        cursor.at = blank.end()
        if cursor.at == cursor.end:
            return False
        char = cursor.text[cursor.at]
        return self._comment(cursor, char) if char in "/#" else self._wants(cursor, char)

    def _comment(self, cursor: Cursor, char: str) -> bool:
        two = cursor.text[cursor.at : cursor.at + 2]
        if len(two) == 1:
            return False
        mark = "#" if char == "#" else two
        if mark not in {"#", "//", "/*"} or self._wants == self._colon:
            return self._stop()
        self._comment_behind(cursor, plain=mark != "#" or two[1].isspace())
        self._token = Comment(mark)
        cursor.at += len(mark)
        return True

    def _comment_behind(self, cursor: Cursor, *, plain: bool) -> None:
        """What a comment says about what is in front of it; `plain`: it is surely a comment."""
        certainty = self.certainty
        if self._wants != self._after:
            certainty.vouch(self._top, certain=plain or certainty.unsure == "number")
        elif self._scalar is None:
            certainty.vouch(self._top, certain=cursor.text.startswith("//", cursor.at))
        else:
            gap = cursor.text[max(0, self._end - cursor.base) : cursor.at]
            certainty.comment_behind(self._scalar, gap, plain=plain)

    def _value(self, cursor: Cursor, char: str) -> bool:
        if char == "{":
            return self._open(cursor, {})
        if char == "[":
            return self._square(cursor)
        if char == "]" and self._top and isinstance(self._top.box, list):
            self.certainty.vouch(self._top, certain=True)
            return self._close(cursor)
        if char in spelling.CLOSERS:
            return self._quote(cursor, char, is_key=False)
        if spelling.ATOM_START.match(char):
            return self._begin(cursor, Atom(), is_key=False)
        return self._unknown(char)

    def _name(self, cursor: Cursor, char: str) -> bool:
        if char == "}" or (self.certainty.unsure == "number" and not char.isdecimal()):
            self.certainty.vouch(self._top, certain=True)
        if char == "}":
            return self._close(cursor)
        if char in spelling.CLOSERS:
            return self._quote(cursor, char, is_key=True)
        if spelling.WORD_START.match(char):
            return self._begin(cursor, Atom(), is_key=True)
        return self._unknown(char)

    def _colon(self, cursor: Cursor, char: str) -> bool:
        if char not in spelling.COLON:
            return self._unknown(char)
        assert self._top
        self.certainty.by_key(self._top)
        self._again = self._key in self._top.box
        self._listener.key(self._top, self._key, (self._start, self._end))
        self.certainty.tell(self._top)
        cursor.at += 1
        self._wants = self._value
        return True

    def _after(self, cursor: Cursor, char: str) -> bool:
        assert self._top
        is_list = isinstance(self._top.box, list)
        comma = char in spelling.COMMA
        if not comma and char != ("]" if is_list else "}"):
            return self._unknown(char)
        if self._scalar is None:
            self.certainty.vouch(self._top, certain=True)
        if comma:
            cursor.at += 1
            self._wants = self._value if is_list else self._name
            return self._settle(comma=True)
        return self._settle(comma=False) and self._close(cursor)

    def _unknown(self, char: str) -> bool:
        # Right behind its first bracket no data has a mark.
        if self._begun and char in _FENCES:
            self.marked = True
            return False
        return self._stop()

    def _stop(self) -> bool:
        """What follows has no certain reading; so the last scalar may have been something else."""
        self.status = "stuck"
        if self._scalar:
            self._scalar = self._scalar._replace(is_open=True)
        return False

    # Brackets

    def _square(self, cursor: Cursor) -> bool:
        behind = cursor.text[cursor.at + 1 : cursor.at + 2]
        if self._top is None or behind:
            return self._open(cursor, [])
        self._promised = True
        return False

    def _open(self, cursor: Cursor, box: Any) -> bool:
        if self._depth >= self._limits.reply_depth:
            self.limit = f"is nested deeper than {self._limits.reply_depth} brackets"
            return self._stop()
        top = self._top
        self._begun = top is not None
        self.certainty.vouch(top, certain=True)
        key = self._next_key(top) if top else None
        again = top is not None and self._is_again(top)
        self._listener.open(top, key, box, again=again)
        self._top = Open(top, key, box, 0, again)
        self._depth += 1
        self._starts.append(cursor.offset)
        cursor.at += 1
        self._wants = self._value if isinstance(box, list) else self._name
        return True

    def _close(self, cursor: Cursor) -> bool:
        top = self._top
        assert top
        cursor.at += 1
        self._listener.close(top, (self._starts.pop(), cursor.offset))
        self._depth -= 1
        if top.around is None:
            self._root = top.box
            self.status = "closed"
            return False
        self._top = top.around
        self._wants = self._after
        if isinstance(top.key, str):
            self._key = top.key
            self._again = top.key in top.around.box
        return self._put(top.box)

    def _settle(self, *, comma: bool) -> bool:
        """What follows a scalar is there: so it was one. Put it into its bracket."""
        scalar, self._scalar = self._scalar, None
        if scalar is None:
            return True
        assert self._top
        value = scalar.value()
        self.certainty.by_value(self._top)
        if not scalar.again:
            self._listener.scalar(self._top, scalar.key, value, (self._start, self._end))
        self.certainty.settled(self._top, scalar, comma=comma)
        return self._put(value)

    def _put(self, value: Any) -> bool:
        top = self._top
        assert top
        size = top.size
        if isinstance(top.box, list):
            top.box.append(value)
            size += 1
        elif not self._again:
            top.box[self._key] = value
            size += 1
        elif not equal(top.box[self._key], value):
            return self._stop()
        self._top = Open(top.around, top.key, top.box, size, top.again)
        self.certainty.tell(self._top)
        return True

    # Tokens

    def _quote(self, cursor: Cursor, opener: str, *, is_key: bool) -> bool:
        self._begin(cursor, Quoted(opener, fenced=self._fenced), is_key=is_key)
        self.quoted = True
        cursor.at += 1
        return True

    def _begin(self, cursor: Cursor, token: Quoted | Atom, *, is_key: bool) -> bool:
        self._begun = True
        self._start = cursor.offset
        self._token = token
        self._is_key = is_key
        return True

    def _in_token(self, cursor: Cursor, token: Quoted | Atom | Comment) -> bool:
        progress = token.read(cursor)
        if progress != "done":
            return progress == "broken" and self._stop()
        self._token = None
        if isinstance(token, Comment):
            return True
        self._end = cursor.offset
        self.certainty.token(token)
        if self._is_key:
            return self._ends_key(token)
        return self._ends_scalar(token)

    def _ends_key(self, token: Quoted | Atom) -> bool:
        self._key = str(token.text)
        self._wants = self._colon
        return isinstance(token, Quoted) or bool(spelling.WORD.fullmatch(self._key)) or self._stop()

    def _ends_scalar(self, token: Quoted | Atom) -> bool:
        assert self._top
        self._wants = self._after
        if isinstance(token, Quoted):
            self._scalar = self._tail(self._top, token.text, None, is_open=False)
            return True
        try:
            value = spelling.atom(str(token.text), self._limits)
        except NoReadingError as error:
            self.limit = error.limit
            return self._stop()
        self._scalar = self._tail(self._top, None, value, is_open=False)
        return True
