"""What a reply says behind its data that makes them no data: placeholders, examples, inventions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.prose.delayed import Delayed
from pdl.reply.prose.namings import COPULA, DENIAL
from pdl.reply.prose.vocabulary import Hints, Vocabulary, words_of
from pdl.reply.prose.withdrawals_old import sentences_of

if TYPE_CHECKING:
    from pdl.reply.prose.vocabulary import Behind

_KIND = (
    r"(?:examples?|samples?|placeholders?|dumm(?:y|ies)|mock(?:ed|s|ups?)?|fake[ds]?|fictional"
    r"|fictitious|fictive|fiction|invented|inventions?"
    r"|made[- ]up|hypothetical|imaginary|illustrati(?:ve|ons?)|demonstrations?|demo|random"
    r"|arbitrary|fabricated|simulated|synthetic|templates?"
    r"|stubs?|guess(?:es|ed|work)?|not\s+(?:real|actual|genuine|based\s+on)|hallucinated)\b"
)
_DATA = (
    r"(?:values?|data|numbers?|entr(?:y|ies)|items?|fields?|names?|figures?|dates?|contents?"
    r"|json|object|output|answer|result|list|array|response|details?"
    r"|information|records?)"
)
_FILL = (
    r"(?:(?:just|only|merely|purely|simply|all|both|mostly|partly|largely|completely|entirely"
    r"|for|an?|some|my|meant|intended|to|be|as|used|given|included|pure|basic|sort|kind"
    r"|of)\s+)"
)
_STATED = Delayed(
    rf"(?:\b(?:(?:this|that|these|those)(?:\s+{_DATA})?|it|they|(?:the|all|some|both|its|my|each"
    rf"|every)\s+(?:of\s+(?:the\s+)?)?(?:\w+\s+)?(?:{_DATA}(?:\s+(?:above|here|below))?|above))"
    rf"|(?:^|[,;:])\W*(?:{_DATA}(?:\s+(?:above|here))?|[`\"'\w.]{{1,30}}))(?:['’]s|['’]re"
    rf"|\s+(?:is|are|was|were"
    rf"|serves?|contains?|uses?|holds?|should\s+be\s+treated|has\s+been|have\s+been))"
    rf"\s+{_FILL}{{0,4}}{_KIND}|^\W*(?:(?:with|using|uses|used|only|just"
    rf"|note)\W+){{0,2}}{_KIND}\s+{_DATA}\b"
)
_REPLACE = Delayed(
    r"(?:^|[,:;]|\b(?:please|then|and|to|should|must|just|simply))\W*(?:replace|substitute"
    r"|fill\s+in|insert|swap|change|adapt|adjust|update|enter|put\s+in)\b"
    r"[^.\n]{0,60}?\b(?:actual|real|your\s+own|genuine|true|placeholders?|dummy|sample)\b"
)
_INVENTED = Delayed(
    r"\b(?:generated|written|produced|created|made|answered|given)\s+without\s+(?:reading|seeing"
    r"|access|looking|having|the)\b"
    r"|\bi(?:['’]ve|\s+have|\s+had\s+to|\s+did)?\s+(?:just\s+|simply\s+|also\s+"
    r"|only\s+)?(?:ma(?:de|ke)\s+(?:\w+\s+){0,3}up\b|invent(?:ed)?\b|fabricated\b|guess(?:ed)?\b"
    r"|simulated\b|imagined\b"
    rf"|(?:assumed|used|chose|picked|put|inserted|added)\s+(?:(?:the|an?|some"
    rf"|any)\s+)?(?:{_KIND}|values?\b))"
)
_NOT = Delayed(r"\b(?:no|not|never|none|nothing|without)\b|n['’]t\b")
_UNTRUE = re.compile(r"\bnot\s+(?:real|actual|genuine|based\s+on)")
_POINTING = Vocabulary(
    "das dies diese die es alle hierbei dabei ceci ce cela c'est les ces il esto este",
    "estos esta los las son isso isto este os as são questo questi questa i le dit deze",
    "de",
    "dat to te wartości są это эти значения данные всё bu bunlar değerler det detta dessa",
    "värdena toto hodnoty це ці значення",
)
_UNREAL = Vocabulary(
    "beispiel- platzhalter- erfunden- fiktiv- dummy- ausgedacht- muster exemple- fictif-",
    "fictiv- inventé- factice- ejemplo- fictici- inventad- exemplo-",
    "fictíci- esempi- inventat- fittizi- segnaposto voorbeeld- verzonnen fictie-",
    "przykład- zmyślon- fikcyjn- пример- вымышлен- выдуман- заглушк-",
    "örnek- uydurma- kurgusal- exempel- påhittad- příklad- smyšlen- приклад- вигадан-",
    "plantilla placeholder- dummy-waarden",
)
_UNREAL_PHRASE = re.compile(
    r"(?:^|[，,\s])(?:这|這|此|以上|上述|这些|這些|数值|值|数据)[^。\n]{0,8}(?:是|为|為|均为)[^。\n]{0,8}(?:示例|例子|样例|範例"
    r"|虚构|虛構|占位|假设|假数据|模板|编造)"
    r"|(?:これ|値|上記|この\w{0,4}|データ)[^。\n]{0,12}(?:例|ダミー|サンプル|架空|仮の値|仮のデータ)(?:です|であ|だ|の|で)"
    r"|仅供(?:示例|演示|举例)|^\W*(?:サンプル|ダミー|例)(?:です|データ|の値)|(?:이것|값|위|이\s?데이터)[^.\n]{0,12}(?:예시|예제|가상"
    r"|임의|더미)"
)
_HINTS = Hints(
    *(
        "exampl",
        "without",
        "sampl",
        "placeholder",
        "dumm",
        "mock",
        "fake",
        "ficti",
        "invent",
        "made",
        "make",
    ),
    *("hypothe", "imagin", "illustr", "demo", "random", "arbitrar", "fabric", "simul", "synthe"),
    *("templat", "stub", "guess", "not ", "halluc", "real", "actual", "own", "true", "genuine"),
    *("value", "beispiel", "platzhalter", "erfunden", "fikti", "ausgedacht", "muster", "exemp"),
    *("factice", "ejempl", "esempi", "fittiz", "segnaposto", "voorbeeld", "verzonnen", "uydurma"),
    *("kurgusal", "plantilla", "zmy"),
)
"""What stands in each such sentence, if it is in Latin letters of ASCII."""

_NEAR = 8  # characters in front of such words in which they are denied
_LAST = 3  # words at the end of a sentence, of which one says so
_LONG = 12  # words of a sentence that says no more than that


def unreal(said: str, window: Behind | None = None) -> bool:
    """Whether one of the sentences behind data says that they are no real ones."""
    if _HINTS.absent(window):
        return False
    low = said.lower()
    if low.isascii() and not _HINTS.in_text(low):
        return False
    return any(map(_is_unreal, sentences_of(said)))


def _points(words: list[str]) -> bool:
    return words[0] in _POINTING or COPULA.any_of(words)


def _is_unreal(sentence: str) -> bool:
    found = _STATED.search(sentence) or _REPLACE.search(sentence) or _INVENTED.search(sentence)
    if found and "without" in found[0].lower():
        return True
    if found and not _NOT.search(
        sentence[max(0, found.start() - _NEAR) : found.start()] + _UNTRUE.sub("", found[0].lower())
    ):
        return True
    if sentence.isascii() and not _UNREAL.in_text(sentence.lower()):
        return False
    words = words_of(sentence)
    if words and len(words) <= _LONG and _points(words) and _UNREAL.any_of(words[-_LAST:]):
        only = "que" in words and "ne" in words
        return only or not DENIAL.any_of(words)
    return _UNREAL_PHRASE.search(sentence) is not None
