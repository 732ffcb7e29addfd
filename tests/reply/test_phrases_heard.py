"""Which phrases of the table a text has, and where its sentences end."""

from __future__ import annotations

import re
from itertools import chain
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from pdl.reply.prose.words import SENTENCE_END, Heard, Script, phrases, rows

MEANINGS = [
    "actually", "another", "answer", "block_is_wrong", "doubtful", "example", "fake", "final",
    "foreign", "former", "harmless", "hypothetical", "ignore", "instead", "is", "kindness",
    "no_call", "no_input", "not", "not_example", "others", "remark", "rest", "rest_of_code",
    "second_thought", "should_be", "stopped", "unknown", "unreal", "withdrawn", "would", "wrong",
]  # fmt: skip
GROUP = re.compile(r"\(([^()]*)\)\??|<(\w+)>\??")
SEPARATORS = ["", " ", " ", ", ", ". ", "\n", "。", "'", "’", ": ", "? "]


@st.composite
def said(draw: st.DrawFn, meanings: list[str]) -> str:
    """A phrase of the table in one of its forms, which can be cut."""
    lang, each = draw(st.sampled_from(list(rows(draw(st.sampled_from(meanings))).items())))
    text: str = draw(st.sampled_from(each))

    def chosen(group: re.Match[str]) -> str:
        named = rows(group[2]).get(lang, ()) if group[2] else group[1].split("|")
        one: str = draw(st.sampled_from([*named, *([""] if group[0][-1] == "?" else [])]))
        return one

    while GROUP.search(text):
        text = GROUP.sub(chosen, text, count=1)
    text = re.sub(r"[\^$;*?]|\[|\]", "", text).replace("..", draw(st.sampled_from(["of the", ""])))
    cut = draw(st.integers(0, 3))
    return text[cut if cut < 2 else 0 : len(text) - cut]


@given(st.data(), st.lists(st.sampled_from(MEANINGS), min_size=1, max_size=3, unique=True))
def test_the_index_hides_no_phrase(data: st.DataObject, meanings: list[str]) -> None:
    """The phrases that the index of words lets through are all that a search of each would find."""
    texts = st.one_of(said(meanings), said(MEANINGS), st.text(max_size=3))
    pieces = data.draw(st.lists(texts, min_size=3, max_size=12))
    heard = Heard(data.draw(st.sampled_from(SEPARATORS)).join(pieces))
    each = [phrases(meaning, script) for meaning in meanings for script in get_args(Script)]
    found = [one.pattern.search(heard.text) for one in chain.from_iterable(each)]
    spans = sorted((one.re.pattern, one.span()) for one in {*found} if one)
    assert sorted((one.re.pattern, one.span()) for one in heard.find(*meanings)) == spans
    assert heard.says(*meanings) == bool(spans) == any(map(heard.says, meanings))


@given(st.text(st.sampled_from("e.gi .!?…。؟।\n\"')x\\n a1")))
def test_where_sentences_end(text: str) -> None:
    ends = [
        at
        for at, mark in enumerate(text)
        if mark in "。！？؟।\n"
        or (
            mark in ".!?…"
            and (not text[at + 1 :] or re.match(r"[\s\"'”’)\]*_`]|\\n", text[at + 1 :]))
        )
    ]
    ends = [at for at in ends if not re.search(r"\b(?:e\.g|i\.e)\Z", text[:at])]
    assert [found.start() for found in SENTENCE_END.finditer(text)] == ends
