"""The root forms other than JSON: `text`, `yesno`, `code`, `tasklist`; and reasoning prefixes.

Each reply is spelled as `Schema.describe` asks for it, and `pdl.check` finds the value in it that
is meant. What the checker reads as the marks of a model (`<think>`, `</s>`), and what it takes for
a remark that something is missing (`# rest of the code`), is not kept out: the one is said in
tokens of its own, and the other is a matter of words.

What a model may say before its answer, `<think>…</think>`, is put before the rules by `wrap`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from pdl.automata import build
from pdl.automata.charset import EVERY, CharSet
from pdl.automata.pattern import pattern
from pdl.errors import Problem, SchemaError
from pdl.gbnf.compiling.compiler import Compiler
from pdl.gbnf.compiling.dfa_rules import DfaRules
from pdl.gbnf.compiling.document import KEYWORD, lone_surrogate
from pdl.gbnf.compiling.drafts import Choice, ProductionDraft, Repeat, joined
from pdl.gbnf.compiling.machine import Lengths, ValueLanguages
from pdl.gbnf.compiling.to_nodes import free_name, renamed, to_nodes
from pdl.gbnf.grammar import Grammar
from pdl.gbnf.nodes import Rule, RuleRef, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.drafts import Alternative, Alternatives, Part
    from pdl.gbnf.compiling.options import Options
    from pdl.schema.model import Schema


_FREE = ("…", "...")
_LINES = 2
"""Line breaks between the closing mark and the answer, at most."""
_RULES = 10_000


class Template(NamedTuple):
    """What precedes the free text, the mark that ends it, and what follows the mark.

    Without free text `mark` is empty. `after` is the whitespace at the template's end; None if
    there is none: then the answer begins on a line of its own.
    """

    opener: str
    mark: str
    after: str | None

    @classmethod
    def parse(cls, text: str) -> Template:
        """`<think>…</think>`; `…` or `...` is free text. Raises ValueError, with advice."""
        if lone_surrogate(text):
            raise ValueError(f"{text!r} has bytes that are not valid UTF-8")
        found = [(text.find(free), free) for free in _FREE if free in text]
        if sum(text.count(free) for free in _FREE) > 1:
            raise ValueError(f"{text!r} has several `…`: only one free text is allowed")
        if not text:
            raise ValueError("an empty template has no effect: leave it out")
        if not found:
            return cls(text, "", "")
        [(at, free)] = found
        tail = text[at + len(free) :]
        mark = tail.rstrip()
        if not mark:
            raise ValueError(
                f"{text!r} has nothing after its free text to end it;"
                " write a closing mark: '<think>…</think>'"
            )
        return cls(text[:at], mark, tail[len(mark) :] or None)


def wrap(
    rules: Iterable[Rule], template: str, *, optional: bool = False, root: str = "root"
) -> tuple[Rule, ...]:
    """Return the rules of text that begins as a template says and ends with what the rules match.

    `template` has one `…` (or `...`) for free text, up to the first position where the rest of the
    template, its closing mark, occurs: `<think>…</think>`, or `…</think>` for a model whose
    prompt ends in the opening mark. Whitespace at its end is kept; if there is none, the
    answer begins on a line of its own, with at most one blank line above it, as the checker wants
    it for code and text. A template without free text is a fixed beginning. With `optional` the
    answer may also come without it.

    The rule `root` becomes `answer`, and the new rules get names that no other has. The checker
    skips the marks that its `Dialects` know. Raises ValueError for a template that cannot work.
    """
    rules = tuple(rules)
    parsed = Template.parse(template)
    if optional and not parsed.opener:
        raise ValueError(
            f"{template!r} begins with free text, so it can't be optional;"
            " write an opening mark: '<think>…</think>'"
        )
    taken = {rule.name for rule in rules} | {root}
    answer = free_name("answer", taken)
    kept = tuple(renamed(rule, {root: answer}) for rule in rules)
    lines = 1 if Grammar(rules, root).match("\n", prefix=True) else _LINES
    prefix = _prefix(parsed, answer, lines)
    names = {rule.name: free_name(rule.name, taken) for rule in prefix[1:] if rule.name != answer}
    head, *others = (renamed(rule, {**names, "root": root}) for rule in prefix)
    if optional:
        head = Rule(root, (*head.options, Sequence((RuleRef(answer),))))
    return (head, *others, *kept)


def _prefix(template: Template, answer: str, lines: int) -> tuple[Rule, ...]:
    """The rules of what precedes the answer, of which the first, `root`, ends with it.

    There are up to `lines` line breaks of ours: one, where the answer itself may begin with more.
    """
    rest = ProductionDraft(answer, fixed=True)
    thought = _thought(template.mark) if template.mark else ""
    after: Part = template.after or ""
    if template.after is None:
        after = Repeat("\n", 1, lines) if lines > 1 else "\n"
    row = joined(*(part for part in (template.opener, thought, after, rest) if part != ""))
    root = ProductionDraft("root", (row,), fixed=True)
    return tuple(rule for rule in to_nodes(root, _RULES) if rule.name != answer)


def _thought(mark: str) -> ProductionDraft:
    draft = DfaRules(_up_to(mark), "thought", None).draft()
    draft.whole = True  # a rule of its own reads well
    return draft


def _up_to(mark: str) -> Dfa:
    """All strings that end in a mark and have it nowhere else (Knuth, Morris, Pratt, 1977).

    State `n` comes after the first `n` characters of the mark.
    """
    edges = []
    fall = 0  # the state after the same characters without the first
    states: list[Mapping[str, int]] = []
    for at, char in enumerate(mark):
        known = {**(states[fall] if at else {}), char: at + 1}
        states.append(known)
        other = EVERY - CharSet.of("".join(known))
        row = [(low, high, 0) for low, high in other.ranges]
        edges.append(sorted([*row, *((ord(one), ord(one), to) for one, to in known.items())]))
        fall = states[fall].get(char, 0) if at else 0
    return build.from_edges([*edges, []], {len(mark)})


_WHITE = CharSet.over(
    [
        *((9, 13), (28, 32), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A)),
        *((0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000)),
    ]
)
"""What `str.strip` removes."""
_SOLID = EVERY - _WHITE
_LINE = EVERY - CharSet.of("\r\n")
_TICK, _BREAK = CharSet.of("`"), CharSet.of("\n")
_COUNTED = 100
"""Characters of code that are counted: each takes a few rules, since fences are watched for too."""

_LANGUAGE = re.compile(r"[\w+#-][\w+#.-]*")
_REASONING = frozenset(["thinking", "think", "thoughts", "reasoning", "scratchpad"])
"""Info strings of fences that contain no answer."""
_INFO = r"^(?!thi|tho|rea|scr)[a-z][a-z0-9+#-]*$"
"""Info strings where the schema names none: words such as `python`, none of `_REASONING`."""
_NO_TASK = r"^(?:\.\.\.|[…‥])|(?:^| )(?:[-*+]|[0-9]+[.)]) \[[ xX✓✔]?\]"
"""What is not a task: an ellipsis for others, and a task with another on its line."""


def form_rules(
    schema: Schema, options: Options, compiler: Compiler | None = None
) -> tuple[Rule, ...]:
    """The rules of a schema's replies, `root` first, for each form except `json`.

    What is not enforced is noted in `compiler`, which is the schema's own. Raises SchemaError if no
    reply satisfies the schema, LimitError for more than `options.max_rules` rules.
    """
    compiler = compiler or Compiler(schema.document, options)
    if schema.form == "yesno":
        rows = _yesno(compiler)
    elif schema.form == "tasklist":
        rows = (_tasks(*schema.tasks),)
    elif schema.form == "code":
        rows = (_code(schema.lang or "", compiler),)
    else:
        rows = (_text(_strings(compiler)),)
    root = ProductionDraft("root", rows, fixed=True)
    return to_nodes(root, options.max_rules)


def _refusal(why: str) -> SchemaError:
    return SchemaError(Problem("schema/unsatisfiable", why))


def _strings(compiler: Compiler) -> Dfa | Lengths:
    """The values of a document that are strings."""
    goal = compiler.root
    languages = ValueLanguages() if goal is None else compiler.languages(goal)
    if languages.custom:
        for place in languages.custom:
            compiler.note(
                place, KEYWORD, "POST_HOC", "the reply is text, but the rule matches JSON"
            )
        return Lengths()
    found = languages.strings
    if found is None:
        raise _refusal("no string satisfies this schema")
    return found


def _yesno(compiler: Compiler) -> Alternatives:
    """`yes` for true, `no` for false."""
    goal = compiler.root
    values = frozenset[bool]() if goal is None else compiler.languages(goal).booleans
    if not values:
        raise _refusal("neither yes nor no satisfies this schema")
    return tuple((word,) for word, value in (("yes", True), ("no", False)) if value in values)


def _text(language: Dfa | Lengths) -> Alternative:
    """Text as it is: not blank, and without whitespace at its ends, which the checker strips."""
    if not isinstance(language, Lengths):
        found = build.intersection(language, _stripped())
        if found.is_empty:
            raise _refusal(
                "every string of this schema is blank, or begins or ends with whitespace"
            )
        return (DfaRules(found, "text", None).draft(),)
    least, most = max(language.least, 1), language.most
    if most is not None and most < least:
        raise _refusal("only the empty string satisfies this schema, and a reply is never empty")
    if most == 1:
        return (_SOLID,)
    inner = Repeat(EVERY, max(least - 2, 0), None if most is None else most - 2)
    rest: Alternative = (_SOLID,) if inner.most == 0 else (inner, _SOLID)
    return (_SOLID, *rest) if least > 1 else (_SOLID, Repeat(Choice((rest,)), 0, 1))


def _stripped() -> Dfa:
    solid = build.chars(_SOLID)
    return build.concat(solid, build.optional(build.concat(build.ANYTHING, solid)))


def _code(lang: str, compiler: Compiler) -> Alternative:
    """One fence, and in it lines that do not end it."""
    body = build.concat(_body(_strings(compiler), compiler), build.literal("\n```"))
    if body.is_empty:
        raise _refusal("no code satisfies this schema: blank lines are not code")
    code = DfaRules(body, "code", None).draft()
    if not lang:
        info = DfaRules(pattern(_INFO), "language", None).draft()
        return ("```", Repeat(info, 0, 1), "\n", code)
    if not _LANGUAGE.fullmatch(lang) or lang.lower() in _REASONING:
        raise _refusal(
            f"`{lang}` is not an info string of a code block: write one word, such as `python`"
        )
    return joined(f"```{lang}\n", code)


def _body(language: Dfa | Lengths, compiler: Compiler) -> Dfa:
    """Code that satisfies a schema: not blank, no line begins as a fence does."""
    code = build.intersection(_unfenced(), _not_blank())
    if not isinstance(language, Lengths):
        return build.intersection(code, language)
    least, most = language.least, language.most
    why = f"characters of code are counted only up to {_COUNTED}"
    if least > _COUNTED:
        compiler.note("#", "minLength", "POST_HOC", why)
        least = 0
    if most is not None and most > _COUNTED:
        compiler.note("#", "maxLength", "POST_HOC", why)
        most = None
    return build.intersection(code, build.lengths(least, most))


def _unfenced() -> Dfa:
    """Lines, none of which has three backticks after its indentation.

    The states: at the beginning of a line, after one backtick, after two, further on.
    """
    rows = (
        ((_WHITE & _LINE) | _BREAK, 0), (_TICK, 1), (_LINE - _WHITE - _TICK, 3),
        (_BREAK, 0), (_TICK, 2), (_LINE - _TICK, 3),
        (_BREAK, 0), (CharSet(), 2), (_LINE - _TICK, 3),
        (_BREAK, 0), (CharSet(), 2), (_LINE, 3),
    )  # fmt: skip
    edges = [
        sorted((low, high, to) for chars, to in rows[at : at + 3] for low, high in chars.ranges)
        for at in range(0, len(rows), 3)
    ]
    return build.from_edges(edges, {0, 1, 2, 3})


def _not_blank() -> Dfa:
    return build.concat(build.ANYTHING, build.chars(_SOLID), build.ANYTHING)


def _tasks(least: int | None, most: int | None) -> Alternative:
    """A line `- [ ] …` or `- [x] …` for each task, of words with one space between them."""
    least = max(least or 1, 1)
    if most is not None and most < least:
        raise _refusal("only an empty task list satisfies this schema, and a reply must have tasks")
    word = build.plus(build.chars(_SOLID))
    words = build.concat(word, build.star(build.concat(build.literal(" "), word)))
    said = DfaRules(build.difference(words, pattern(_NO_TASK)), "words", None).draft()
    task = ProductionDraft("task", (joined("- [", CharSet.of(" x"), "] ", said),))
    if most == 1:
        return (task,)
    return (task, Repeat(Choice((joined("\n", task),)), least - 1, most and most - 1))
