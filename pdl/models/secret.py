"""An API key that nothing prints."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import TYPE_CHECKING
from urllib.parse import quote

from pdl.errors import ConfigError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl._types import Json

_REDACTED = "***"
_PLACEHOLDER = 4  # a key of fewer characters hides nothing: its letters are in every text
_GUESSABLE = 8  # a key of fewer characters is not a secret, and may be a word of any text
_LONG = 16  # characters of a key of which no fragment is shown either
_FRAGMENT = 12  # characters of such a fragment
_SHORTENED = "…"  # what replaces the rest of a text that was shortened
_LOWER = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
"""`str.lower` makes two characters of some, which would move the offsets."""


class Secret:
    """A key: its `repr` and `str` do not contain it, and `redact` removes it from texts.

    Raises ConfigError for text that no HTTP header can contain.
    """

    __slots__ = ("_fragments", "_text")

    def __init__(self, text: str = "") -> None:
        text = text.strip()
        if not (text.isascii() and text.isprintable()):
            message = "the key contains characters that no HTTP header can have"
            raise ConfigError(Problem("config/key", message))
        self._text = text
        self._fragments = _fragments(text) if len(text) >= _GUESSABLE else {}

    @property
    def text(self) -> str:
        """The key itself."""
        return self._text

    def redact(self, text: str) -> str:
        """Return a text without the key.

        The key is found in upper and lower case, with white space inside, URL-encoded, and in
        base64 (after whatever is before it there); also any 12 consecutive characters of a key of
        at least 16, and its beginning where a text was shortened. A key of fewer than eight
        characters is found only as it is; one of fewer than four is a placeholder and stays.
        """
        if len(self._text) < _GUESSABLE:
            return text.replace(self._text, _REDACTED) if len(self._text) >= _PLACEHOLDER else text
        offsets = [offset for offset, letter in enumerate(text) if not letter.isspace()]
        packed = "".join([text[offset] for offset in offsets]).translate(_LOWER)
        kept, end = [], 0
        for found in re.finditer(b"\1+", self._marked(packed)):
            kept += [text[end : offsets[found.start()]], _REDACTED]
            end = offsets[found.end() - 1] + 1
        return "".join([*kept, text[end:]])

    def _marked(self, packed: str) -> bytearray:
        """A byte for each character of a text in lowercase without white space: 1 in the key."""
        marked = bytearray(len(packed))
        for size, fragments in self._fragments.items():
            for start in range(len(packed) - size + 1):
                if packed[start : start + size] in fragments:
                    marked[start : start + size] = b"\1" * size
        cut = packed.find(_SHORTENED)
        while cut >= 0:
            for size in range(_PLACEHOLDER, _FRAGMENT):
                if packed.endswith(self._text[:size].translate(_LOWER), 0, cut):
                    marked[cut - size : cut] = b"\1" * size
            cut = packed.find(_SHORTENED, cut + 1)
        return marked

    def redact_json(self, value: Json) -> Json:
        """Return a JSON value without the key in its strings and in the keys of its objects."""
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, list):
            return [self.redact_json(one) for one in value]
        if isinstance(value, dict):
            return {self.redact(name): self.redact_json(one) for name, one in value.items()}
        return value

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"Secret({_REDACTED})" if self._text else "Secret()"

    def __copy__(self) -> Secret:
        return self

    def __deepcopy__(self, memo: object) -> Secret:
        return self

    def __reduce__(self) -> str:
        raise TypeError("a key must not be stored")


def _fragments(key: str) -> dict[int, set[str]]:
    """By size what reveals a key: any fragment of a long spelling, the whole of a short one."""
    found: dict[int, set[str]] = {}
    for spelling in (key, quote(key, safe=""), *_base64(key)):
        packed = "".join(spelling.split()).translate(_LOWER)
        size = _FRAGMENT if len(packed) >= _LONG else len(packed)
        fragments = found.setdefault(size, set())
        fragments.update(packed[start : start + size] for start in range(len(packed) - size + 1))
    return found


def _base64(key: str) -> Iterator[str]:
    """The key in base64: the bytes before it, as of `Bearer `, shift it within the groups."""
    for shift in range(3):
        code = b64encode(b"\0" * shift + key.encode("ascii"))
        # The first and the last characters depend also on what is next to the key.
        whole = code[(0, 2, 3)[shift] : (shift + len(key)) * 4 // 3].decode("ascii")
        yield whole
        yield whole.replace("+", "-").replace("/", "_")


NO_SECRET = Secret()
