"""What stands in for packages with machine code does as they do, or refuses."""

from __future__ import annotations

import contextlib
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
import regex
import rpds
from hypothesis import given
from hypothesis import strategies as st
from shipped import ROOT, examples

import pdl
from pdl.play.stand_ins import regex as own
from pdl.play.stand_ins import rpds as own_rpds
from pdl.schema.patterns import PatternError, translate, unrolled_size

if TYPE_CHECKING:
    from collections.abc import Iterator

FLAGS = regex.V1 | regex.DOTALL

PIECES = st.sampled_from(
    ["a", "b", "1", "_", "-", " ", "é", ".", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"\b",
     r"\B", "^", "$", "[ab]", "[^a]", r"[\s\S]", r"[^\d_]", r"[\w-]", r"[a-c\-]", "[]", "[^]",
     r"\1", r"\.", r"\/", r"\u0061", r"\x61", r"\t", "{", "}", ",", r"\0", "[[]", "[&&]", "[a-]",
     "(?<n>a)", r"\k<n>", r"\p{L}", r"[a\D]", r"[^a\D]", r"[^\D\W]", "{e}", "{e<=1}", "|", r"\cA",
     "k", "K", "😀", r"\u{1F600}"]
)  # fmt: skip
COUNTS = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,}", "{,2}", "*?", "+?", "??"])
OPENINGS = st.sampled_from(["(", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?i:", "(?>"])
PATTERNS = st.recursive(
    PIECES,
    lambda inner: (
        st.lists(inner, max_size=3).map("".join)
        | st.tuples(OPENINGS, inner, COUNTS | st.just("")).map(
            lambda one: f"{one[0]}{one[1]}){one[2]}"
        )
        | st.tuples(inner, inner).map("|".join)
    ),
    max_leaves=6,
)
TEXTS = st.lists(
    st.text("aabb1_- é.kK\u212a😀{}e,A\n\x1c\\/t&[", max_size=6), min_size=1, max_size=5
)


def compiled(pattern: str, flags: int) -> Any:
    with contextlib.suppress(regex.error):
        return regex.compile(pattern, flags)
    return None


@given(PATTERNS, TEXTS, st.booleans())
def test_a_pattern_finds_what_regex_finds(pattern: str, texts: list[str], is_ecma: bool) -> None:  # noqa: FBT001
    if is_ecma:
        try:
            pattern = translate(pattern)
        except PatternError:
            return
    if unrolled_size(pattern) > 10_000:
        return
    flags = FLAGS if is_ecma else 0
    real = compiled(pattern, flags)
    try:
        ready = own.compile(pattern, flags)
    except own.error:
        return  # it is refused, which is always right
    assert real is not None, "it is no pattern"
    for text in texts:
        with contextlib.suppress(own.error, TimeoutError):
            found = ready.search(text, timeout=0.2, concurrent=False)
            expected = real.search(text, timeout=1)
            assert (found is None) == (expected is None), text


def patterns_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from patterns_in(part)


def shipped_patterns() -> set[str]:
    rendered = [pdl.load(one.prompt).render(one.data, prefill=True) for one in examples()]
    files = [json.loads(path.read_text("utf-8")) for path in (ROOT / "prompts").rglob("*.json")]
    schemas = [one.schema.to_json_schema() for one in rendered if one.schema is not None]
    return {pattern for schema in [*files, *schemas] for pattern in patterns_in(schema)}


def test_patterns_of_shipped_prompts_are_taken() -> None:
    found = shipped_patterns()
    assert found
    for pattern in found:
        own.compile(translate(pattern), FLAGS)


@pytest.mark.parametrize(
    ("pattern", "flags", "words"),
    [
        (r"\p{L}", FLAGS, r"`\p{…}` needs the package `regex`"),
        (r"[\P{Lu}]", FLAGS, r"`\P{…}` needs the package `regex`"),
        ("(?:abc){e<=1}", 0, "an approximate match needs"),
        ("(?<=a+)b", FLAGS, "look-behind requires fixed-width pattern, for Python's `re`"),
        ("[a--b]", FLAGS, "`--` in a set needs"),
        ("[[:alpha:]]", 0, "`[:` in a set needs"),
        ("[a[b[c]]]", FLAGS, "a set in a set needs"),
        ("(?R)", 0, "the group `(?R)…` needs"),
        ("(?x)a", 0, "the group `(?x)…` needs"),
        ("a(?i)b", 0, "the group `(?i)…` needs"),
        ("(?i)é", 0, "without regard to case needs"),
        (r"(?<=(a)\1)", 0, "a backreference in a lookaround needs"),
        ("a", regex.VERBOSE, "such a flag needs"),
    ],
)
def test_what_re_does_otherwise_is_refused(pattern: str, flags: int, words: str) -> None:
    with pytest.raises(own.error, match=re.escape(words)):
        own.compile(pattern, flags)


@pytest.mark.parametrize(
    ("pattern", "text"), [(r"\w", "é"), (r"\s", "\x1c"), (r"\bа", "а"), ("(?i)k", "\u212a")]
)
def test_texts_that_re_takes_otherwise_are_refused(pattern: str, text: str) -> None:
    with pytest.raises(own.error, match="in a text beyond ASCII needs the package `regex`"):
        own.search(pattern, text)


def test_partial_matches_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="partial matches"):
        own.compile("a").match("", partial=True)


def test_an_error_says_where_it_is() -> None:
    """In the pattern, not in what it is translated into."""
    with pytest.raises(own.error) as caught:
        own.compile(r"[a[^\d]](?<n>b)(?<n>c)", FLAGS)
    assert caught.value.pos == 15


KEYS = st.integers(0, 4)
MAPS = st.dictionaries(KEYS, st.integers(0, 2))


def outcome(function: Any, *given: Any) -> Any:
    """The entries of a result, or the class of an error."""
    try:
        found = function(*given)
    except (KeyError, IndexError) as error:
        return type(error)
    if isinstance(found, (rpds.HashTrieMap, own_rpds.HashTrieMap)):
        return dict(found)
    if isinstance(found, (rpds.HashTrieSet, own_rpds.HashTrieSet)):
        return set(found)
    return list(found) if isinstance(found, (rpds.List, own_rpds.List)) else found


@given(MAPS, MAPS, KEYS)
def test_maps_are_as_those_of_rpds(entries: dict[int, int], more: dict[int, int], key: int) -> None:
    real, stand_in = rpds.HashTrieMap(entries), own_rpds.HashTrieMap(entries)
    for name, given_ in {
        "insert": (key, 9),
        "remove": (key,),
        "discard": (key,),
        "update": (more,),
        "get": (key,),
        "__getitem__": (key,),
        "__contains__": (key,),
        "__len__": (),
    }.items():
        assert outcome(getattr(stand_in, name), *given_) == outcome(getattr(real, name), *given_)
    assert dict(stand_in) == entries
    assert own_rpds.HashTrieMap.convert(stand_in) is stand_in
    assert dict(own_rpds.HashTrieMap.convert(entries)) == entries
    assert repr(own_rpds.HashTrieMap({1: 2})) == repr(rpds.HashTrieMap({1: 2}))
    assert hash(stand_in) == hash(own_rpds.HashTrieMap(entries))


@given(st.sets(KEYS), st.sets(KEYS), KEYS)
def test_sets_are_as_those_of_rpds(members: set[int], more: set[int], key: int) -> None:
    real, stand_in = rpds.HashTrieSet(members), own_rpds.HashTrieSet(members)
    for name, given_ in {
        "insert": (key,),
        "remove": (key,),
        "discard": (key,),
        "update": (more,),
        "__contains__": (key,),
        "__len__": (),
    }.items():
        assert outcome(getattr(stand_in, name), *given_) == outcome(getattr(real, name), *given_)
    assert set(stand_in) == members
    assert stand_in == own_rpds.HashTrieSet(members)


@given(st.lists(KEYS), KEYS)
def test_lists_are_as_those_of_rpds(items: list[int], item: int) -> None:
    real: Any = rpds.List(items)
    stand_in = own_rpds.List(items)
    assert outcome(stand_in.push_front, item) == outcome(real.push_front, item)
    assert outcome(stand_in.drop_first) == outcome(real.drop_first)
    assert outcome(lambda: stand_in.rest) == outcome(lambda: real.rest)
    assert outcome(lambda: stand_in.first) == outcome(lambda: real.first)
    assert list(reversed(stand_in)) == list(reversed(real))
    assert (item in stand_in, len(stand_in)) == (item in items, len(items))
    assert stand_in == own_rpds.List(items)
    assert repr(own_rpds.List([1, 2])) == repr(rpds.List([1, 2]))
