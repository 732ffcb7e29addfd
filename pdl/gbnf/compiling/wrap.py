"""What a model may say in front of its answer: `<think>…</think>`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pdl.automata import build
from pdl.automata.charset import EVERY, CharSet
from pdl.gbnf.compiling.emission.finish import finish
from pdl.gbnf.compiling.emission.parts import Again, Draft, joined
from pdl.gbnf.compiling.emission.words import Words
from pdl.gbnf.compiling.emission.written import Writer
from pdl.gbnf.compiling.halves import half
from pdl.gbnf.compiling.renaming import free_name, renamed
from pdl.gbnf.grammar import Grammar
from pdl.gbnf.nodes import Rule, RuleRef, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl.automata.dfa import Dfa
    from pdl.gbnf.compiling.emission.parts import Part

_FREE = ("…", "...")
_LINES = 2
"""Line breaks between the closing mark and the answer, at most."""
_RULES = 10_000


class Template(NamedTuple):
    """What stands in front of the free text, the mark that ends it, and what follows the mark.

    Without free text `mark` is empty. `behind` is the whitespace at the template's end; None if it
    has none: then the answer begins on a line of its own.
    """

    opener: str
    mark: str
    behind: str | None

    @classmethod
    def parse(cls, text: str) -> Template:
        """`<think>…</think>`; `…` or `...` is free text. Raises ValueError, with advice."""
        if half(text):
            raise ValueError(f"{text!r} has bytes that are not UTF-8, and no answer begins so")
        found = [(text.find(free), free) for free in _FREE if free in text]
        if sum(text.count(free) for free in _FREE) > 1:
            raise ValueError(f"{text!r} has several `…`: one is the free text, up to what follows")
        if not text:
            raise ValueError("an empty template stands for nothing: leave it out")
        if not found:
            return cls(text, "", "")
        [(at, free)] = found
        tail = text[at + len(free) :]
        mark = tail.rstrip()
        if not mark:
            raise ValueError(
                f"{text!r} has nothing behind its free text, so that nothing would end it;"
                " write what does: '<think>…</think>'"
            )
        return cls(text[:at], mark, tail[len(mark) :] or None)


def wrap(
    rules: Iterable[Rule], template: str, *, optional: bool = False, root: str = "root"
) -> tuple[Rule, ...]:
    """The rules of texts that begin as a template says and end with one of the rules' texts.

    `template` has one `…` (or `...`) for free text, which goes up to the first place where the rest
    of the template, its closing mark, stands: `<think>…</think>`, or `…</think>` for a model whose
    prompt ends in the opening mark. Whitespace at its end is taken as it is; if there is none, the
    answer begins on a line of its own, with at most one blank line above it, as the checker wants
    it for code and text. A template without free text is a fixed beginning. With `optional` the
    answer may also stand alone.

    The rule `root` becomes `answer`, and the new rules get names that no other has. The checker
    skips the marks that its `Dialects` know. Raises ValueError for a template that cannot work.
    """
    rules = tuple(rules)
    parsed = Template.parse(template)
    if optional and not parsed.opener:
        raise ValueError(
            f"{template!r} begins with free text, so what follows cannot be told to be none;"
            " write what it begins with: '<think>…</think>'"
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
    """The rules of what stands in front, of which the first, `root`, leads to the answer.

    There are up to `lines` line breaks of ours: one, where the answer itself may begin with more.
    """
    rest = Draft(answer, fixed=True)
    thought = _thought(template.mark) if template.mark else ""
    behind: Part = template.behind or ""
    if template.behind is None:
        behind = Again("\n", 1, lines) if lines > 1 else "\n"
    row = joined(*(part for part in (template.opener, thought, behind, rest) if part != ""))
    root = Draft("root", (row,), fixed=True)
    finish(root)
    return tuple(rule for rule in Writer(_RULES).rules(root) if rule.name != answer)


def _thought(mark: str) -> Draft:
    draft = Words(_up_to(mark), "thought", None).draft()
    draft.whole = True  # a rule of its own reads well
    return draft


def _up_to(mark: str) -> Dfa:
    """All texts that end in a mark and have it nowhere else (Knuth, Morris, Pratt, 1977).

    State `n` stands behind the first `n` characters of the mark.
    """
    edges = []
    fall = 0  # the state behind the same characters less the first
    states: list[Mapping[str, int]] = []
    for at, char in enumerate(mark):
        known = {**(states[fall] if at else {}), char: at + 1}
        states.append(known)
        other = EVERY - CharSet.of("".join(known))
        row = [(low, high, 0) for low, high in other.ranges]
        edges.append(sorted([*row, *((ord(one), ord(one), to) for one, to in known.items())]))
        fall = states[fall].get(char, 0) if at else 0
    return build.from_edges([*edges, []], {len(mark)})
