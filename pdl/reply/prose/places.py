"""Where in a sentence an answer stands.

A word or a number amid a sentence is seldom an answer: `I give up on that`, `it took 3 minutes`.
It is one if it is the whole sentence but for a plain lead-in (`So the total is 7`), or if it is
set apart by a label, bold type, quotation marks or a box.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pdl.reply.prose.marks_old import answered
from pdl.reply.prose.namings import COPULA
from pdl.reply.prose.owners import SPEAKERS
from pdl.reply.prose.vocabulary import WORD, Vocabulary, words_of

if TYPE_CHECKING:
    from pdl.reply.result import Span

_MARKS = r"*_`\"'“”‘’«»「」『』"
SIGNS = "\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff\ufe0f"
"""Arrows and pictures."""

_OPENING = rf"(?-i:[\s>#{_MARKS}(\[{{|•{SIGNS}–-]*+)(?>(?:\(?\d{{1,3}}[.)]\s+)?)[{_MARKS}(]*+"
_FILLERS = (
    r"(?>(?:(?:(?:well|oh|ah)(?:[,.…]|\.\.\.)|(?:so|thus|hence|therefore|ok|okay|sure|overall|finally|clearly"
    r"|in\s+total|in\s+short|in\s+summary|in\s+brief|briefly|simply\s+put|put\s+simply|honestly|oh|yes"
    r"|to\s+summarize|in\s+conclusion|unfortunately|fortunately|sadly|okay\s+then|in\s+my\s+(?:opinion|view)"
    r"|of\s+course|certainly|based\s+on\s+[^,\n]{1,60}+)[,:!]?)\s+)*)"
)
_LEAD = re.compile(
    rf"{_OPENING}{_FILLERS}"
    r"(?>(?:(?:about|approximately|around|roughly|exactly|precisely|only|just|option|choice|number|total|score"
    r"|definitely|certainly|clearly|mostly|mainly|predominantly|overwhelmingly|strongly|very|highly|an?|the"
    r"|etwa|ungefähr|genau|environ|aproximadamente|circa|ongeveer|około|примерно|yaklaşık|ungefär)\s+)*)"
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
    r"(?>(?:\s+(?:an?|the|definitely|clearly|simply|just|therefore|indeed|exactly|precisely|about|approximately"
    r"|around|roughly|equal\s+to|only|overall|predominantly|mostly|mainly|strongly|very\s+clearly|option|category"
    r"|label|number|score))*)"
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

_TAIL = re.compile(rf"[\s{_MARKS}(\[{{$\\]*$")
_ABOUT = r"(?:(?:about|around|approximately|roughly|exactly|only)\s+)?"
_LABEL = re.compile(
    rf"(?:^|\n)(?-i:[ \t>#|•{SIGNS}{_MARKS}-]*+)(?>(?:\d{{1,3}}[.)]\s+)?)"
    rf"(?P<label>[^\n:：]{{1,60}}?)[ {_MARKS}]*[:：][ \t{_MARKS}(\[]*{_ABOUT}$"
    rf"|\b(?P<name>answer|result|total|verdict|classification|choice|sentiment|score|rating|label|category|output)"
    rf"[ {_MARKS}]*[:：][ \t{_MARKS}(\[]*{_ABOUT}$",
    re.IGNORECASE,
)
_NO_LABEL = re.compile(
    r"\b(?:not|no|never|wrong|incorrect|maybe|if|when|unless|or|options?|choices|between|examples?|input"
    r"|question|explanation|reason(?:ing)?|ignored?|previous|step"
    # ruled out
    r"|excluded?|eliminated?|ruled\s+out|rule\s+out|avoid|removed?|rejected?|dismiss\w*|discard\w*|drop(?:ped)?|skip(?:ped)?"
    r"|except|unlike|considered|disputed|opposite|worst|least|distractor|trap|mistake|false"
    # another one, or for a while
    r"|expected|reference|gold|ground\s+truth|target|sample|current|existing|initial|original|draft|default|suggest\w*"
    r"|alternativ\w*|second|runner[\s-]?up|next|random|guess|also|old|former|tentative|provisional|placeholder"
    # what is said of the answer, or asked
    r"|format|template|schema|definition|keywords?|title|translation|thought|observation|task|prompt"
    r"|instructions?|q|says|said|states|stated|reads|wrote|writes|replied|answered|claims|claimed)\b",
    re.IGNORECASE,
)
_NO_NUMBER_LABEL = re.compile(
    r"\b(?:error|https?|status|version|step|page|attempt|note|ref|source|chapter|isbn|tel|phone|section|line"
    r"|limit|timeout|tokens?|seed|retr(?:y|ies)|latency|temperature\s+setting|subtotal|partial|(?:so|thus)\s+far|running"
    r"|incorrect|wrong|missing|count\s+[a-z]|max(?:imum)?|min(?:imum)?|let\s+\w+)\b",
    re.IGNORECASE,
)
_SURENESS = re.compile(r"\b(?:confidence|certainty)\b", re.IGNORECASE)
_POINT = re.compile(r"[.,]")
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
    "might not error wrong false true basis percentage dozens tens hundreds thousands scores",
    "couples pairs trios grands lots kilos tenths thirds quarters fifths halves hundredths pesos",
    "rubles roubles francs dinars dirhams crowns shillings kronor mins secs hrs lbs yrs calories",
    "joules newtons pascals amps teaspoons tablespoons cups docenas decenas centenas dezenas",
    "acres hectares knots ohms carats furlongs fathoms decades centuries deviations bucks",
    "reams bushels",
    "dúzias dozzine douzaines dizaines centaines milliers cientos others",
)
"""What is no count of things behind a number: measures, which could be others, and verbs."""

_PEOPLE = Vocabulary(
    "people men women children persons mice geese teeth fish sheep deer police staff data criteria",
    "phenomena alumni cacti fungi cattle aircraft species series",
)
_VOWELS = frozenset("aeiouáéíóúàèäöüãõ")
_SCALES = re.compile(r"[a-z]{0,6}[iy]ll?[hijy]?(?:on|oen|oõ|õ|ard|ar)|mil[eh]?s?$|d[uo][uo]?[tzc]")
_MULTIPLE = re.compile(
    r"[*_`]*\s*+(?:(?:tsd|tys|tausend|tusen|tusind|duizend|mila|ribu|juta|triệu|nghìn|ngàn|tỷ|bin|ezer|mii|grand)\b"
    r"|[^\W\d_]{0,6}[iyí]l+[^\W\d_]?(?:on|oen|ões|ard|ar|ió)|тис|тыс|мільй|мільяр|χιλι|εκατομ|ألف|آلاف|مليون|ملايين"
    r"|אלף|מיליון|พัน|หมื่น|แสน|ล้าน|हज़ार|लाख|करोड़|ダース)",
    re.IGNORECASE,
)
"""Words that multiply a number, in some languages."""

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
_TALKED_OF = re.compile(
    r"\b(?:consider(?:ed|ing)?|reject(?:ed)?|mention\w*|contains?|contained|words?|term|phrase|appears?|writes?|wrote|options?"
    r"|choices|removed?|excluded?|eliminat\w+|ruled\s+out|dismiss\w*|discard\w*|replaced?|apply|apart\s+from|besides)\b",
    re.IGNORECASE,
)
_CLASSED = re.compile(
    r"(?:^|(?P<who>[\w’']+)\s+)(?:\w+ly\s+)?(?:classif|categori|label|rate|tag|mark)[a-z]*\b",
    re.IGNORECASE,
)
_OWN = Vocabulary(
    "i we i'd we'd i'll we'll i’d we’d i’ll we’ll i've i’ve would will should be is are been being",
    "can must to and therefore so then have has as am was were hereby best do did does thus",
    "it this",
)
"""What stands in front of `classify as` if the model does."""

_DECOYS = Vocabulary(
    "mistake mistakes trap traps distractor distractors decoy misconception opposite",
    "exception worst",
    "runner-up alternative error errors fallacy temptation pitfall",
)
_SPELLED = re.compile(r"\b(?P<word>[a-z]{3,9})[*_]*\s*\($", re.IGNORECASE)
_WORDS = {
    word: value
    for value, word in enumerate(
        (
            *(
                "zero",
                "one",
                "two",
                "three",
                "four",
                "five",
                "six",
                "seven",
                "eight",
                "nine",
                "ten",
            ),
            *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
            *("eighteen", "nineteen", "twenty"),
        )
    )
}
_DIGITS = 2
_LETTER = 2  # characters of a choice that a bracket may follow: `B) Paris`
_WINDOW = 160  # characters in front of an answer, and behind it, that are looked at


def boxed(text: str, span: Span) -> bool:
    """Whether a span is all of a LaTeX box, or of the line behind the `####` of a sum."""
    before = text[max(0, span[0] - _WINDOW) : span[0]]
    if _BOX.search(before):
        return _BOX_END.match(text, span[1]) is not None
    return _GSM.search(before) is not None and _LINE_END.match(text, span[1]) is not None


def placed(text: str, sentence: Span, span: Span) -> bool:
    """Whether what stands at `span` is what its sentence is there to say."""
    if boxed(text, span):
        return True
    start = max(sentence[0], span[0] - _WINDOW)
    before = _lead_in(text[start : span[0]])
    behind = text[span[1] : span[1] + _WINDOW]
    number = text[span[0] : span[1]][-1:].isdigit()
    if number and behind.startswith(")"):
        before, behind = _unspelled(before, text[span[0] : span[1]]), behind[1:]
    rest = behind[: max(0, sentence[1] - span[1])]
    whole = start == sentence[0] and _LEAD.fullmatch(before) is not None
    if number and _counted(before, rest):
        return True
    if _BEHIND.match(behind) or (span[1] - span[0] <= _LETTER and _BRACKET.match(behind)):
        exact = number and not _POINT.search(text, *span)
        leads = whole or _is_linked(before) or _is_labelled(before, number=number, exact=exact)
        return leads or _is_bold(before, rest) or answered(text, start, span[0])
    if number:
        return (
            _is_count(rest)
            and not _ARTICLE.search(before)
            and (whole or _is_labelled(before, number=True, exact=True) or _is_linked(before))
        )
    # `**5** km` is no 5, but `**bug** fits best` is a bug.
    apart = _is_bold(before, rest) and behind[:1] in {"*", "_", "`"}
    return apart or (_SENTIMENT.match(behind) is not None and (whole or bool(_HAS.search(before))))


def _lead_in(before: str) -> str:
    """What stands in front of an answer, less the signs that belong to it: `$`, `-`, LaTeX's."""
    kept = before.rstrip("-−–+").rstrip("$€£¥~ \t")
    kept = kept.removesuffix("\\(").removesuffix("\\[")
    kept = kept.rstrip("$ \t")
    return kept + " " * (len(before) > len(kept))


def _unspelled(before: str, number: str) -> str:
    """What stands in front of `five (5)`, if the word and the number are the same."""
    found = _SPELLED.search(before)
    if not found or not number.isascii() or not number.isdigit():
        return before
    same = _WORDS.get(found["word"].lower()) == int(number[:_DIGITS])
    return before[: found.start("word")] if same and len(number) <= _DIGITS else before


def _counted(before: str, rest: str) -> bool:
    """Whether things are counted: `There are 7 apples in the box`, `it has 3 'r's`."""
    if (
        not _COUNTED.search(before)
        or _MULTIPLE.match(rest)
        or not _NO_COUNT.isdisjoint(words_of(rest))
    ):
        return False
    return (_THINGS.match(rest) or _LETTERS.match(rest)) is not None


def _is_count(rest: str) -> bool:
    """Whether a number is the number of what stands behind it: `5 red apples`, `42 years old`."""
    words = words_of(rest)
    return (
        _THINGS.match(rest) is not None
        and not _NO_THINGS.any_of(words)
        and not any(map(_SCALES.match, words[:3]))
        and any(map(_is_plural, words[:3]))
    )


def _is_plural(word: str) -> bool:
    """Whether a word is one for several things in English, or like it: others may be a measure.

    `5 juta` and `5 tusen` count nothing, but multiply.
    """
    several = word.endswith("s") and not word.endswith("ss") and not _VOWELS.isdisjoint(word)
    return several or word in _PEOPLE


def _is_linked(before: str) -> bool:
    """Whether `is`, or a word like it, stands in front, with nothing but articles between."""
    if _DECOYS.any_of(words_of(before)):
        return False
    linked = _COPULA.search(before)
    if linked:
        return not _is_classed_by_another(before, linked.start())
    words = list(WORD.finditer(before.lower()))
    if not words or not _TAIL.match(before, words[-1].end()):
        return False
    said = [word[0] for word in words]
    while said and said[-1] in _FILLING:
        said.pop()
    return bool(said) and said[-1] in COPULA and said[-1] != "be" and said[-2:-1] != ["i"]


def _is_classed_by_another(before: str, at: int) -> bool:
    """`The reporter classified it as`: another one did."""
    word = before.rfind(" ", 0, max(0, at - 1)) + 1
    if before[word:at].rstrip().endswith("ly"):
        word = before.rfind(" ", 0, max(0, word - 1)) + 1
    found = _CLASSED.match(before, word)
    return found is not None and bool(found["who"]) and found["who"].lower() not in _OWN


def _is_bold(before: str, rest: str) -> bool:
    """Whether a word is set apart, and not only talked about: `the word **bug** appears`."""
    if not _SETS_APART.search(before):
        return False
    return not (_TALKED_OF.search(before) or _TALKED_OF.search(rest))


def _is_labelled(before: str, *, number: bool, exact: bool) -> bool:
    """`Total: `, `**Answer:** `; an error's code or a page is no answer."""
    label = _LABEL.search(before)
    if label is None:
        return False
    said = label["label"] or label["name"]
    if _NO_LABEL.search(said) or SPEAKERS.any_of(
        words_of(said.replace("'s", "").replace("’s", ""))
    ):
        return False
    if exact and _SURENESS.search(said):
        return False
    return not (number and _NO_NUMBER_LABEL.search(said))
