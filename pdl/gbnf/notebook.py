"""A grammar in a notebook: its text, and a railroad diagram of each rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.errors import count
from pdl.gbnf.diagram import MARGIN, fragment
from pdl.gbnf.nodes import reachable, rule_text
from pdl.gbnf.railroad import picture, safe
from pdl.markup import Room, folded, shown, title

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl.gbnf.nodes import Rule

_DRAWN = 30  # rules
_LONGEST = 2_000  # characters of a rule that is drawn
_ALL = 200_000  # characters of all pictures
_STYLE = """\
.pdl-show .pdl-rail{display:block;overflow-x:auto;margin:.2em 0 .8em}
.pdl-show .pdl-rail path{fill:none;stroke:currentColor;stroke-opacity:.6;stroke-width:1.6}
.pdl-show .pdl-rail text{fill:currentColor;white-space:pre;
font:14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.pdl-show .pdl-rail rect{stroke-width:1.3;fill-opacity:.14}
.pdl-show .pdl-rail .text rect{stroke:#2da44e;fill:#2da44e}
.pdl-show .pdl-rail .class rect{stroke:#bf8700;fill:#bf8700}
.pdl-show .pdl-rail .rule rect{stroke:#2f81f7;fill:#2f81f7}
.pdl-show .pdl-rail .token rect{stroke:#8f66d9;fill:#8f66d9}
"""


def grammar_html(rules: Mapping[str, Rule], root: str, text: str) -> str:
    """Return a grammar as HTML; rules that the root does not lead to are in its text only."""
    told = f"{count(len(rules), 'rule')}; a text must match {root}"
    parts = [title("grammar", told), Room().block(text)]
    names = reachable(rules, root)
    drawn = list(_drawn([rules[name] for name in names]))
    left_out = len(names) - len(drawn)
    if left_out:
        drawn.append(title("", f"{count(left_out, 'rule')} not drawn"))
    return shown(*parts, folded("railroad diagrams", *drawn), style=_STYLE)


def _drawn(rules: list[Rule]) -> Iterator[str]:
    """The pictures of the first rules that are not too long to be looked at."""
    left = _ALL
    for rule in rules[:_DRAWN]:
        if len(rule_text(rule)) > _LONGEST:
            continue
        svg = _svg(rule)
        left -= len(svg)
        if left < 0:
            return
        yield title(rule.name) + svg


def _svg(rule: Rule) -> str:
    """A picture without links and ids, which the page could have, too."""
    box = picture(rule, known=())
    wide, high = box.width + 2 * MARGIN, box.up + box.down + 2 * MARGIN
    parts = "".join(fragment(box, MARGIN, MARGIN + box.up))
    return (
        f'<div class="pdl-rail" tabindex="0"><svg role="img" width="{wide}" height="{high}"'
        f' viewBox="0 0 {wide} {high}"'
        f' aria-label="Railroad diagram of the rule {safe(rule.name)}">{parts}</svg></div>'
    )
