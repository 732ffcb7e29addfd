"""A rendered prompt in a notebook: its turns, with images where they are small enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import count
from pdl.markup import Room, block, escaped, folded, listed, shown, title
from pdl.prompt.messages import Media, Text, transcript_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl.prompt.messages import Message, Part
    from pdl.prompt.rendered import Rendered

_TURNS = 20  # messages that are shown of each end
_PARTS = 30  # parts of one message
_WARNINGS = 10
_IMAGE = 400_000  # bytes of one image, which base64 makes a third longer
_IMAGES = 1_200_000  # bytes of all of them
_KINDS = frozenset({"png", "jpeg", "gif", "webp", "svg"})
"""What browsers show as images; an SVG that is one runs no script and loads nothing."""


class _View:
    """What of a prompt there is room for."""

    def __init__(self) -> None:
        self.room = Room()
        self.bytes = _IMAGES

    def messages(self, messages: Sequence[Message]) -> Iterator[str]:
        """The first and the last turns."""
        hidden = len(messages) - 2 * _TURNS
        for index, message in enumerate(messages):
            if hidden <= 0 or index < _TURNS or index >= len(messages) - _TURNS:
                yield self.message(message)
            elif index == _TURNS:
                yield title("", f"… {hidden:,} messages more …")

    def message(self, message: Message) -> str:
        html = "".join(map(self.part, message.parts[:_PARTS]))
        left_out = len(message.parts) - _PARTS
        note = f"{count(left_out, 'more part')}, not shown" if left_out > 0 else ""
        return title(message.role, note) + block(html, message.role)

    def part(self, part: Part) -> str:
        """A text; or a line in brackets, after an image if it can be shown."""
        if isinstance(part, Text):
            return self.room.text(part.text)
        words = f'<span class="pdl-quiet">{self.room.text(transcript_of(part))}</span>'
        return self.image(part) + words if isinstance(part, Media) else words

    def image(self, media: Media) -> str:
        """An image of the prompt itself; an address is never fetched."""
        size = len(media.data)
        if media.kind not in _KINDS or not 0 < size <= min(_IMAGE, self.bytes):
            return ""
        self.bytes -= size
        words = escaped(transcript_of(media))
        return f'<img alt="{words}" src="data:{media.mime_type};base64,{media.base64}">'


def rendered_html(rendered: Rendered, noted: Iterable[tuple[str, str]]) -> str:
    """Return a prompt as HTML; of long conversations, the first and the last messages.

    `noted` are the names and texts of its other turns.
    """
    view = _View()
    parts = list(view.messages(rendered.messages))
    parts += [title(role) + view.room.block(text) for role, text in noted]
    if rendered.reasoning:
        texts = [view.room.block(text) for text in rendered.reasoning[:_WARNINGS]]
        parts.append(folded(f"reasoning, never sent ({len(rendered.reasoning)})", *texts))
    if rendered.warnings:
        told = [view.room.text(problem.message) for problem in rendered.warnings[:_WARNINGS]]
        parts += [title("warnings"), listed(told, len(rendered.warnings) - _WARNINGS)]
    return shown(*parts)
