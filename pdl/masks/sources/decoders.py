"""What bytes a token has, by the decoder of a Hugging Face tokenizer.

Its steps see the tokens of a whole text; here they see one, as it stands amid a text. Those that
work on the text's ends (a blank that is put in front of it, and taken away again) do nothing then.
Source: `tokenizers`, `src/decoders/` and `src/pre_tokenizers/{byte_level,metaspace}.rs`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from pdl.masks.sources.found import refused
from pdl.masks.sources.spelling import byte_level, byte_token, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Step: TypeAlias = "Callable[[str], str | bytes]"
"""A token, as the next step sees it; bytes if it is what no further step changes."""

_WHY_NOT = {
    "BPEDecoder": "whether a blank stands behind a token depends on the next one",
    "CTC": "a token that stands twice is written once",
    "WordPiece": "whether a blank stands in front of a token depends on its neighbours",
}


def speller(decoder: Mapping[str, Any] | None, origin: str) -> Callable[[str], bytes]:
    """What gives the bytes of a token. Raises VocabularyError for decoders that have none."""
    if decoder is None:
        hint = "set its decoder, such as `decoders.ByteLevel()`"
        raise refused(origin, "it has no decoder, so that blanks stand between all tokens", hint)
    fused = done = False
    found: list[Step] = []
    for step in _flat(decoder):
        kind = step["type"]
        if done and kind not in {"Fuse", "Strip"}:
            raise refused(origin, f"its decoder has a step `{kind}` behind `ByteLevel`")
        made = _step(step, origin, fused=fused)
        found += [made] if made else []
        done = done or kind == "ByteLevel"
        fused = fused or done or kind == "Fuse"
    return partial(_spell, found)


def _spell(steps: list[Step], text: str) -> bytes:
    for step in steps:
        following = step(text)
        if isinstance(following, bytes):
            return following
        text = following
    return plain(text)


def _flat(decoder: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The steps of a decoder, those of sequences in their places."""
    pending = [decoder]
    while pending:
        step = pending.pop()
        if step["type"] == "Sequence":
            pending += reversed(step["decoders"])
        else:
            yield step


def _step(step: Mapping[str, Any], origin: str, *, fused: bool) -> Step | None:
    """One step; None if it changes nothing amid a text. `fused`: it sees the text as a whole."""
    kind = step["type"]
    if kind == "ByteLevel" and not fused:
        return _byte_level
    if kind == "Metaspace" and not fused:
        return partial(_replaced, step["replacement"], " ")
    if kind == "ByteFallback" and not fused:
        return _byte_fallback
    if kind == "Replace":
        return _replace(step, origin, fused=fused)
    if kind == "Strip":
        return None if fused else partial(_stripped, step["content"], step["start"], step["stop"])
    if kind == "Fuse":
        return None
    reason = _WHY_NOT.get(kind, "what it does to a token amid a text is not known")
    raise refused(origin, f"its decoder has a step `{kind}`: {reason}")


def _replace(step: Mapping[str, Any], origin: str, *, fused: bool) -> Step:
    """A replacement, which must be of one character where it could go across tokens."""
    pattern = step["pattern"].get("String")
    if pattern is None or not pattern or (fused and len(pattern) > 1):
        reason = "a replacement by a pattern, or across tokens, which single tokens do not show"
        raise refused(origin, f"its decoder has {reason}: {step['pattern']}")
    return partial(_replaced, pattern, step["content"])


def _byte_level(text: str) -> bytes:
    found = byte_level(text)
    return plain(text) if found is None else found


def _byte_fallback(text: str) -> str | bytes:
    byte = byte_token(text)
    if byte is None:
        return text
    return chr(byte) if byte < 0x80 else bytes([byte])  # noqa: PLR2004 - ASCII is text


def _replaced(old: str, new: str, text: str) -> str:
    return text.replace(old, new)


def _stripped(char: str, start: int, stop: int, text: str) -> str:
    """A text without some of the characters at its ends."""
    first, last = 0, len(text)
    while first < min(start, last) and text[first] == char:
        first += 1
    while len(text) - last < stop and last > first and text[last - 1] == char:
        last -= 1
    return text[first:last]
