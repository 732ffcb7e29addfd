"""What a reply says behind an answer in prose that takes it away again."""

from __future__ import annotations

import re

from pdl.reply.prose.retractions import taken_back
from pdl.reply.prose.withdrawals_old import withdrawn

_AGREES = re.compile(
    r"\W*(?:(?:because|since|weil|denn|porque|parce\s+que)\s+)?(?:(?:that|this|it|the\s+\w+|das|dies|es|cela|c['’]est|eso|esto|isso|questo|dat|to|это|bu|det)\b[^.!?\n]{0,60}"
    r"|(?:違い?い?ます|違う|そうでは|间违|不对|不是|错|아닙|틀[렸립])[^。.!?\n]{0,20})(?:[.!?。！]+|\n|$)\s*",
    re.IGNORECASE,
)
"""What may be said of the question behind a no: `No, that is wrong.`"""

_CALLED = re.compile(
    r"\b(?:wrong|incorrect|false|untrue|not|mistaken|falsch|nicht|faux|pas|mal|no|errado|não|sbagliato|non|fout|niet"
    r"|błęd\w*|nie|неверно|не|yanlış|değil|fel|inte)\b|違|そうでは|不|错|아닙|틀",
    re.IGNORECASE,
)
_DISAGREES = re.compile(
    r"\b(?:i\s+(?:strongly\s+|respectfully\s+)?disagree|(?:just\s+|only\s+)?(?:kidding|joking)|changed\s+my\s+mind"
    r"|none\s+of\s+(?:the|these|those|my|your)\s+(?:\w+\s+)?(?:options?|choices?|answers?|labels?|categories|above)"
    r"|je\s+plaisante|(?:nur\s+)?ein\s+scherz|es\s+broma|mine\s+differs|my\s+(?:own\s+)?(?:answer|view)\s+differs)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"[\s.,;:!(\[–—-]*(?:not(?:\s+(?:really|quite|so|sure|certain))?|false|wrong|incorrect|untrue|unlikely|nope|(?:i|a)\s+guess|guess"
    r"|i\s+suppose|low\s+confidence|(?:very\s+)?(?:unsure|uncertain)|sarcasm|irony|as\s+if|tentative\w*|disputed|doubtful)"
    r"[\s.!)\]*_]*(?:$|\n)"
    r"|[\s\S]{0,200}?\b(?:can['’]?t|cannot|can\s+not)\s+be\s+(?:\w+\s+)?(?:certain|sure)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\b(?:is|are|would\s+be|seems)\s+(?:also|equally|just\s+as)\s+(?:correct|valid|acceptable|right|true|possible|plausible)"
    r"|\b(?:also|equally)\s+(?:fits|works|applies)\b|\bboth\s+\S{1,24}\s+and\s+\S{1,24}\s+(?:are|is|fit|apply|work)\b"
    r"|\b(?:both|either)\s+(?:are|is|options?|answers?)\b",
    re.IGNORECASE,
)


def disowned(text: str, at: int, start: int = 0, *, denies: bool = False) -> bool:
    """Whether the words behind an answer that ends at `at` take it back, or give another as well.

    From `start` on, no words may decline to answer. An answer that `denies` goes with `that is
    wrong`.
    """
    if taken_back(text, at, start, denies=denies) or _DISAGREES.search(text, at):
        return True
    if not denies and _UNSURE.match(text, at):
        return True
    if denies:
        said = _AGREES.match(text, at)
        if said and _CALLED.search(said[0]):
            at = said.end()
    return withdrawn(text, at)


def shared(text: str) -> bool:
    """Whether a reply says that several answers are right."""
    return _SEVERAL.search(text) is not None
