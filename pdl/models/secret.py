"""A key that nothing prints."""

from __future__ import annotations

from base64 import b64encode
from itertools import pairwise
from typing import TYPE_CHECKING

from pdl.errors import ConfigError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl._types import Json

_MASK = "***"
_WORDLESS = 4  # a key of fewer characters hides nothing: its letters stand in every text
_GUESSABLE = 8  # a key of fewer characters is no secret, and may be a word of any text
_LONG = 16  # characters of a key of which a part is told by nobody either
_PART = 12  # characters of such a part
_CUT = "…"  # what stands for the rest of a text that was shortened
_BEGINNINGS = range(4, _PART)  # characters of a key that are hidden where the rest was cut off


class Mask:
    """Blots a key out of texts, and does not hold it: only hashes, of this process, of its parts.

    A pickle of it hides nothing any more.
    """

    __slots__ = ("_beginnings", "_is_exact", "_parts")

    def __init__(self, key: str = "") -> None:
        self._is_exact = len(key) < _GUESSABLE
        shapes = {key} if self._is_exact else set(_shapes(key))
        if len(key) < _WORDLESS:
            shapes = set()
        self._parts: dict[int, frozenset[int]] = _hashes(filter(None, shapes))
        self._beginnings = frozenset(
            hash(shape[:size]) for shape in shapes for size in _BEGINNINGS if len(shape) >= size
        )

    def hide(self, text: str) -> str:
        """A text in which the key is blotted out.

        It is so in upper and lower case, with white space in it, in base64 with whatever stands
        before it there, and in any twelve characters in a row of one that has sixteen; also its
        beginning where a text was shortened. Of a key that has less than eight characters only
        itself is; one of less than four is a placeholder, and is left as it is.
        """
        if not self._parts:
            return text
        places, packed = (range(len(text)), text) if self._is_exact else _packed(text)
        kept, end = [], 0
        for first, last in _joined(sorted(self._found(packed))):
            start = places[first]
            kept += [text[end:start], _MASK]
            end = places[last - 1] + 1
        return "".join([*kept, text[end:]])

    def hide_in(self, value: Json) -> Json:
        """A JSON value whose texts do not tell the key, nor do the keys of its objects."""
        if isinstance(value, str):
            return self.hide(value)
        if isinstance(value, list):
            return [self.hide_in(one) for one in value]
        if isinstance(value, dict):
            return {self.hide(name): self.hide_in(one) for name, one in value.items()}
        return value

    def _found(self, packed: str) -> Iterator[tuple[int, int]]:
        for size, hashes in self._parts.items():
            for start in range(len(packed) - size + 1):
                if hash(packed[start : start + size]) in hashes:
                    yield start, start + size
        cut = -1 if self._is_exact else packed.find(_CUT)
        while cut >= 0:
            for size in _BEGINNINGS:
                if size <= cut and hash(packed[cut - size : cut]) in self._beginnings:
                    yield cut - size, cut
            cut = packed.find(_CUT, cut + 1)

    def __repr__(self) -> str:
        return "Mask()"

    def __reduce__(self) -> tuple[type[Mask], tuple[()]]:
        return Mask, ()


class Secret:
    """A key: its `repr` and `str` do not tell it. `mask` hides it in texts.

    Raises ConfigError for what no header can hold.
    """

    __slots__ = ("_text", "mask")

    def __init__(self, text: str = "") -> None:
        text = text.strip()
        if not (text.isascii() and text.isprintable()):
            message = "the key holds characters that no HTTP header can have"
            raise ConfigError(Problem("config/key", message))
        self._text = text
        self.mask = Mask(text)

    @property
    def text(self) -> str:
        """The key itself."""
        return self._text

    def hidden_in(self, text: str) -> str:
        """A text in which the key is blotted out: see `Mask.hide`."""
        return self.mask.hide(text)

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return "Secret(***)" if self._text else "Secret()"

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: object) -> Secret:
        return self

    def __reduce__(self) -> str:
        raise TypeError("a key is not to be stored")


_LOWER = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
"""`str.lower` makes two characters of some, and places would be others."""


def _shapes(key: str) -> Iterator[str]:
    """How a key may be written, without white space and in lower case."""
    yield "".join(key.split()).translate(_LOWER)
    for shift in range(3):  # the bytes before it, as of `Bearer `, move it within its groups
        code = b64encode(b"\0" * shift + key.encode("ascii"))
        # The first and the last characters also depend on what stands beside the key.
        whole = code[(0, 2, 3)[shift] : (shift + len(key)) * 4 // 3].decode("ascii")
        yield whole.translate(_LOWER)
        yield whole.replace("+", "-").replace("/", "_").translate(_LOWER)


def _hashes(shapes: Iterable[str]) -> dict[int, frozenset[int]]:
    """By their sizes the parts that tell a key: any of a long one, the whole of a short one."""
    found: dict[int, set[int]] = {}
    for shape in shapes:
        size = _PART if len(shape) >= _LONG else len(shape)
        parts = (shape[start : start + size] for start in range(len(shape) - size + 1))
        found.setdefault(size, set()).update(map(hash, parts))
    return {size: frozenset(hashes) for size, hashes in found.items()}


def _packed(text: str) -> tuple[Sequence[int], str]:
    """A text without white space and in lower case, and where its characters stood."""
    places = [index for index, letter in enumerate(text) if not letter.isspace()]
    return places, "".join([text[index] for index in places]).translate(_LOWER)


def _joined(spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Spans that overlap or touch as one."""
    if not spans:
        return
    start, end = spans[0]
    for _, (first, last) in pairwise(spans):
        if first > end:
            yield start, end
            start, end = first, last
        end = max(end, last)
    yield start, end


NO_MASK = Mask()
NO_SECRET = Secret()
