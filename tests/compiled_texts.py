"""The options that the laws of compiled grammars are about, and how their texts are read."""

from __future__ import annotations

import json
from typing import Any

from pdl.gbnf import Options

OPTIONS = {
    "default": Options(),
    "any-order": Options(key_order="any"),
    "generate": Options.generate(),
    "accept": Options.accept(),
    "closed": Options(objects="closed", whitespace="spaced", numbers="plain"),
    "compact": Options(whitespace="compact", key_order="any", escapes="canonical"),
}


class TwiceError(Exception):
    """A name comes twice, which is the checker's business."""


def read(text: str) -> Any:
    """The value of a JSON text. Raises ValueError if it is none, TwiceError where a name recurs."""
    return json.loads(text, object_pairs_hook=_members, parse_constant=_refused)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise TwiceError
    return found


def _refused(word: str) -> Any:
    raise ValueError(word)
