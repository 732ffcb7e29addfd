"""Where in a sentence an answer stands.

A word or a number amid a sentence is seldom an answer: `I give up on that`, `it took 3 minutes`.
It is one if it is the whole sentence but for a plain lead-in (`So the total is 7`), or if it is
set apart by a label, bold type, quotation marks or a box.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.marks import answered
from pdl.reply.namings import COPULA
from pdl.reply.vocabulary import WORD, Vocabulary, words_of

if TYPE_CHECKING:
    from pdl.reply.outcome import Extent

_MARKS = r"*_`\"'“”‘’«»「」『』"
SIGNS = "\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f"
"""Arrows and pictures."""

_OPENING = rf"(?-i:[\s>#{_MARKS}(\[{{|•{SIGNS}–-]*+)(?:\(?\d{{1,3}}[.)]\s+)?+[{_MARKS}(]*+"
_FILLERS = (
    r"(?:(?:(?:well|oh|ah)(?:[,.…]|\.\.\.)|(?:so|thus|hence|therefore|ok|okay|sure|overall|finally|clearly"
    r"|in\s+total|in\s+short|in\s+summary|in\s+brief|briefly|simply\s+put|put\s+simply|honestly|oh|yes"
    r"|to\s+summarize|in\s+conclusion|unfortunately|fortunately|sadly|okay\s+then|in\s+my\s+(?:opinion|view)"
    r"|of\s+course|certainly|based\s+on\s+[^,\n]{1,60}+)[,:!]?)\s+)*+"
)
_LEAD = re.compile(
    rf"{_OPENING}{_FILLERS}"
    r"(?:(?:about|approximately|around|roughly|exactly|precisely|only|just|option|choice|number|total|score"
    r"|definitely|certainly|clearly|mostly|mainly|predominantly|overwhelmingly|strongly|very|highly|an?|the"
    r"|etwa|ungefähr|genau|environ|aproximadamente|circa|ongeveer|około|примерно|yaklaşık|ungefär)\s+)*+"
    rf"[≈~]?[ ]?[{_MARKS}(]*",
    re.IGNORECASE,
)
_COPULA = re.compile(
    r"(?:\b(?:equals?|makes?|costs?|totals?|(?:gives|leaves)(?:\s+us)?|yields|(?:amounts|comes|adds\s+up)\s+to"
    r"|(?:should|must|has\s+to)\s+be|beträgt|lautet|vale|égale?|resulting\s+in|written\s+in|a\s+total\s+of"
    r"|(?:give|gave|rate)\s+(?:it|this|that)|(?:rating|score|estimate|probability|value|grade)\s+of)"
    r"|\b(?:it|that|this|there|answer|c|l)['’](?:s|est)"
    r"|\b(?:(?:i|we)(?:\s+(?:would|will|should|must))?|(?:i|we)['’](?:d|ll)|both|all)\s+"
    r"(?:therefore\s+)?(?:say|pick|choose|select|take|answer|vote|get|count|counted|found|chose|went\s+with"
    r"|go\s+with|estimate|think|believe)"
    r"|\b(?:classif\w+|categori[sz]ed?|label\w*|rated?|tag\w*|mark\w*)\s[^.:;\n]{0,40}?\bas"
    r"|\b(?:classif\w+|categori[sz]ed?|label\w*|rated?|tag\w*)(?:\s+(?:it|this))?)"
    r"(?:\s+(?:an?|the|definitely|clearly|simply|just|therefore|indeed|exactly|precisely|about|approximately"
    r"|around|roughly|equal\s+to|only|overall|predominantly|mostly|mainly|strongly|very\s+clearly|option|category"
    r"|label|number|score))*+"
    rf"\s+[{_MARKS}(]*$"
    rf"|[=＝→⇒≈][ \t]*[{_MARKS}(]*$"
    r"|(?:은|는|이|가|为|為|是|は|が|选|選|选择)\s*+[\"'“‘「『*`(（]*$",
    re.IGNORECASE,
)
_FILLING = Vocabulary(
    "a an the definitely clearly simply just therefore indeed exactly precisely about",
    "approximately around roughly equal to only overall predominantly mostly mainly strongly",
    "very option category label number score der die das ein eine le la el il lo un une una o",
    "het een genau etwa exactement exactamente esattamente clear definite firm resounding",
    "simple emphatic",
)
"""What may stand between `is` and an answer."""

_SPEAKER = frozenset(["i", "you", "they", "he", "she"])
_TAIL = re.compile(rf"[\s{_MARKS}(\[{{$\\]*$")
_ABOUT = r"(?:(?:about|around|approximately|roughly|exactly|only)\s+)?"
_LABEL = re.compile(
    rf"(?:^|\n)(?-i:[ \t>#|•{SIGNS}{_MARKS}-]*+)(?:\d{{1,3}}[.)]\s+)?+"
    rf"(?P<label>[^\n:：]{{1,60}}?)[ {_MARKS}]*[:：][ \t{_MARKS}(\[]*{_ABOUT}$"
    rf"|\b(?P<name>answer|result|total|verdict|classification|choice|sentiment|score|rating|label|category|output)"
    rf"[ {_MARKS}]*[:：][ \t{_MARKS}(\[]*{_ABOUT}$",
    re.IGNORECASE,
)
_NO_LABEL = re.compile(
    r"\b(?:not|no|never|wrong|incorrect|maybe|if|when|unless|or|options?|choices|between|example|input"
    r"|question|explanation|reason(?:ing)?|ignore|previous|step)\b",
    re.IGNORECASE,
)
_NO_NUMBER_LABEL = re.compile(
    r"\b(?:error|https?|status|version|step|page|attempt|note|ref|source|chapter|isbn|tel|phone|section|line)\b",
    re.IGNORECASE,
)
_BOX = re.compile(r"\\(?:boxed|fbox)\{\s*(?:\\(?:text|mathrm|textbf|mathbf)\{)?\s*\\?[$£€]?[-+−]?$")
_BOX_END = re.compile(r"[\s$*_.]*\}")
_LINE_END = re.compile(r"[ \t.*_$]*(?:\n|$)")
_GSM = re.compile(r"(?:^|\n)[ \t]*####[ \t]*[$€£]?[-+−]?$")
_BEHIND = re.compile(
    r"(?:[*_`\"'”’»」』)}\]$\u200b\u200c\u200d\ufeff]|\\[)\]])*[ \t\u00a0]*+"
    r"(?:$|[.,;:!…\n。，、；！：।،؛](?!\d)|[—–]|-\s|[(（\[](?!s\))"
    rf"|(?-i:[{SIGNS}])"
    r"|(?:because|since|given|in\s+(?:all|total)|of\s+(?:them|these|those)|altogether|overall|indeed|weil|da(?=\s)"
    r"|parce|car(?=\s)|porque|perché|omdat|ponieważ|потому|çünkü|eftersom)\b"
    r"|(?:is|was)\s+(?:the|my|also)?\s*(?:(?:final|correct|right|best)\s+)?(?:answer|choice|result|one|correct|right)\b"
    r"|입니다|이다|이에요|예요|です|だ(?!\w)|है|होगा|olur\b|dır\b|dir\b)",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b(?:there\s+(?:are|is|were|was)|(?:i|we)\s+(?:count|counted|see|found|find)"
    r"|(?<!\banswer\s)(?<!\bresult\s)(?<!\bnumber\s)(?:has|have|had|contains?|includes?|holds?|comprises?|consists?\s+of))\s+"
    r"(?:(?:exactly|only|about|around|approximately|roughly|a\s+total\s+of)\s+)*[*_`]*$",
    re.IGNORECASE,
)
_THINGS = re.compile(
    r"[*_`]*\s+[^\W\d_]{3,}(?:\s+[^\W\d_]{3,}){0,2}(?:\s+(?:in|on|of|at)\s+[^.,;:!?\n]{1,60})?\s*[.!]?\s*$",
    re.IGNORECASE,
)
_NO_COUNT = frozenset(
    ["per", "each", "every", "or", "more", "less", "fewer", "times", "than", "to"]
)
_LETTERS = re.compile(
    r"[*_`]*\s+[\"'“‘`*]*\w{1,2}[\"'”’`*]*s?(?:\s+in\s+[^.,;:!?\n]{1,60})?\s*[.!]?\s*$",
    re.IGNORECASE,
)
_NO_THINGS = Vocabulary(
    "km meter meters metre metres mile miles feet foot inch inches yard yards gram grams",
    "kilogram kilograms kilometer kilometers kilometre kilometres centimeter centimeters liter",
    "liters litre litres pound pounds ounce ounces ton tons tonne tonnes gallon gallons second",
    "seconds minute minutes hour hours day days week weeks month months degree degrees dollar",
    "dollars euro euros cent cents usd eur gbp yen rupee rupees byte bytes bit bits hertz watt",
    "watts volt volts minuten stunden tage wochen monate sekunden heures jours mois semaines",
    "horas días meses dias ore giorni mesi uur dagen maanden godzin dni минут часов дней недель",
    "месяцев more less fewer times percent squared cubed and or than too plus minus over under",
    "out per each every ago later earlier early late moment please possible guess guesses is",
    "was are were be why how which that who been has have had can will would should could may",
    "might not error wrong false true",
)
"""What is no count of things behind a number: measures, which could be others, and verbs."""

_SENTIMENT = re.compile(
    r"[*_`\"'”’]*\s+(?:sentiment|tone|review|opinion|polarity|emotion|mood|stance|attitude|priority|urgency"
    r"|severity|category|class|label|risk|level|rating|feeling|intent)[*_`]*\s*(?:[.!\n]|$)",
    re.IGNORECASE,
)
"""What an adjective may belong to that is the answer: `a negative review`."""

_HAS = re.compile(
    r"(?:^|\s)(?:has|have|is|expresses|shows|conveys|reflects|indicates|displays|carries)\s+(?:an?\s+|the\s+)?"
    rf"(?:(?:very|clearly|overall|mostly|strongly|generally)\s+)*[{_MARKS}]*$",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"\)\s+[^\s()]")
_ARTICLE = re.compile(r"\b(?:an?|the)\s+$", re.IGNORECASE)  # `a 5 digit number`
_SETS_APART = re.compile(r"(?:\*\*|__|`)$")
_LETTER = 2  # characters of a choice that a bracket may follow: `B) Paris`
_WINDOW = 160  # characters in front of an answer, and behind it, that are looked at


def boxed(text: str, span: Extent) -> bool:
    """Whether a span is all of a LaTeX box, or of the line behind the `####` of a sum."""
    before = text[max(0, span[0] - _WINDOW) : span[0]]
    if _BOX.search(before):
        return _BOX_END.match(text, span[1]) is not None
    return _GSM.search(before) is not None and _LINE_END.match(text, span[1]) is not None


def placed(text: str, sentence: Extent, span: Extent) -> bool:
    """Whether what stands at `span` is what its sentence is there to say."""
    if boxed(text, span):
        return True
    start = max(sentence[0], span[0] - _WINDOW)
    before = _lead_in(text[start : span[0]])
    behind = text[span[1] : span[1] + _WINDOW]
    number = text[span[0] : span[1]][-1:].isdigit()
    rest = behind[: max(0, sentence[1] - span[1])]
    whole = start == sentence[0] and _LEAD.fullmatch(before) is not None
    if number and _counted(before, rest):
        return True
    if _BEHIND.match(behind) or (span[1] - span[0] <= _LETTER and _BRACKET.match(behind)):
        leads = whole or _is_linked(before) or _is_labelled(before, number=number)
        return leads or _is_bold(before) or answered(text, start, span[0])
    if number:
        return (
            _is_count(rest)
            and not _ARTICLE.search(before)
            and (whole or _is_labelled(before, number=True) or _is_linked(before))
        )
    # `**5** km` is no 5, but `**bug** fits best` is a bug.
    apart = _is_bold(before) and behind[:1] in {"*", "_", "`"}
    return apart or (_SENTIMENT.match(behind) is not None and (whole or bool(_HAS.search(before))))


def _lead_in(before: str) -> str:
    """What stands in front of an answer, less the signs that belong to it: `$`, `-`, LaTeX's."""
    kept = before.rstrip("-−–+").rstrip("$€£¥~ \t")
    kept = kept.removesuffix("\\(").removesuffix("\\[")
    kept = kept.rstrip("$ \t")
    return kept + " " * (len(before) > len(kept))


def _counted(before: str, rest: str) -> bool:
    """Whether things are counted: `There are 7 apples in the box`, `it has 3 'r's`."""
    if not _COUNTED.search(before) or not _NO_COUNT.isdisjoint(words_of(rest)):
        return False
    return (_THINGS.match(rest) or _LETTERS.match(rest)) is not None


def _is_count(rest: str) -> bool:
    """Whether a number is the number of what stands behind it: `5 red apples`, `42 years old`."""
    return _THINGS.match(rest) is not None and not _NO_THINGS.any_of(words_of(rest))


def _is_linked(before: str) -> bool:
    """Whether `is`, or a word like it, stands in front, with nothing but articles between."""
    if _COPULA.search(before):
        return True
    words = list(WORD.finditer(before.lower()))
    if not words or not _TAIL.match(before, words[-1].end()):
        return False
    said = [word[0] for word in words]
    while said and said[-1] in _FILLING:
        said.pop()
    return bool(said) and said[-1] in COPULA and said[-1] != "be" and said[-2:-1] != ["i"]


def _is_bold(before: str) -> bool:
    return _SETS_APART.search(before) is not None


def _is_labelled(before: str, *, number: bool) -> bool:
    """`Total: `, `**Answer:** `; an error's code or a page is no answer."""
    label = _LABEL.search(before)
    if label is None:
        return False
    said = label["label"] or label["name"]
    return not (_NO_LABEL.search(said) or (number and _NO_NUMBER_LABEL.search(said)))
