"""Which parts of a reply only explain its answer: what is said there is not another one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.segments.spans import Spans
from pdl.reply.validation.json_types import key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.reply.prose.sentences import Sentences
    from pdl.reply.prose.spoken import Spoken
    from pdl.reply.result import Span

_LABEL = re.compile(
    r"(?:^|\n)[ \t>#*_-]*+(?:\d{1,2}[.)][ ]*)?"
    r"(?:explanation|reason(?:ing|s)?|rationale|justification|why|because"
    r"|analysis|details|evidence|here['’]?\s?i?s\s+why|erklärung|begründung|grund|erläuterung|explication|raison"
    r"|raisonnement|explicación|razón|razonamiento|justificación|motivo|explicação|razão|justificativa|raciocínio"
    r"|spiegazione|motivazione|ragionamento|uitleg|toelichting|reden|wyjaśnienie|uzasadnienie|powód|объяснение"
    r"|пояснение|обоснование|причина|пояснення|açıklama|gerekçe|förklaring|motivering|vysvětlení|zdůvodnění"
    r"|解释|解釋|理由|说明|說明|原因|説明|根拠|설명|이유|근거|الشرح|السبب|التفسير|व्याख्या|कारण|स्पष्टीकरण)"
    r"[ *_]*[:：]",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"[*_`\"'”’»」)\]}$]*[ \t]*[,;:.—–-]?[ \t]*"
    r"(?:because|since|as(?=\s+(?:it|the|there|this))|given\s+that|weil|denn|da\s"
    r"|parce\s+qu|car\s|puisqu|porque|ya\s+que|pois|perché|poiché|omdat|want\s|ponieważ|bo\s|gdyż|потому|так\s+как"
    r"|поскольку|çünkü|eftersom|för\s+att|protože|бо\s|因为|因為|なぜなら|왜냐하면|لأن|क्योंकि)",
    re.IGNORECASE,
)
_INSTEAD = re.compile(
    r"[*_`\"'”’»」]*\s*[,;(—–-]\s*(?:and\s+|und\s+|et\s+|y\s+|e\s+)?(?:not|nicht|kein\w*|pas|no|non|não|niet|nie|не|inte)"
    r"\s+(?:an?\s+|the\s+|ein\w*\s+|le\s+|la\s+|el\s+)?[*_`\"'“‘«「]*",
    re.IGNORECASE,
)
_BLANK_LINE = re.compile(r"(?<=\S)[ \t]*+\n[ \t]*+\n")
_RESULT = re.compile(r"[=＝][\s*_`$]*$")
_BEFORE = 8  # characters in front of a number in which an equals sign is looked for


def reason_behind(text: str, at: int) -> bool:
    """Whether a reason is given right behind an answer that ends at `at`: `yes, because …`."""
    return _REASON.match(text, at) is not None


def instead_behind(text: str, at: int) -> int:
    """Where what is denied begins, if it stands behind an answer: `7, not 8`; else -1."""
    found = _INSTEAD.match(text, at)
    return found.end() if found else -1


def unexplained(text: str, sentences: Sentences, spoken: Sequence[Spoken]) -> list[Spoken]:
    """What is said outside of explanations, unless one comes to another result."""
    explained = Spans(_explanations(text, sentences, spoken))
    reasons = Spans(_reasons(text, sentences, spoken))
    kept = [one for one in spoken if not _is_aside(one, explained, reasons)]
    answers = {key(one.value) for one in kept if one.clear}
    results = [
        one
        for one in spoken
        if one.clear and one.span[0] in explained and _is_result(text, one.span[0])
    ]
    if results and answers.isdisjoint(key(one.value) for one in results):
        return sorted([*kept, *results], key=lambda one: one.span)
    return kept if answers else list(spoken)


def _is_result(text: str, at: int) -> bool:
    return _RESULT.search(text[max(0, at - _BEFORE) : at]) is not None


def _is_aside(one: Spoken, explained: Spans, reasons: Spans) -> bool:
    """Whether something is said in an explanation; a reason that is an answer itself is none."""
    contrary = one.span[0] in reasons and one.clear and one.placed
    return one.span[0] in explained and not contrary


def _answers(spoken: Sequence[Spoken]) -> list[Span]:
    return [one.span for one in spoken if one.clear and one.placed]


def _reasons(text: str, sentences: Sentences, spoken: Sequence[Spoken]) -> list[Span]:
    """The rest of each sentence that goes on with `because` behind an answer."""
    return [
        (span[1], sentences.around(span)[1])
        for span in _answers(spoken)
        if reason_behind(text, span[1])
    ]


def _explanations(text: str, sentences: Sentences, spoken: Sequence[Spoken]) -> list[Span]:
    """The parts that explain: behind a label, behind `because`, behind `, not`."""
    answers = _answers(spoken)
    denied = (instead_behind(text, span[1]) for span in answers)
    spans = [(at, at + 1) for at in denied if at >= 0] + _reasons(text, sentences, spoken)
    for label in _LABEL.finditer(text):
        if answers and answers[0][0] < label.end():
            return [*spans, (label.end(), len(text))]
        blank = _BLANK_LINE.search(text, label.end())
        if blank is None:
            break
        spans.append((label.end(), blank.start()))
    return spans
