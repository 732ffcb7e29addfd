"""The marks that models put around their text: reasoning, end of turn, answer.

`Dialects` is a table that users extend; no other part of the checker knows the marks of a model.
Elements around data that do not characterize it (`<tool_call>`, `<json>`) need no entry.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain, product
from typing import TYPE_CHECKING, Any

from pdl._types import options_repr
from pdl.errors import advised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import regex

CHANNELS = ("assistantanalysis", "assistantcommentary", "analysis", "commentary")
"""The names of harmony's channels at the beginning of a reply whose tokens were dropped."""

_PAIR = 2
_SHORTEST = 2  # characters of a mark; one alone would be found in any text


@advised
@dataclass(frozen=True)
class Dialects:
    """The marks of reasoning, those around the answer, and tokens that are not text.

    Tags are names of elements (`think` for `<think>` and `</think>`, attributes allowed), marks are
    pairs of an opening and a closing delimiter, tokens are strings. Only tokens are case-sensitive.
    Raises ValueError, with advice, for an entry that cannot work.
    """

    reasoning_tags: tuple[str, ...] = (
        *("think", "thinking", "thought", "thoughts", "thought_process", "reasoning"),
        *("reflection", "scratchpad", "analysis", "rationale", "inner_monologue", "antthinking"),
        *("chain_of_thought", "cot", "seed:think", "internal_thoughts"),
        *("thinking_process", "deliberation", "self_critique"),
    )
    reasoning_marks: tuple[tuple[str, str], ...] = (
        ("[THINK]", "[/THINK]"),  # Magistral
        ("[REASONING]", "[/REASONING]"),
        ("◁think▷", "◁/think▷"),  # Kimi
        ("<|begin_of_thought|>", "<|end_of_thought|>"),  # Sky-T1, OpenThinker
        ("<|START_THINKING|>", "<|END_THINKING|>"),  # Command A
        ("<|think_start|>", "<|think_end|>"),
        ("<unused94>", "<unused95>"),  # MedGemma
        ("<|channel>thought", "<channel|>"),  # Gemma 4
        ("<|inner_prefix|>", "<|inner_suffix|>"),  # Apertus
        ("[INST]", "[/INST]"),  # not reasoning, but a repeated prompt
    )
    answer_tags: tuple[str, ...] = (
        *("answer", "final_answer", "final", "output", "result", "response"),
    )
    answer_marks: tuple[tuple[str, str], ...] = (
        ("<|begin_of_solution|>", "<|end_of_solution|>"),
        ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
        ("[ANSWER]", "[/ANSWER]"),
    )
    end_tokens: tuple[str, ...] = (
        *("</s>", "<eos>", "<pad>", "<end_of_turn>", "<end_of_utterance>", "<|eot_id|>"),
        *("<|eom_id|>", "<|im_end|>", "<|end|>", "<|return|>", "<|call|>", "<|endoftext|>"),
        *("<|end_of_text|>", "<|end_of_turn|>", "<|END_OF_TURN_TOKEN|>", "<|eos|>", "<|eot|>"),
        *("<|end▁of▁sentence|>", "<｜end▁of▁sentence｜>", "[EOS]"),
    )
    """Tokens that end a turn."""
    start_tokens: tuple[str, ...] = (
        *("<s>", "<bos>", "[BOS]", "<|begin_of_text|>", "<|startoftext|>", "<|python_tag|>"),
        *("<｜begin▁of▁sentence｜>", "<｜Assistant｜>", "<|assistant|>", "<|message|>"),
        *("<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|end_header_id|>"),
        *("<|end_of_role|>", "<|header_end|>", "<|tool_call|>", "<|START_ACTION|>"),
        *("<|END_ACTION|>", "[TOOL_CALLS]", "[/TOOL_CALLS]", "<|tool_calls_section_begin|>"),
        *("<|tool_calls_section_end|>", "<|tool_call_begin|>", "<|tool_call_end|>"),
        *("<|tool_call_argument_begin|>", "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        *("<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>"),
    )
    """Tokens that begin a turn, or begin or end a part of it."""
    turn_tokens: tuple[str, ...] = (
        *("<|im_start|>", "<|start|>", "<start_of_turn>", "<|start_header_id|>"),
        *("<|start_of_role|>", "<|header_start|>"),
    )
    """Tokens that begin a turn; its role can follow them."""
    roles: tuple[str, ...] = ("assistant", "model")
    other_roles: tuple[str, ...] = (
        *("user", "human", "system", "developer", "tool", "function", "observation"),
        *("environment", "ipython"),
    )
    """Roles whose turns are not the model's: those at the beginning of a reply are skipped."""
    reasoning_fences: tuple[str, ...] = ("thinking", "think", "thoughts", "reasoning", "scratchpad")
    """Info strings of fences that contain reasoning."""

    __repr__ = options_repr

    def __post_init__(self) -> None:
        """Refuse entries that the patterns cannot distinguish."""
        for field, check in _CHECKS.items():
            entries = _listed(field, getattr(self, field))
            object.__setattr__(self, field, tuple(check(field, entry) for entry in entries))
        reasoning = {*self.reasoning_tags, *chain(*self.reasoning_marks)}
        answers = {*self.answer_tags, *chain(*self.answer_marks)}
        both = _folded(reasoning) & _folded(answers)
        if both:
            name = min(both)
            raise ValueError(
                f"{name!r} is both a reasoning mark and an answer mark; keep one of them"
            )

    def extended(self, **more: Iterable[Any]) -> Dialects:
        """A table with further entries: `DIALECTS.extended(reasoning_tags=["musing"])`.

        Raises TypeError for an unknown field. `dataclasses.replace` takes entries away.
        """
        for field in more:
            if field not in _CHECKS:
                raise TypeError(f"Dialects has no {field!r}; it has {', '.join(_CHECKS)}")
        entries = {name: (*getattr(self, name), *_listed(name, new)) for name, new in more.items()}
        return replace(self, **entries)

    @cached_property
    def patterns(self) -> Patterns:
        """The table as compiled patterns; equal tables share them."""
        return _patterns(self)


def _listed(field: str, entries: Any) -> tuple[Any, ...]:
    if isinstance(entries, str):
        raise ValueError(f"{field} must be a list; for one entry write [{entries!r}]")  # noqa: TRY004 - wrong entries are ValueErrors, whatever is wrong with them
    return tuple(entries)


def _text(field: str, entry: Any) -> str:
    if not isinstance(entry, str) or not entry.strip():
        raise ValueError(f"{field} has an entry that is not text: {entry!r}; remove it")
    return entry


def _name(field: str, entry: Any) -> str:
    if odd := next((one for one in _text(field, entry) if one in "<>/" or one.isspace()), ""):
        bare = entry.strip(" <>/\t\r\n")
        advice = f"{bare!r} alone" if bare != entry else "it as one word"
        raise ValueError(f"{field} has a name with {odd!r}: {entry!r}; write {advice}")
    return str(entry)


def _token(field: str, entry: Any) -> str:
    mark = _text(field, entry)
    if len(mark) < _SHORTEST or mark[0].isspace() or (mark[0] == "[" and mark[1:2].isdigit()):
        advice = "use 2 or more characters, without a leading space or a number in brackets"
        raise ValueError(f"{field} has a mark that any text can contain: {mark!r}; {advice}")
    return mark


def _pair(field: str, entry: Any) -> tuple[str, str]:
    marks = () if isinstance(entry, str) else tuple(entry)
    if len(marks) != _PAIR:
        raise ValueError(
            f"{field} must contain pairs of an opening and a closing mark, not {entry!r}"
        )
    opener, closer = (_token(field, mark) for mark in marks)
    if opener.casefold() == closer.casefold():
        raise ValueError(f"{field} has {opener!r} as its own closing mark; use two different marks")
    return opener, closer


_CHECKS: Mapping[str, Callable[[str, Any], Any]] = {
    "reasoning_tags": _name,
    "reasoning_marks": _pair,
    "answer_tags": _name,
    "answer_marks": _pair,
    "end_tokens": _token,
    "start_tokens": _token,
    "turn_tokens": _token,
    "roles": _name,
    "other_roles": _name,
    "reasoning_fences": _name,
}
"""Field -> the check of each of its entries."""


def _folded(names: Iterable[str]) -> set[str]:
    return {name.casefold() for name in names}


DIALECTS = Dialects()
"""The marks of the models that are known."""


_GAP = r"\s{0,16}+"
_NEVER = r"(?!)"
_LONGEST = 400  # characters of a mark besides its name


def _either(texts: Iterable[str]) -> str:
    """Any of the texts, longer ones first, so none hides another; a table can be empty."""
    return "|".join(map(re.escape, sorted(texts, key=len, reverse=True))) or _NEVER


def _tag(begin: str, names: Iterable[str], marks: Iterable[tuple[str, str]]) -> str:
    """The tags with those names, and the marks, that open (`<`) or close (`</`) an element."""
    rest = r"(?:\s[^<>\n]{0,200}+)?" if begin == "<" else _GAP
    others = _either(mark[begin != "<"] for mark in marks)
    return rf"{begin}(?P<name>{_either(names)}){rest}>|(?P<text>{others})"


def _lazy(
    source: Callable[[Dialects], str], flags: int = re.IGNORECASE
) -> cached_property[re.Pattern[str]]:
    """A pattern that is compiled when it is first needed."""
    return cached_property(lambda patterns: re.compile(source(patterns.table), flags))


class Patterns:
    """A table as patterns, each compiled when it is first needed.

    None of them matches more than `longest` characters. `begins` are the first two characters of
    each mark, in either case, and `first` the first ones.
    """

    def __init__(self, table: Dialects) -> None:
        self.table = table
        self.reasoning_fences = frozenset(_folded(table.reasoning_fences))
        tokens = (*table.end_tokens, *table.start_tokens, *table.turn_tokens)
        marks = (*chain(*table.reasoning_marks), *chain(*table.answer_marks))
        tags = ("</", "<|", *(f"<{name}" for name in (*table.reasoning_tags, *table.answer_tags)))
        folded = (product(*({c.lower(), c.upper()} for c in one[:2])) for one in (*tags, *marks))
        self.begins = frozenset([*(one[:2] for one in tokens), *map("".join, chain(*folded))])
        self.first = "".join(sorted({two[0] for two in self.begins}))
        self.longest = _LONGEST + max(map(len, (*tokens, *marks, *tags)))

    opener = _lazy(lambda one: _tag("<", one.reasoning_tags, one.reasoning_marks))
    closer = _lazy(lambda one: _tag("</", one.reasoning_tags, one.reasoning_marks))
    answer_opener = _lazy(lambda one: _tag("<", one.answer_tags, one.answer_marks))
    answer_closer = _lazy(lambda one: _tag("</", one.answer_tags, one.answer_marks))
    last_closer = _lazy(
        lambda one: (
            rf"(?:{_tag('</', one.reasoning_tags, one.reasoning_marks)})"
            r"(?=[ \t]{0,200}+(?:\n|\Z))"
        )
    )
    """A closing reasoning mark at the end of its line, as before an answer."""
    end_token = _lazy(lambda one: _either(one.end_tokens), 0)
    token = _lazy(
        lambda one: (
            rf"{_either((*one.end_tokens, *one.start_tokens))}"
            rf"|(?:{_either(one.turn_tokens)})(?:(?:{_either(one.roles)})\b)?"
        ),
        0,
    )
    """Any token; the name of the model's role belongs to it."""
    other_turn = _lazy(
        lambda one: rf"(?:{_either(one.turn_tokens)}){_GAP}(?:{_either(one.other_roles)})\b"
    )
    turn_end = _lazy(lambda one: rf"{_either(one.end_tokens)}|(?={_either(one.turn_tokens)})", 0)
    """The beginning of another role's turn, and its end."""
    channel = _lazy(
        lambda _: (
            r"<\|channel\|>[ \t]{0,16}(?P<name>\w{1,40})[^<]{0,200}+"
            r"(?:<\|constrain\|>[^<]{0,40}+)?<\|message\|>"
        )
    )
    channel_end = _lazy(lambda _: r"(?=<\|(?:end|return|call|start|channel)\|>)", 0)
    """OpenAI's harmony format; only its channel `final` is an answer."""
    end_of_line = _lazy(lambda one: rf"(?>(?:\s|{_either(one.end_tokens)})*)", 0)
    """The text that can follow the closing line of a fence."""

    def may_begin(self, text: str) -> bool:
        """Whether a text is the beginning of a mark, or one that can be longer."""
        found = self._any.fullmatch(text, partial=True)
        return found is not None and found.partial

    @cached_property
    def _any(self) -> regex.Pattern[str]:
        import regex  # noqa: PLC0415 - a whole reply needs no beginnings

        tags = (self.closer, self.opener, self.answer_opener, self.answer_closer)
        marks = (*tags, self.channel, self.other_turn, self.token)
        whole = "|".join(re.sub(r"\(\?P<\w+>", "(?:", f"(?:{one.pattern})") for one in marks)
        return regex.compile(whole, regex.IGNORECASE)

    def without_end(self, text: str) -> str:
        """The text without the end-of-turn tokens at its end, and the spaces around them."""
        end = kept = len(text)
        while True:
            while end and text[end - 1].isspace():
                end -= 1
            ends = (one for one in self.table.end_tokens if text.endswith(one, 0, end))
            token = next(ends, None)
            if token is None:
                return text if kept == len(text) else text[:end]
            end = kept = end - len(token)


_patterns = lru_cache(maxsize=16)(Patterns)
