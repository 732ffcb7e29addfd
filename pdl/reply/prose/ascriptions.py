"""Words in front of data that say whose they are: a document's, a user's, of a former try."""

from __future__ import annotations

import re
from functools import lru_cache

from pdl.reply.prose.delayed import Delayed
from pdl.reply.prose.namings import ANSWER, FORMER, RESULT
from pdl.reply.prose.vocabulary import Vocabulary, words_of

_AGENT = (
    r"(?:users?|customers?|clients?|tools?|apis?|servers?|attackers?|e?mails?|documents?|texts?"
    r"|pages?|websites?|messages?|prompts?|instructions?"
    r"|injections?|models?|assistants?|students?|pupils?|authors?|writers?|senders?|agents?"
    r"|callers?|patients?|buyers?|sellers?|speakers?|interviewe[er]s?"
    r"|teachers?|colleagues?|bots?|llms?|ais?|persons?|man|woman|articles?|letters?|files?|logs?"
    r"|tickets?|reviews?|reviewers?|comments?|posts?|systems?"
    r"|search|queries|query|annotators?|experts?|competitors?|opponents?|others?|people"
    r"|participants?|applicants?|candidates?)"
)
_SAYS = (
    r"(?:says?|said|writes?|wrote|has\s+written|return(?:s|ed)|respond(?:s|ed)|repl(?:y|ies|ied)"
    r"|answer(?:s|ed)|sen(?:ds|t)|gives?|gave|post(?:s|ed)|claim(?:s|ed)"
    r"|stat(?:es|ed)|reads?|tells?|told|asks?|asked(?:\s+for)?|wants?|wanted|instruct(?:s|ed)"
    r"|request(?:s|ed)|demand(?:s|ed)|suggest(?:s|ed)|propos(?:es|ed)|quot(?:es|ed)"
    r"|submit(?:s|ted)|enter(?:s|ed)|typ(?:es|ed)|past(?:es|ed)|provid(?:es|ed)|suppl(?:ies|ied)"
    r"|insist(?:s|ed)|order(?:s|ed)|tries|tried|thinks?|thought)"
)
_GOES_ON = (
    r"(?:\s+(?:me|us|you|that|to|the\s+(?:model|assistant|ai)|output|return|say|answer|reply"
    r"|respond|write|print|produce|give|send|emit|with|as|back|this"
    r"|the\s+following|exactly|only|just|is|was))*"
)
_REPORTED = Delayed(
    rf"^\W*(?:(?:and|but|so|then|however|note|because|since|while|although|where)\W+)?"
    rf"(?:(?:(?:the|an?|this|that|your|his|her|their|our|some|another|one|each)\s+)?(?:(?!you\b"
    rf"|i\b|we\b|that\b|which\b)[\w-]+\s+){{0,2}}{_AGENT}(?:['’]s\s+\w+)?"
    rf"|you|he|she|they|someone|somebody|(?:an)?other\s+\w+)\s+(?:\w+ly\s+|also\s+|has\s+|had\s+"
    rf"|have\s+)?{_SAYS}{_GOES_ON}[\s*_`\"'“:：,]*$"
    rf"|^\W*i\s+(?:was|am|have\s+been|['’]m)\s+(?:\w+ly\s+)?(?:told|instructed|asked"
    rf"|ordered)\s+to{_GOES_ON}[\s*_`\"'“:：,]*$"
    r"|\b(?:in|inside|within)\s+(?:the|your|this|that)\s+(?:document|text|e?mail|message|input"
    r"|prompt|page|letter|article|file|ticket|review)\b"
    r"(?:\s+\w+){0,2}?\s+(?:there(?:['’]s|\s+(?:is|was|stands))|it\s+(?:says|reads|is|was)"
    r"|stands|we\s+(?:find|read|see))\W*$"
    r"|\b(?:instead|in\s+place|in\s+lieu)\s+of\W*$|\brather\s+than\W*$|\b(?:anstatt|statt"
    r"|anstelle\s+von|au\s+lieu\s+de|en\s+(?:lugar|vez)\s+de|em\s+vez\s+de|invece\s+di"
    r"|in\s+plaats\s+van|zamiast|вместо)\W*$"
    r"|^\W*(?:given|from|with|starting\s+(?:from|with))\s+(?:the|an?|this"
    r"|your)\s+(?:\w+\s+)?(?:list|input|array|object|data|json|values?|numbers?|record)[\s*_`]*$"
    r"|^\W*if\s+(?:\S+\s+){1,6}?(?:were|was|had|could|would)\b"
    r"|^\W*(?:das|der|die)\s+(?:dokument|text|nutzer|benutzer|kunde|e-?mail|nachricht"
    r"|tool)\w*\s+(?:sagt|sagte|schrieb|schreibt|lautet|liefert\w*|will|verlangt)\W*$"
    r"|^\W*(?:l[ea]\s+|l['’])(?:document|texte|utilisateur|client|message|e-?mail"
    r"|outil)\s+(?:dit|a\s+(?:dit|écrit|répondu)|disait|indique|demande)\W*$"
    r"|^\W*(?:el|la|o|il)\s+(?:documento|texto|usuario|usuário|utente|cliente|mensaje|correo"
    r"|testo)\s+(?:dice|dijo|escribió|diz|disse|escreveu|ha\s+(?:scritto|detto))\W*$"
    r"|^\W*(?:документ|текст|пользователь|клиент|письмо)\s+(?:гласит|говорит|сказал\w*"
    r"|написал\w*|пишет)\W*$"
    r"|(?:文档|文件|用户|客户|邮件)(?:说|写道|输入)[：:\W]*$|(?:文書|ユーザー|メール)(?:に|は)[^。\n]{0,6}(?:と(?:あ|書|言)"
    r"|言)[^。\n]{0,6}$"
)
_LABELS = Vocabulary(
    "input inputs observation observations template templates placeholder placeholders",
    "draft drafts original mock dummy sample-input eingabe- vorlage entwurf entwürfe",
    "platzhalter- plantilla borrador entrada entradas brouillon entrée gabarit rascunho",
    "bozza invoer sjabloon szablon szkic шаблон- черновик- ввод şablon taslak girdi",
    "utkast",
    "indata šablona vstup piszkozat טיוטה مسودة kladversie",
)
_LABEL_PHRASE = re.compile(
    r"(?:输入|輸入|旧答案|之前的\w{0,4}|原文|以前の\w{0,4}|草稿|模板|下書き|入力|テンプレート|ひな形|입력|초안|템플릿)[^\w\n]*$"
)
_ALONE = Vocabulary(
    "given before user human question rejected unverified tentative sketch counterexample",
    "speculation hypothetically unconfirmed discarded nutzer benutzer frage",
)
_UNMADE = Vocabulary("test dummy mock fake sample fictional hypothetical")
_BEHIND = ("anterior", "précédent", "ancien", "precedent", "vecchi", "antigu", "poprzedni")
_TRY = Vocabulary(
    "attempt attempts guess guesses idea ideas try thought thoughts draft versuch essai",
    "intento tentativa tentativo poging próba попытка",
)
_ORDINAL = Vocabulary(
    "first initial rough early earlier previous quick preliminary old erster ersten",
    "premier primer primeira primo eerste первая",
)
_FORMS = Vocabulary("format formats form shape formato formaat формат")
_FORM_ADJECTIVES = Vocabulary(
    "expected required desired requested wanted output following input target response possible"
)
_VALUES = Vocabulary(
    "value values state version versions wert- valeur- valor- valore- waarde- значени-",
    "entry contents content data",
)
_BY = Vocabulary(
    "in of from for to with using per by based following follow according matching match",
    "as like within under into on after against between via through given fill filling",
    "im aus von vom für nach mit gemäß laut als wie dans de du des pour selon avec à au",
    "comme d'après en del para según con como do da dos no na segundo com nel nella dal",
    "dalla",
    "secondo di della uit van voor volgens met z w dla według jako zgodnie в из для по",
    "согласно как från för enligt som",
)
_MADE = Vocabulary(
    "as converted parsed extracted filled processed summarized summarised transformed",
    "turned corrected normalized normalised cleaned mapped out output result results",
    "parses becomes gives yields",
)
_OBSOLETE = Delayed(
    r"[(\[,]\s*(?:now\s+|is\s+|the\s+)?(?:obsolete|outdated|superseded|rejected|withdrawn"
    r"|invalid|old|former|previous|wrong)\b"
    r"|\b(?:might|may|could)\s+look\s+like\b|^\W*(?:something\s+like|as\s+an\s+illustration)\b"
)
_OPENED = re.compile(r"[\s:：]*<[\w-]{1,40}>?[\s*_`]*$")
_TAGGED = re.compile(
    r"</?[\w-]{1,40}(?:>|$)|\|>|[\]▷]"
)  # what stands in front of it is another part
_FEW = 2  # words of a label that is nothing else


@lru_cache(maxsize=256)
def ascribed(clause: str) -> bool:
    """Whether the words in front of data say that they are somebody else's, or no answer yet.

    `The document says:`, `Input:`, `Old value:`, `If a were 1, the answer would be`; what is only
    made from such (`In the expected format:`, `The input as JSON:`) is an answer.
    """
    if "<" in clause or "|>" in clause or "]" in clause:
        clause = _TAGGED.split(_OPENED.sub("", clause))[-1]
    if not clause:
        return False
    if _LABEL_PHRASE.search(clause):
        return True
    several = " " in clause.strip() or not clause.isascii()
    if several and (_OBSOLETE.search(clause) or _REPORTED.search(clause)):
        return True
    words = words_of(re.split(r"[,，、]\s", clause)[-1])
    return bool(words) and _is_label(words)


def _is_label(words: list[str]) -> bool:
    index = next((i for i in range(len(words)) if _names_other(words, i)), None)
    if index is None:
        return len(words) == 1 and words[0] in _ALONE
    if index + 1 == len(words) and words[0] in {"given", "for"} and words[index] in _LABELS:
        return words[0] == "given"
    around = words[max(0, index - 1) : index] + words[index + 1 :]
    made = words[index] in _LABELS and _MADE.any_of(around)
    return not made and not _BY.any_of(words[:index])


def _names_other(words: list[str], i: int) -> bool:
    """Whether a word with those beside it names an input, a draft, a form or a former answer."""
    word, before, after = (
        words[i],
        words[i - 1] if i else "",
        words[i + 1] if i + 1 < len(words) else "",
    )
    if word in _LABELS or (word in _UNMADE and (after in RESULT or after in _VALUES)):
        return True
    if word in _TRY:
        return before in _ORDINAL
    if word in _FORMS:
        return not i or before in _FORM_ADJECTIVES
    if word in FORMER or word in _ORDINAL:
        alone = len(words) < _FEW and word not in {"first", "correct"}
        beside = (after, before if word not in _ORDINAL and not word.isascii() else after)
        romance = word.startswith(_BEHIND) and (before in ANSWER or before in RESULT)
        return alone or romance or any(w in ANSWER or w in RESULT or w in _VALUES for w in beside)
    return False


_OTHERS = Delayed(
    r"\b(?!(?:here|there|it|that|what|let|this|who|how|now|today)['’])\w{2,}(?:['’]s|s['’])\s"
    r"|\b(?:his|her|their)\b|\byour\s+(?:\w+\s+)?final\b"
    r"|\b(?:almost|nearly|semi|quasi|pseudo|supposed(?:ly)?|alleged(?:ly)?|so-called|presumably"
    r"|fast|beinahe|presque|casi|quase|bijna|prawie|почти|neredeyse|nästan)\b"
    r"|\b(?:was|were|used\s+to(?:\s+be)?|had\s+been|war|était|fue|era|foi|было|был[аи]?)\W*$"
    r"|(?:\b(?:is|are|was|were|been|now|be|got|gets|since|as)\s+(?:\w+\s+)?|[(\[,]\s*(?:now\s+"
    r"|is\s+)?)(?:obsolete|outdated|superseded|rejected|withdrawn|invalid|deprecated|retracted"
    r"|overruled"
    r"|abandoned|discarded|wrong|incorrect|refused|void|cancelled|replaced)\b|\bno\s+longer\b"
    rf"|\b(?:of|from|by|in|for)\s+(?:(?:the|an?|this|that|your|my|his|last|previous|another|each"
    rf"|some)\s+)*(?:\w+\s+)?(?:{_AGENT}|steps?|rounds?|runs?|stages?|phases?|years?|months?"
    rf"|weeks?|yesterday|drafts?)\b"
    r"|\baccording\s+to\b|\b(?:laut|selon|según|segundo|secondo|volgens|według|согласно)\b"
    r"|\b(?:des|der|vom|von|du|de\s+l['’]|del|dello|della|do|da|van\s+de|van\s+het)\s*(?:schüler"
    r"|student|nutzer|benutzer|kunde|autor|élève|utilisateur|client|alumn|estudiante|usuario"
    r"|usuário|alun|studente|utente|leerling|gebruiker|klant)\w*"
)


def owned(clause: str) -> bool:
    """Whether a clause that calls something final speaks of another's, or of what was so once."""
    return _OTHERS.search(clause) is not None
