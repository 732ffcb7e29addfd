"""Which tokens of a model may come at a place of a reply, if its grammar is enforced."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from pdl.errors import Problem, TokenError
from pdl.gbnf import Options as Wanted
from pdl.gbnf import compile as compile_schema
from pdl.masks import Masker, vocabulary_of
from pdl.masks.forced import cut
from pdl.play.access import RefusedError
from pdl.play.looking.kept import Recent
from pdl.play.looking.subject import Options, content_key, subject_of

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.gbnf import Grammar
    from pdl.masks import Vocabulary
    from pdl.schema import Schema

_SHOWN = 200
_VOCABULARIES: Recent[Vocabulary] = Recent(2)
_GRAMMARS: Recent[Grammar] = Recent(8)
_MASKERS: Recent[Masker] = Recent(4)


def tokens(params: dict[str, Any]) -> dict[str, Json]:
    """Return what may come after a part of a reply: `at` counts code units of UTF-16.

    Either the part can't be the beginning of an answer, from the offset `refused_at` on, or there
    are the tokens that may follow it. Raises PdlError and RefusedError.
    """
    began = time.perf_counter()
    subject = subject_of(params["schema_prompt"], params["data"], None, Options(), params["base"])
    schema = subject.filled.schema
    if schema is None:
        raise RefusedError(400, "the prompt has no schema, so any token may come")
    given = params["reply"].encode("utf-16-le", "surrogatepass")[: 2 * params["at"]]
    text = given.decode("utf-16-le", "ignore")
    found = _at(schema, text, params["tokenizer"], params["eos"])
    return {**found, "seconds": round(time.perf_counter() - began, 6)}


def _at(schema: Schema[Any], text: str, tokenizer: str, eos: list[str | int]) -> dict[str, Json]:
    key = content_key(schema)
    grammar = _GRAMMARS.get((key,), lambda: compile_schema(schema, Wanted.generate()).grammar)
    data = text.encode(errors="replace")
    here = grammar.start().accept(data)
    if here.is_dead:
        before = data[: here.position].decode(errors="ignore")
        at = len(before.encode("utf-16-le")) // 2
        return {"complete": False, "count": 0, "allowed": [], "forced": "", "refused_at": at}
    vocabulary = _VOCABULARIES.get((tokenizer,), lambda: vocabulary_of(tokenizer, eos=eos or None))
    masker = _MASKERS.get((key, tokenizer), lambda: Masker(grammar, vocabulary))
    state: Any = masker.start()
    spelled, end = cut(data, vocabulary.trie)
    if end < len(data):
        message = f"no token of this model can spell the byte {data[end]:#04x}"
        raise TokenError(Problem("token/unsayable", message))
    for token in spelled:
        state = state.accept(token)
    allowed = state.allowed().tolist()
    return {
        "complete": state.is_complete,
        "count": len(allowed),
        "allowed": [
            {"id": one, "text": vocabulary.tokens[one].decode("utf-8", "replace")}
            for one in allowed[:_SHOWN]
        ],
        "forced": state.forced()[0].decode("utf-8", "replace"),
        "refused_at": None,
    }
