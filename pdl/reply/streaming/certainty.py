"""What of a bracket can be read in no other way, whatever comes behind it.

A quote may stand in a string, and a comma in a number. So a scalar is there when what follows it
is a part of JSON, and it is certain when what follows that can be nothing else: as
`pdl.reply.parsing.tokens` has it, which says where a string surely ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl.reply.streaming.tokens import Quoted

if TYPE_CHECKING:
    from pdl.reply.streaming.listener import Listener
    from pdl.reply.streaming.tokens import Atom
    from pdl.reply.streaming.tree import Open, Tail

Kind: TypeAlias = Literal["", "string", "number"]

_AHEAD = frozenset("\"'“")
"""Quotes of strings, and of keys, in front of which another string has surely ended."""
_LONGEST_KEY = 81  # characters of a key without quotes of which the same holds


class Certainty:
    """Tells a listener whenever all that it heard of is certain.

    `unsure` says what the last scalar is while what follows must tell whether it is all there.
    Where that tells nothing, nothing behind it is certain either.
    """

    def __init__(self, listener: Listener) -> None:
        self.unsure: Kind = ""
        self._listener = listener
        self._lost = False
        self._is_value = self._is_key = True  # the last token is surely one

    def holds(self, *, alone: bool) -> bool:
        """Whether all that was read is certain; `alone`: nothing more can come."""
        return not self._lost and (alone or not self.unsure)

    def tell(self, top: Open) -> None:
        """Something was read, in `top`."""
        if not self.unsure and not self._lost:
            self._listener.sure(top)

    def vouch(self, top: Open | None, *, certain: bool) -> None:
        """What follows the last scalar is there: by it all before is certain, or may never be."""
        if self.unsure and top:
            self._lost = self._lost or not certain
            self.unsure = ""
            self.tell(top)

    def token(self, token: Quoted | Atom) -> None:
        """A scalar or a key ends."""
        if isinstance(token, Quoted):
            quoted = token.opener in _AHEAD
            self._is_value = quoted and not (token.opener == "“" and token.escaped)
            self._is_key = quoted and not (token.escaped or token.broken)
        else:
            self._is_value = True
            self._is_key = len(token.text) <= _LONGEST_KEY

    def by_key(self, top: Open) -> None:
        """The last token is a key, and its colon is there."""
        self.vouch(top, certain=self._is_key)

    def by_value(self, top: Open) -> None:
        """The last token is a value, and what follows a value is there."""
        self.vouch(top, certain=self._is_value)

    def settled(self, top: Open, scalar: Tail, *, comma: bool) -> None:
        """A scalar is put into `top`; a comma follows it, or the bracket's end."""
        if scalar.text is not None:
            self.unsure = "string"
        elif comma and type(scalar.scalar) in {int, float} and isinstance(top.box, dict):
            self.unsure = "number"  # behind the comma its other digits may stand

    def comment_behind(self, scalar: Tail, gap: str, *, plain: bool) -> None:
        """A comment stands between a scalar and what is to follow it."""
        if scalar.text is not None:
            self._lost = self._lost or not (plain and gap.isspace())
