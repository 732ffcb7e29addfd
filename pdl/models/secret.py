"""A key that nothing prints."""

from __future__ import annotations

from pdl.errors import ConfigError, Problem


class Secret:
    """A key: its `repr` and `str` do not tell it.

    Raises ConfigError for what no header can hold.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str = "") -> None:
        text = text.strip()
        if not (text.isascii() and text.isprintable()):
            message = "the key holds characters that no HTTP header can have"
            raise ConfigError(Problem("config/key", message))
        self._text = text

    @property
    def text(self) -> str:
        """The key itself."""
        return self._text

    def hidden_in(self, text: str) -> str:
        """A text in which the key is blotted out."""
        return text.replace(self._text, "***") if self._text else text

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


NO_SECRET = Secret()
