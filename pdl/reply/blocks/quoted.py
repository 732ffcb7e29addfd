"""Answers in a block quotation, as if the marks of the quotation were blanks."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pdl.reply.segments.segmenter import cut

if TYPE_CHECKING:
    from pdl.reply.query import Asked

_MARK = re.compile(r"^[ ]{0,3}(?>(?:>[ ]?)+)", re.MULTILINE)


def unquoted(asked: Asked) -> Asked | None:
    """The same reply without `>` before its lines; None if it has none.

    As long as before, so that offsets stay; what was quoted is indented then (GFM 5.1).
    """
    text = _MARK.sub(lambda mark: " " * len(mark[0]), asked.text)
    if text == asked.text:
        return None
    parts = cut(text, asked.limits, asked.dialects)
    return replace(asked, text=text, cut=parts)
