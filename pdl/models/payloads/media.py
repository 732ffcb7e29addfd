"""Which media a provider takes, and advice where it does not take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from pdl.errors import MediaError, Problem

if TYPE_CHECKING:
    from pdl.prompt.messages import Media, Role

IMAGES = frozenset({"png", "jpeg", "gif", "webp"})
AUDIO = frozenset({"wav", "mp3"})
PDF = frozenset({"pdf"})

_ADVICE = {
    "svg": "draw it as a png first",
    "gif": "save one of its pictures as a png",
    "webp": "save it as a png",
    "pdf": "make pictures (png) of its pages, or put its text into the prompt",
    "wav": "put what is said into the prompt as text",
    "mp3": "put what is said into the prompt as text",
}


@dataclass(frozen=True)
class Takes:
    """The kinds of media that a provider takes as bytes, and those that it takes as URLs."""

    provider: str
    data: frozenset[str]
    urls: frozenset[str] = frozenset()

    def kind(self, media: Media, role: Role) -> str:
        """The kind of a medium; a URL that does not say its kind is taken for a picture.

        Raises MediaError for what the provider does not take.
        """
        kind = media.kind or ("png" if media.url else "")
        if role != "user":
            self._refuse(f"media in a turn of the role {role}", "put it into a user turn")
        if kind not in self.data | self.urls:
            self._refuse(f"media of the kind {kind or 'unknown'}", _ADVICE.get(kind, ""))
        if media.url and kind not in self.urls:
            self._refuse(f"URLs of the kind {kind}", "embed the file: <|media(path)|>")
        return kind

    def _refuse(self, what: str, hint: str) -> NoReturn:
        raise MediaError(Problem("media/provider", f"{self.provider} takes no {what}", hint=hint))


def data_url(media: Media) -> str:
    """The bytes as a URL (RFC 2397), or the medium's own URL."""
    return media.url or f"data:{media.mime_type};base64,{media.base64}"
