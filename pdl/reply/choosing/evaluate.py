"""Parsing a candidate, unwrapping a tool call around the answer, and checking the value.

The pass that finds brackets takes each quote as JSON would; one without a backslash hides which
brackets count. A candidate that cannot be parsed is also tried up to the last closing bracket of
its fence or paragraph. Only a reading that fits the schema counts.

The shapes of tool calls are those of OpenAI's chat and responses formats, Anthropic's `tool_use`
blocks, Gemini's `functionCall`, and the JSON that Hermes, Llama 3, and ReAct prompts lead to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from pdl import _re as re
from pdl.reply.choosing.candidates import (
    extra_closers,
    goes_on,
    in_open_string,
    is_certain,
    is_headless,
)
from pdl.reply.parsing.events import placed
from pdl.reply.parsing.parsed import furthest, parse
from pdl.reply.phrases import brief, say, shorten
from pdl.reply.prose.omissions import (
    elided_at,
    leaves_out,
    left_out,
    left_out_after,
    placeholder_at,
)
from pdl.reply.prose.signs import taken_back
from pdl.reply.prose.words import hear
from pdl.reply.result import Broken, Parsed, Repair
from pdl.reply.segments.spans import shifted
from pdl.reply.validation.schema_walk import resembles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pdl._types import Json
    from pdl.limits import Limits
    from pdl.reply.choosing.candidates import Candidate
    from pdl.reply.query import Query
    from pdl.reply.result import Span

NAMES = frozenset(["name", "tool", "tool_name", "function", "function_name", "action"])
ARGUMENTS = frozenset(["arguments", "args", "parameters", "params", "input", "tool_input"])
ARGUMENTS |= {"action_input", "kwargs"}
OTHERS = frozenset(["id", "type", "index", "call_id", "tool_call_id", "thought", "status"])
WRAPPERS = frozenset(["function", "function_call", "functionCall", "tool_call", "tool_use"])
LISTS = frozenset(["tool_calls", "function_calls"])
TYPES = frozenset(["function", "tool", "tool_use", "tool_call", "function_call", "functioncall"])
STATES = frozenset(["completed", "complete", "success", "succeeded", "ok", "done", "pending"])
STATES |= {"in_progress", "queued", "running", "requested", "created", "incomplete", "ready"}
SPEAKERS = frozenset(["assistant", "model", "ai"])
_SEPARATORS = re.compile(r"[_.\s-]+")
_DEEPEST = 3  # envelopes in envelopes


def payload(value: Json, limits: Limits) -> tuple[Json] | None:
    """The arguments of a value that is one tool call, in a tuple; None for other values."""
    for _ in range(_DEEPEST):
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, dict):
            return None
        found = _arguments(value)
        if found is not None and _speaks_for_itself(value):
            return _opened(value[found], limits)
        inner = _inner(value) if found is None else None
        if inner is None or not _speaks_for_itself(value):
            return None
        value = inner
    return None


def _speaks_for_itself(value: Mapping[str, Json]) -> bool:
    """Whether no other member of a call contradicts it, such as a failed status or a thought."""
    expected = (("type", TYPES), ("status", STATES), ("role", SPEAKERS))
    for key, known in expected:
        said = value.get(key)
        if said is not None and not (isinstance(said, str) and said.lower() in known):
            return False
    thought = value.get("thought")
    if isinstance(thought, str) and taken_back(thought):
        return False
    called = (value.get(key) for key in NAMES)
    names = (_SEPARATORS.sub(" ", name) for name in called if isinstance(name, str))
    return not any(hear(name).says("no_call") for name in names)


def _arguments(value: Mapping[str, Json]) -> str | None:
    """The key of the arguments, of an object that has a name, arguments, and little else."""
    names, arguments = NAMES & set(value), ARGUMENTS & set(value)
    if len(names) != 1 or len(arguments) != 1:
        return None
    named = all(isinstance(value[name], str) for name in names)
    rest = set(value) - names - arguments - OTHERS
    return next(iter(arguments)) if named and not rest else None


def _inner(value: Mapping[str, Json]) -> Json | None:
    """The content of an object that declares that it contains a call, or a list of one."""
    keys = set(value) - OTHERS - {"role", "content"}
    if len(keys) != 1 or (value.get("content") or "") != "":
        return None
    key = keys.pop()
    return value[key] if key in WRAPPERS | LISTS else None


def _opened(arguments: Json, limits: Limits) -> tuple[Json] | None:
    """The arguments, which OpenAI writes as JSON inside a string."""
    if not isinstance(arguments, str):
        return (arguments,)
    made = parse(arguments, limits)
    return (made.value,) if isinstance(made, Parsed) else None


_SIGN = re.compile(r'"[^"\\]*+(?>(?:\\.[^"\\]*+)*)(?:"|\Z)|[{}\[\]()]', re.DOTALL)
_PARTNERS = {"{": "}", "[": "]", "(": ")"}
_DOTS = re.compile(r"[\n,\[][ \t]*+(?:\.{3,}|…)[ \t]*+(?:[\n,\]]|\Z)")
_GUESSES = frozenset(["inner-quotes", "missing-quote", "missing-closer"])


def read(query: Query, candidate: Candidate) -> Parsed | Broken:
    """Parse it, with the C parser first, and look for signs that it is not the whole answer."""
    start, end = candidate.span
    body = query.text[start:end]
    if candidate.bracket.deep:
        return Broken("limit", say("too-deep", number=query.limits.reply_depth))
    if is_headless(query, candidate.span):
        return Broken("unparsable", say("headless"))
    if candidate.fence and in_open_string(query, candidate.fence):
        return Broken("unparsable", say("in-string"))
    exact = candidate.bracket.exact
    closed = candidate.bracket.closed
    made = exact.findings.made if exact else parse(body, query.limits, start) if closed else None
    if (made is None or isinstance(made, Broken)) and not (made and made.reason == "limit"):
        made = _respelled(body, candidate, query, made)
    if isinstance(made, Parsed):
        return _alone(query, candidate, made)
    return made if made and made.reason == "limit" else _broken(query, candidate, made)


def _alone(query: Query, candidate: Candidate, made: Parsed) -> Parsed | Broken:
    """The parsed value, unless something around it or in it shows that it is incomplete."""
    start, end = candidate.span
    if goes_on(candidate, made):
        return Broken("unparsable", say("goes-on"), end - start)
    if after := left_out_after(query.text, end):
        return _elided(query.text, after)
    if extra := extra_closers(query.text, end):
        if not is_certain(query, query.text[start:end], made, extra.before):
            return Broken("unparsable", say("surplus-closer"), end - start)
        made = replace(made, repairs=(*made.repairs, extra))
    exact = candidate.bracket.exact
    return made if exact and not exact.findings.suspect else _whole(query, made)


def _respelled(
    body: str, candidate: Candidate, query: Query, broken: Broken | None
) -> Parsed | Broken | None:
    """The value of JSON in another spelling, unless words in it say that something is missing."""
    bracket = candidate.bracket
    if bracket.cut or not bracket.closed:
        return broken
    start = bracket.span[0]
    from pdl.reply.parsing.readings import read_tolerantly  # noqa: PLC0415 - most JSON is as it should be

    read = read_tolerantly(body, query.document, query.is_valid, query.limits)
    if isinstance(read, Broken):
        return furthest(broken, read)
    for repair in read.repairs:
        said = body[slice(*repair.span)]
        words = repair.kind in {"comment", "bare-value"} and (elided_at(said) or leaves_out(said))
        if words or (repair.kind in _GUESSES and _DOTS.search(said)):
            return _elided(body, repair.span)
    if _is_aside(query, candidate, read.repairs):
        return Broken("unparsable", say("words-in-brackets"))
    moved = [
        Repair(one.kind, shifted(one.span, start), one.path, one.before, one.after)
        for one in read.repairs
    ]
    return Parsed(read.value, tuple(moved), read.last)


def _broken(query: Query, candidate: Candidate, made: Broken | None) -> Broken:
    """Why a span that does not parse does not: the model's own word for it comes first."""
    bracket = candidate.bracket
    body = query.text[slice(*bracket.span)]
    if (place := elided_at(body)) is not None:
        return _elided(body, place)
    if bracket.cut and "'" not in body and (at := _mismatched(body)):
        return Broken("unparsable", say("wrong-closer", found=body[at]), at, body[at])
    if bracket.cut:
        kept = body.rstrip()
        found = shorten(kept[-24:], 24)
        return Broken("truncated", say("cut-off", found=found), len(kept), found)
    if (place := placeholder_at(body)) is not None:
        found = shorten(body[slice(*place)], 24)
        return Broken("elided", say("placeholder", found=found), place[0], found)
    return made or Broken("unparsable", say("unclosed"), len(body))


def _mismatched(body: str) -> int:
    """Where a bracket is closed by one of another kind, which no cut explains; 0 if nowhere."""
    closers: list[str] = []
    for sign in _SIGN.finditer(body):
        if sign[0] in _PARTNERS:
            closers.append(_PARTNERS[sign[0]])
        elif sign[0][0] != '"' and (not closers or closers.pop() != sign[0]):
            return sign.start()
    return 0


def _whole(query: Query, made: Parsed) -> Parsed | Broken:
    """The parsed value, unless a string in it represents omitted data."""
    said = left_out(query.document, made.value)
    if not said:
        return made
    found = shorten(said, 24)
    return Broken("elided", say("stands-for-data", found=found), 0, found)


def _is_aside(query: Query, candidate: Candidate, repairs: Sequence[Repair]) -> bool:
    """Whether a list of bare words might be a remark in brackets: `[Note, see below]`."""
    if candidate.kind != "array" or candidate.fence:
        return False
    bare = any(one.kind == "bare-value" and " " in one.before for one in repairs)
    return bare and query.text.strip() != query.text[slice(*candidate.span)]


def _elided(text: str, place: Span) -> Broken:
    found = shorten(text[slice(*place)].strip(), 24)
    return Broken("elided", say("leaves-out", found=found), place[0], found)


Fate: TypeAlias = Literal["fits", "misfit", "other", "broken"]
"""It fits the schema; it does not, but was meant to; it was never meant to; it does not parse."""

_TWO_WAYS = Broken("ambiguous", say("two-ways"))
_UNREAD = frozenset(["unparsable", "truncated"])
_TRIES = 4  # candidates of one reply that are parsed at another length; each can cost a pass
_PARAGRAPH = re.compile(r"\n[ \t]*+\n(?=[^\s{}\[\]\"'])")
_TAGS = re.compile(r"[\s.;,`]*+(?>(?:<[^<>\n]{1,40}>\s*+)*)")


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A candidate after parsing and checking it; `made` is its value or why it has none."""

    candidate: Candidate
    fate: Fate
    made: Parsed | Broken

    @property
    def value(self) -> Json:
        """The value of a candidate that parsed."""
        assert isinstance(self.made, Parsed)
        return self.made.value


def evaluate_all(query: Query, candidates: Sequence[Candidate]) -> list[Evaluated]:
    """Evaluate candidates, those that cannot be read at their true length if that fits."""
    out: list[Evaluated] = []
    tries = _TRIES
    for candidate in candidates:
        if out and candidate.span[0] < out[-1].candidate.span[1]:
            continue  # in the span of one that was made longer
        one = evaluate(query, candidate)
        if tries and isinstance(one.made, Broken) and one.made.reason in _UNREAD:
            tries -= 1
            longer = _longer(query, candidate)
            found = evaluate(query, longer) if longer else one
            one = found if found.fate == "fits" and not _takes_prose(query, one, found) else one
        out.append(one)
    return out


def _longer(query: Query, candidate: Candidate) -> Candidate | None:
    """The candidate up to the last closing bracket of its kind in its block, if that is another."""
    start, end = candidate.span
    if candidate.fence:
        stop = candidate.fence.body[1]
    else:
        gap = _PARAGRAPH.search(query.text, start)
        stop = gap.start() if gap else len(query.text)
    last = query.text.rfind("}" if candidate.kind == "object" else "]", start, stop) + 1
    cut = candidate.bracket.cut and not _TAGS.fullmatch(query.text, last, stop)
    if not last or cut or (last == end and candidate.bracket.closed):
        return None
    bracket = candidate.bracket._replace(span=(start, last), closed=True, cut=False, exact=None)
    return replace(candidate, span=(start, last), bracket=bracket)


def _takes_prose(query: Query, short: Evaluated, long: Evaluated) -> bool:
    """Whether a reading takes prose after a whole value for the rest of one of its strings."""
    assert isinstance(long.made, Parsed)
    if not short.candidate.bracket.closed:
        return False
    whole = isinstance(parse(query.text[slice(*short.candidate.span)], query.limits), Parsed)
    return whole and any(repair.kind == "raw-control" for repair in long.made.repairs)


def evaluate(query: Query, candidate: Candidate) -> Evaluated:
    """Parse a candidate and check its value against the schema."""
    made = read(query, candidate)
    if isinstance(made, Broken):
        return Evaluated(candidate, "broken", made)
    inside = payload(made.value, query.limits)
    called = inside is not None and query.is_valid(inside[0])
    if query.is_valid(made.value):
        fate: Fate = "broken" if called else "fits"
        return Evaluated(candidate, fate, _TWO_WAYS if called else made)
    if called and inside is not None:
        return Evaluated(candidate, "fits", _called(query, candidate, made, inside[0]))
    if query.coercions and (changed := _coerced(query, candidate, made)):
        return Evaluated(candidate, "fits", changed)
    meant = resembles(query.document, made.value)
    return Evaluated(candidate, "misfit" if meant else "other", made)


def _called(query: Query, candidate: Candidate, made: Parsed, inside: Json) -> Parsed:
    """The arguments of a tool call as the answer."""
    said = shorten(query.text[slice(*candidate.span)])
    repair = Repair("tool-call", candidate.span, (), said, brief(inside))
    return Parsed(inside, (*made.repairs, repair))


def _coerced(query: Query, candidate: Candidate, made: Parsed) -> Parsed | None:
    """The value with the changes that the caller allows, if it fits with them."""
    from pdl.reply.coercing import coerce  # noqa: PLC0415 - only where it is allowed
    from pdl.reply.prose.omissions import left_out  # noqa: PLC0415 - only where it is allowed

    value, changes = coerce(query.document, made.value, query.coercions, query.limits)
    if not changes or left_out(query.document, value):
        return None
    return Parsed(value, (*made.repairs, *placed(changes, made, query.text, candidate.span)))
