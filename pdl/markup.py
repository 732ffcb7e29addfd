"""HTML that notebooks show: texts that are escaped and bounded, in parts that have names.

The ink is that of the page, and what is marked has a translucent background: so both can be read on
light and on dark pages, whose theme need not be that of the system. Marks have lines and numbers as
well as colors. There are no scripts, links, headings, or ids, all of which belong to the page.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 10_000
"""How many characters of one text are shown."""

_ALL = 40_000  # characters of all texts together
_LEAST = 80  # characters of a text for which there is no room anymore
_TALL = 1_500  # characters of a text that may need a scroll bar
_HIDDEN = re.compile(
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e"
    "\\u2066-\\u2069\\ud800-\\udfff\\ufeff\\ufffe\\uffff]"
)
"""Characters that are invisible or reorder others, and those that HTML does not have."""

_STYLE = """\
.pdl-show{line-height:1.45;overflow-wrap:anywhere;max-width:72em}
.pdl-show p{margin:.5em 0 .2em}
.pdl-show .pdl-quiet{opacity:.78}
.pdl-show pre{margin:.2em 0 .6em;padding:.5em .75em;border:0;border-left:3px solid #8a8f98;
color:inherit;background:rgba(128,128,128,.1);max-height:26em;overflow:auto;
white-space:pre-wrap;overflow-wrap:anywhere;
font:.92em/1.5 ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.pdl-show pre.pdl-system{border-left-color:#8250df}
.pdl-show pre.pdl-user{border-left-color:#2f81f7}
.pdl-show pre.pdl-assistant,.pdl-show .pdl-good{border-left-color:#2da44e}
.pdl-show .pdl-bad{border-left-color:#d1242f}
.pdl-show .pdl-verdict{border-left-width:3px;border-left-style:solid;padding:.1em .6em}
.pdl-show ul{margin:.2em 0 .6em;padding-left:.6em;list-style:none}
.pdl-show code{color:inherit;background:none;padding:0;
font:.92em ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.pdl-show details{margin:.3em 0}
.pdl-show summary{cursor:pointer}
.pdl-show img{display:block;max-width:100%;max-height:20em;margin:.4em 0;background:none}
.pdl-show .pdl-answer{background:rgba(45,164,78,.18)}
.pdl-show .pdl-repair{background:rgba(191,135,0,.22);border-bottom:2px dashed #bf8700}
.pdl-show .pdl-error{background:rgba(209,36,47,.2);border-bottom:2px solid #e5534b}
.pdl-show sup{font-weight:bold;line-height:1;margin:0 .15em;user-select:none}
"""


def shown(*parts: str, style: str = "") -> str:
    """Return the whole of parts, with the style that they need, which nothing else on the page has.

    Its texts are no mathematics, whatever signs they have.
    """
    inner = "\n".join(filter(None, parts))
    return (
        f'<div class="pdl-show tex2jax_ignore mathjax_ignore">\n<style>\n{_STYLE}{style}</style>\n'
        f"{inner}\n</div>"
    )


def escaped(text: str) -> str:
    """Return a text for HTML, also between double quotes, with escapes for what is invisible."""
    return escape(_HIDDEN.sub(lambda found: ascii(found[0])[1:-1], text))


def clipped(text: str, longest: int) -> str:
    """Return the beginning of a text, and how much of it is left out."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest:,} more characters)"


class Room:
    """The room for the texts of one HTML: what comes when it is full is shortened the most."""

    def __init__(self, most: int = _ALL) -> None:
        self.left = most

    def text(self, text: str, longest: int = LONGEST) -> str:
        """Return a text for HTML, shortened to what there is room for."""
        most = min(longest, max(self.left, _LEAST))
        self.left -= min(len(text), most)
        return escaped(clipped(text, most))

    def block(self, text: str, kind: str = "") -> str:
        """Return a text as a block of its lines."""
        return block(self.text(text), kind)


def block(html: str, kind: str = "") -> str:
    """Return HTML as a block of lines; a tall one can be scrolled by keyboard."""
    named = f' class="pdl-{kind}"' if kind else ""
    tall = ' tabindex="0"' if len(html) > _TALL or html.count("\n") > 20 else ""  # noqa: PLR2004
    # The first newline of a `pre` is ignored.
    return f"<pre{named}{tall}>\n{html}</pre>"


def title(words: str, note: str = "") -> str:
    """Return a line above a part; `note` says more about it. Both are escaped here."""
    more = f' <span class="pdl-quiet">{escaped(note)}</span>' if note else ""
    return f"<p><b>{escaped(words)}</b>{more}</p>"


def folded(words: str, *parts: str) -> str:
    """Return parts that are shown when their title is clicked."""
    inner = "\n".join(parts)
    return f"<details><summary>{escaped(words)}</summary>\n{inner}\n</details>"


def listed(items: Iterable[str], left_out: int = 0, least: str = "") -> str:
    """Return items of HTML as a list, and how many others there are: `least` is such as `over `."""
    words = f'<span class="pdl-quiet">… and {least}{left_out:,} more</span>'
    more = [words] if left_out > 0 else []
    return "<ul>\n" + "\n".join(f"<li>{item}</li>" for item in (*items, *more)) + "\n</ul>"
