"""Words with which a model says that it left something out, in many languages."""

from __future__ import annotations

import re
from functools import lru_cache

from pdl.reply.prose.delayed import Delayed
from pdl.reply.prose.shortfalls import falls_short
from pdl.reply.prose.vocabulary import Hints, Vocabulary, behind, words_of

ELLIPSIS = r"(?:\.{3,}|…+|。{3,}|‥+)"

_LEFT_OUT = Vocabulary(
    "omitted omit omitting truncated elided abbreviated abridged shortened skipped snipped",
    "ausgelassen weggelassen gekürzt gekuerzt abgeschnitten abgekürzt übersprungen omis omise",
    "omises omettre tronqué tronquée abrégé abrégée raccourci omitid- omitim- omití truncad-",
    "abreviad- recortad- acortad- suprimid- omess- omett- troncat- abbreviat- accorciat-",
    "weggelaten ingekort afgekapt overgeslagen pominięt- skrócon- obcięt- опущен- сокращен-",
    "сокращён- пропущен- обрезан- kısaltıl- atland- çıkarıl- utelämn- förkorta- avkorta-",
    "udelad- forkort- vynechán- zkrácen- vypuštěn- пропущено скорочен- опущено kihagy- jätetty",
    "omis- παραλείπ- παραλείφ- הושמט- قوص محذوف- اختصار dihilangkan dipotong lược",
)
_REST = Vocabulary(
    "rest remaining remainder other others more further additional restlich- übrig- weitere",
    "weiteren weiterer andere anderen reste restant- autre autres suivant- resto restantes",
    "otros otras demás más siguientes outros outras demais mais altri altre rimanent- overige",
    "overig meer pozostał- inne kolejn- reszta остальн- остаток другие ещё diğer kalan geri",
    "övriga återstående resten fler andra øvrige ostatní zbytek zbývající další решта інші",
    "többi muut loput υπόλοιπ- השאר باقي البقية المزيد शेष बाकी अन्य sisanya lainnya",
)
_REST_ITSELF = Vocabulary(
    "rest remainder others reste resto reszta остаток resten zbytek решта loput többi sisanya",
)
_THINGS = Vocabulary(
    "item items entry entries element elements record records row rows field fields value",
    "values object objects result results line lines key keys property properties task tasks",
    "step steps one ones data list array json output code einträge einträgen elemente elementen",
    "zeilen felder daten objekte werte datensätze éléments entrées lignes champs valeurs objets",
    "données élément- elementos entradas filas campos valores objetos datos registros itens",
    "linhas dados elementi voci righe campi valori oggetti dati velden rijen regels gegevens",
    "elementy elementów pozycje wiersze pola wpisy dane записи записей элементы элементов",
    "строки поля данные объекты значения kayıtlar öğeler satırlar alanlar veriler poster rader",
    "fält položky záznamy řádky prvky рядки елементи tételek rivit στοιχεία",
)
_FILLING = Vocabulary(
    "and plus the of all these those here there follow follows following go goes same as needed",
    "for so on with continue continues repeat add your in is are was were be been has have will",
    "would similarly likewise similar pattern above before below brevity remain existing",
    "unchanged und die der das den hier folgen etc y los las de et les des le la e o a i gli en",
    "van het och и do todo fixme not shown included listed displayed",
)
_KNOWN = (_REST, _THINGS, _FILLING, _LEFT_OUT)
_AND_SO_ON = Delayed(
    r"(?:and\s+)?(?:so\s+(?:on|forth)|etc|et\s?cetera)|(?:to\s+be\s+)?continued|usw|u\.\s?s\.\s?w|und\s+so\s+(?:weiter|fort)"
    r"|et\s+ainsi\s+de\s+suite|y\s+así\s+sucesivamente|e\s+assim\s+por\s+diante|e\s+così\s+via|ecc"
    r"|enz|enzovoorts?|en\s+zo\s+(?:verder|voort)|i\s+tak\s+dalej|itd|itp|и\s+так\s+далее"
    r"|и\s+т\.?\s?[дп]|ve\s+(?:benzeri|saire|diğerleri)|vb|och\s+så\s+vidare|o\.?\s?s\.?\s?v"
    r"|og\s+så\s+videre|a\s+tak\s+dále|atd|і\s+так\s+далі|і\s+т\.?\s?[дп]|és\s+így\s+tovább|stb"
    r"|ja\s+niin\s+edelleen|jne|și\s+așa\s+mai\s+departe|κ\.?\s?λ\.?\s?π|וכן\s+הלאה|וכו['׳]?"
    r"|إلخ|الخ|وهكذا|इत्यादि|आदि|v\.v|dan\s+seterusnya|dst|dll|等等?|などなど|など|등등?|기타",
)
_CUT = re.compile(
    r"(?:以下|以降|其余|其餘|剩余|剩餘|残り|中間?|后面|後面|나머지|이하|중간|为了简洁|為了簡潔)?[^\w\n]{0,2}"
    r"(?:部分|内容|代码|代碼|コード|は|은|는|를|을|코드)?[^\w\n]{0,2}"
    r"(?:省略|略(?!図|語|记|称)|생략|同様|同上|동일|不变|不變|变わらず|以下同)"
    r"|其他(?:项目|字段|数据|条目|代码|内容)|更多(?:项目|数据|条目|内容)|その他の(?:項目|フィールド|データ)|他の項目"
    r"|나머지\s*(?:항목|필드|데이터|코드)|기타\s*항목"
)
"""The same in scripts without blanks."""

_COUNTED = Delayed(
    r"\b\d+\s+(?:more|others?|additional|remaining|weitere\w*|autres?|más|otros|mais|outros|altr[ie]"
    r"|meer|więcej|innych|ещё|еще|других|daha|diğer|fler|till|další\w*|інших)\b",
)
_REMAINING = Delayed(
    r"\b(?:remaining|other|missing|next)\s+\d+(?:\s+(?:items?|entries|rows?|records?|elements?|results?|lines?|objects?|ones))?"
    r"(?=\s*(?:[.,;:!?)]|$)|\s+(?:too|as\s+well|also|now|if|in\s+(?:a|the|my|another))\b)",
)
"""So many that a list has not, when nothing else is counted: `the remaining 19`."""

_SAME = Delayed(
    r"(?:the\s+)?same\s+(?:\w+\s+)?(?:as\s+(?:above|before)|for\s+(?:the\s+)?(?:rest|others?|all))\b"
    r"|\brepeat\s+(?:\w+\s+)?for\s+(?:all|each|every|the)\b|\bplaceholder\b",
)
_EDGES = " \t\r\n.…,;:!*_-–—/#<>()[]{}`\"'（）［］【】。、"
_OPENING = re.compile(rf"[\[(<{{/*#\s（]*{ELLIPSIS}")
_TRAILING = re.compile(rf"{ELLIPSIS}\W*$")
_NEGATED = Delayed(
    r"\b(?:no|nothing|none|never|without|complete|completely|full|neither|nor|keine?\w*|nichts?|sin|sans"
    r"|aucune?|ninguna?|nessun\w*|geen|żadn\w+)\b|\bnot\s+(?:been\s+)?(?:omitted|truncated|abbreviated"
    r"|shortened|skipped|partial)|n['’]t\s+(?:\w+\s+)?(?:omit|truncat|shorten|skip)|\bнет\b|\bничего\b"
    r"|没有|沒有|未省略|ありません|없",
)
_EXCUSED = Delayed(
    r"\bnot\s+(?:\w+\s+){0,2}(?:mentioned|present|given|available|provided|found|specified|stated|known"
    r"|applicable|needed|required|relevant|in\s+the|part)\b|\b(?:optional|null|empty|unknown|missing"
    r"|irrelevant|duplicates?|invalid|blank)\b|\bas\s+(?:you\s+)?(?:requested|asked|instructed)\b"
    r"|n['’]t\s+(?:\w+\s+){0,2}(?:mention|specif|includ|provid|stat|given)",
)
_TOLD = Delayed(
    r"\b(?:for|of)\s+brevity\b|\bto\s+(?:save|conserve)\s+space\b|\bfor\s+space\b"
    r"|\bdue\s+to\s+(?:length|space|size)\b|\b(?:length|token|output|size)\s+(?:limit|constraint)"
    r"|\b(?:only|just)\s+(?:the\s+)?(?:first|last|top|some|a\s+few)\b[^.\n]{0,40}"
    r"\b(?:shown|listed|included|displayed|given)\b"
    r"|\b(?:only|just)\s+(?:included?|list(?:ed)?|show[ns]?|extract(?:ed)?)\s+(?:the\s+)?(?:first|some|part|a\s+few)\b"
    r"|\b(?:included|listed|shown|extracted)\s+(?:only|just)\s+(?:the\s+)?(?:first|some|part|a\s+few)\b"
    r"|\b(?:showing|shown|listed|displaying)\s+(?:here\s+)?(?:only\s+)?(?:the\s+)?(?:first\s+)?\d+\s+(?:out\s+)?of\b"
    r"|\b(?:list|array|output|data|table|json|pattern|response)\s+(?:continues|goes\s+on)\b"
    r"|\b(?:partial|incomplete|truncated|abbreviated|abridged|shortened)\s+(?:list|output|json|array|data"
    r"|response|result|answer|version|sample)\b"
    r"|\bto\s+be\s+continued\b|\bcontinued?\s+(?:in|below)\s+(?:the\s+|my\s+)?next\b"
    r"|\bcontinue\s+with\s+(?:the\s+)?(?:rest|remaining|next|others?)\b"
    r"|\b(?:others?|remaining|rest|more)\b[^.\n]{0,40}\bfollow(?:s|ing)?\s+the\s+same\b"
    r"|(?:残り|以下|以降|其余|其餘|剩余|剩餘|其他|后面|나머지|이하|다른)[^\n。]{0,12}(?:省略|略|생략)",
)
_OUTPUT = Vocabulary(
    "list output array json response data answer result table ausgabe liste sortie",
)
_HINTS = Hints(
    *_LEFT_OUT.parts,
    "brevity",
    "space",
    "due to",
    "limit",
    "constraint",
    "only",
    "just",
    "included",
    "listed",
    "shown",
    "showing",
    "displaying",
    "continue",
    "goes on",
    "remaining",
    "other ",
    "missing",
    "next ",
    "partial",
    "incomplete",
    "pattern",
    "structure",
    "省略",
    "略",
    "생략",
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|[\n。！？]+")
_STOP = re.compile(r"\n[ \t>]*(?:(?:`{3,}|~{3,})[ \t]*\w|[{[]\s*[\"'{\[\d\n])")
_FEW = 12  # words of a remark that is about nothing but what is missing
_LONGEST = 300  # characters of a remark
_CLOSERS = 40  # characters in which the brackets around a list are closed
_WINDOW = 600  # characters behind an answer that are looked at


@lru_cache(maxsize=256)
def leaves_out(remark: str) -> bool:
    """Whether a remark amid data, such as a comment, stands for data that is not there.

    `... other items`, `rest omitted`, `45 more rows`, `etc.`; a note on data beside it does not.
    """
    return _OPENING.match(remark.lstrip("/#*<!-;% \t")) is not None or _is_remark(remark)


def stands_for_more(item: str) -> bool:
    """Whether an item of a list is none, but stands for others: `...`, `etc.`, `3 more tasks`."""
    opening = _OPENING.match(item)
    rest = item[opening.end() :] if opening else item
    bare = rest.strip(_EDGES)
    if not bare:
        return bool(opening)
    if len(bare) > _LONGEST or _AND_SO_ON.fullmatch(bare) or _CUT.fullmatch(bare):
        return len(bare) <= _LONGEST
    words = words_of(bare)
    return len(words) <= _FEW and (_is_rest(bare, words) or (bool(opening) and _is_remark(bare)))


def _is_remark(remark: str) -> bool:
    bare = remark.strip(_EDGES)
    if len(remark) > _LONGEST:
        return False
    if not bare:
        return _TRAILING.search(remark) is not None
    if _AND_SO_ON.fullmatch(bare) or _CUT.fullmatch(bare):
        return True
    words = words_of(bare)
    if not words or len(words) > _FEW or _NEGATED.search(remark):
        return False
    told = _LEFT_OUT.any_of(words) or any(p.search(remark) for p in (_CUT, _TOLD, _COUNTED, _SAME))
    return told or _is_rest(remark, words)


def _is_rest(remark: str, words: list[str]) -> bool:
    """Whether words are about the rest, and nothing else: `more items here`."""
    if not _REST.any_of(words):
        return False
    if _TRAILING.search(remark):
        return True
    known = all(any(word in kind for kind in _KNOWN) for word in words)
    return known and (_THINGS.any_of(words) or _REST_ITSELF.any_of(words))


def left_out_behind(text: str, at: int, *, listed: bool = False) -> tuple[int, int] | None:
    """Where the words behind an answer, which ends at `at`, say that it is not all of it.

    `listed`: it is a list, though no bracket says so.
    """
    stop = _STOP.search(text, at, at + _WINDOW)
    window = text[at : stop.start() if stop else at + _WINDOW]
    body = window.lstrip(" \t\r\n`~,;)")
    start = at + len(window) - len(body)
    line = body.partition("\n")[0].strip()
    if line and _is_said_at_once(line):
        return start, start + len(line)
    is_list = listed or text[at - 1 : at] == "]"
    if is_list and (found := _short(body)):
        return start + found[0], start + found[1]
    low = "" if _HINTS.absent(behind(text, at)) else body.lower()
    if low and _HINTS.in_text(low):
        listed = listed or text[max(0, at - _CLOSERS) : at].rstrip("} \t\r\n").endswith("]")
        for sentence in _SENTENCE.split(body):
            if _tells(sentence) or (listed and _counts_more(sentence)):
                return start, start + len(sentence)
    return None


def _short(body: str) -> tuple[int, int] | None:
    """Where the words behind a list say that there is more."""
    at = 0
    for sentence in _SENTENCE.split(body):
        at = body.find(sentence, at)
        if sentence and falls_short(sentence):
            return at, at + len(sentence)
    return None


def _counts_more(sentence: str) -> bool:
    """Whether a sentence behind a list speaks of so many more: they are not in it."""
    found = _REMAINING.search(sentence)
    return found is not None and not (_NEGATED.search(sentence) or _EXCUSED.search(sentence))


def _is_said_at_once(line: str) -> bool:
    """Whether the first line behind an answer goes on with it: `...`, `etc.`, `(truncated)`."""
    opening = _OPENING.match(line)
    if opening:
        rest = line[opening.end() :].strip(_EDGES)
        return not rest or _is_remark(rest)
    if line[0] in "([<（［【/#":
        return _is_remark(line)
    bare = line.strip(_EDGES)
    return bool(bare) and (_AND_SO_ON.fullmatch(bare) or _CUT.fullmatch(bare)) is not None


def _tells(sentence: str) -> bool:
    """Whether a sentence of prose says that an answer is not whole."""
    if _NEGATED.search(sentence) or _EXCUSED.search(sentence):
        return False
    if _TOLD.search(sentence):
        return True
    words = words_of(sentence)
    said = next((i for i, word in enumerate(words) if word in _LEFT_OUT), None)
    if said is None:
        return False
    about = _REST.any_of(words) or _OUTPUT.any_of(words[:said])
    return about or _COUNTED.search(sentence) is not None
