"""A verdict on data right behind it, on its line: `(wrong)`, `fails validation`, `or 2`."""

from __future__ import annotations

from pdl.reply.prose.delayed import Delayed

_BAD = (
    r"(?:wrong|incorrect|invalid|false|mistaken|rejected|refused|discarded|dropped|ruled\s+out"
    r"|obsolete|outdated|old|previous|former|draft|placeholder|dummy|mock|fake|hypothetical"
    r"|example|sample|template|guess(?:ed)?|expected|original|input|before|unverified|unsure"
    r"|uncertain|tentative|error|failed|should\s+(?:be|have)|not\b|no\b|never|instead\s+of|todo"
    r"|tbd"
    r"|falsch|beispiel|entwurf|nicht|alt\b|faux|fausse|exemple|brouillon|pas\b|incorrect[oa]"
    r"|ejemplo|borrador|err(?:ado|ato)|exemplo|sbagliat\w|esempio|fout|voorbeeld|niet|błędn\w"
    r"|przykład"
    r"|неверн\w+|неправильн\w+|пример|черновик|не\b|yanlış|örnek|fel\b|exempel|错误|錯誤|错|不对|示例|例"
    r"|誤り|間違\w*|틀린|예시|오답)"
)
_BRACKETED = Delayed(
    rf"[\s*_`\"”.]{{0,6}}[(（\[][ \t]*(?:(?:an?|the|my|just|only|this\s+is|was|is|now|probably"
    rf"|still|all|first|very|rough)\s+){{0,3}}(?:{_BAD}(?!\w)|\?)"
)
_DASHED = Delayed(
    rf"[ \t*_`\"”]{{0,6}}(?:[,;]?[ \t]*(?:[—–]|-{{1,2}}|=>|[-=]+>|→|⇒|:)[ \t]*)(?:(?:an?|the"
    rf"|this|that|it|is|was|were)\s+){{0,3}}{_BAD}(?!\w)(?![ \t]+(?:but|only|missing|errors?"
    rf"|problems?|issues?))"
    r"|[ \t*_`\"”]{0,6}(?:->|=>|→|⇒)[ \t]*[\"'`]?\d|[ \t*_`\"”]{0,6}[❌✗✘🚫✖]"
)
_VERB = Delayed(
    r"[ \t*_`\"”,]{0,6}(?:which\s+|it\s+|that\s+)?(?:fails?|failed|would\s+fail|violates?"
    r"|violated|breaks|broke|lacks|contradicts|misses"
    r"|(?:is|was|were|are|has\s+been|had\s+been|got)\s+(?:\w+ly\s+|just\s+|also\s+"
    r"|first\s+)?(?:(?:an?|the|my|our|your|their|his|her)\s+)?"
    r"(?:(?:old|previous|former|original|first|initial|expected|wrong|raw|user['’]?s?|sample"
    r"|example|malformed)\s+)*"
    r"(?:rejected|refused|discarded|dropped|considered|ruled\s+out|excluded|input|draft"
    r"|placeholder|template|example|sample|guess|attempt|value|answer(?=\s+(?:of|from|by|that"
    r"|which)\b)"
    r"|what\s+(?:the\s+)?(?:user|customer|document|text|tool|attacker|he|she|they)\b"
    r"|what\s+you\s+(?:sent|wrote|gave|provided|said|had)\b|obsolete|outdated|malformed"
    r"|unacceptable|inadmissible|deprecated))\b"
    r"|[ \t*_`\"”]{0,6}(?:does|do|did|would|will|could|can|should|must|may)(?:n['’]t|\s+not|not)\b"
)
_OR = Delayed(
    r"[ \t*_`\"”,]{0,6}(?:or|oder|ou|of\s+misschien|albo|lub|или|veya|eller|または|还是"
    r"|或)\s+(?:maybe\s+|perhaps\s+|possibly\s+|even\s+|else\s+)?"
    r"(?:\d"
    r"|[\"'`“{\[]|(?:null|none|nothing|true|false|empty|neither|not|nichts|rien|nada|niente)\b)"
)
_FINE = Delayed(
    r"\W*(?:not\s+(?:only|just|bad|wrong)|no\s+(?:problem|errors?|issues?|changes?)"
    r"|example\s+output)\b"
)
_FAR = 100  # characters behind data that are looked at
_BEFORE = Delayed(
    r"(?:\beither|\b(?:considered|rejected|discarded|dropped|excluded|ruled\s+out|thought\s+of"
    r"|dismissed|tried|avoid(?:ed)?)|(?:^|[\s(])(?:no|not|never|neither|without|entweder|kein\w*"
    r"|weder|soit))[\s*_`\"“:]*$"
)


def spoken_ill_of(text: str, start: int, end: int) -> bool:
    """Whether the words right beside data, on its line, reject it or name an alternative."""
    before = text[max(0, start - _FAR) : start].rpartition("\n")[2]
    behind = text[end : end + _FAR].partition("\n")[0]
    if before.strip(" \t*_`") and _BEFORE.search(before):
        return True
    if not behind.strip() or _FINE.match(behind):
        return False
    return any(one.match(behind) for one in (_BRACKETED, _DASHED, _VERB, _OR))
