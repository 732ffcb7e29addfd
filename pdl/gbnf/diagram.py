"""The diagram of a grammar: pictures as SVG, on their own or within an HTML page.

The page has a table of all rules and a section for each: comments, picture, text. No scripts; links
lead to the rules' pictures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pdl.gbnf.nodes import reachable, references, rule_text
from pdl.gbnf.railroad import HALF, PAD, anchor, picture, placed, safe, shortened, width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pdl.gbnf.nodes import Rule
    from pdl.gbnf.railroad import Box, Said


MARGIN = 8
_LIGHT = {
    "page": "#fff", "ink": "#1f2328", "soft": "#59636e", "line": "#8c959f",
    "text": "#dafbe1", "text_edge": "#2da44e", "class": "#fff8c5", "class_edge": "#bf8700",
    "rule": "#ddf4ff", "rule_edge": "#0969da", "token": "#fbefff", "token_edge": "#8250df",
}  # fmt: skip
_DARK = {
    "page": "#0d1117", "ink": "#e6edf3", "soft": "#9198a1", "line": "#6e7681",
    "text": "#12261e", "text_edge": "#3fb950", "class": "#272115", "class_edge": "#d29922",
    "rule": "#121d2f", "rule_edge": "#4493f8", "token": "#231a33", "token_edge": "#ab7df8",
}  # fmt: skip
_PICTURE_PAINT = """\
.rail .page{{fill:{page}}}
.rail path{{stroke:{line}}}
.rail text{{fill:{ink}}}
.rail .label text,.rail text.note{{fill:{soft}}}
.rail .text rect{{fill:{text};stroke:{text_edge}}}
.rail .class rect{{fill:{class};stroke:{class_edge}}}
.rail .rule rect{{fill:{rule};stroke:{rule_edge}}}
.rail .token rect{{fill:{token};stroke:{token_edge}}}
"""
_SHAPES = """\
:root{color-scheme:light dark}
.rail path{fill:none;stroke-width:1.6}
.rail rect{stroke-width:1.2}
.rail text{font:14px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre}
.rail text.name{font-weight:bold}
.rail a:hover rect,.rail a:focus rect{stroke-width:2.4}
"""


def themed(rules: str) -> str:
    """Rules of CSS with the names of colours in braces, for light and for dark.

    Without variables, which many viewers of SVG files do not know: all would be black.
    """
    dark = f"@media (prefers-color-scheme:dark){{\n{rules.format_map(_DARK)}}}\n"
    return rules.format_map(_LIGHT) + dark


STYLE = _SHAPES + themed(_PICTURE_PAINT)


def fragment(box: Box, x: int, y: int) -> Iterator[str]:
    """The elements of a picture whose line begins at a place."""
    for left, line, one in placed(box, x, y):
        if one.lines:
            d = "".join(f"M{left + part.x} {line + part.y}{part.d}" for part in one.lines)
            yield f'<path d="{d}"/>'
        if one.said:
            yield _said(one.said, one, left, line)


def _said(said: Said, box: Box, x: int, y: int) -> str:
    if said.kind == "label":
        return f'<g class="label">{text(said.text, x, y)}</g>'
    radius = 4 if said.kind == "rule" else HALF
    frame = (
        f'<rect x="{x}" y="{y - HALF}" width="{box.width}" height="{2 * HALF}" rx="{radius}"/>'
        f"{text(said.text, x + PAD, y + 5)}"
    )
    inner = f'<g class="{said.kind}"><title>{safe(said.title)}</title>{frame}</g>'
    return f'<a href="#{anchor(said.rule)}">{inner}</a>' if said.rule else inner


def text(said: str, x: int, y: int, kind: str = "") -> str:
    """A text, as wide as it was taken for, whatever the font."""
    named = f' class="{kind}"' if kind else ""
    fitted = f' textLength="{width(said)}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x}" y="{y}"{named}{fitted}>{safe(said)}</text>'


def inline(box: Box, name: str) -> str:
    """A picture for a page that has the styles."""
    full, high = box.width + 2 * MARGIN, box.up + box.down + 2 * MARGIN
    title = f"title-{anchor(name)}"
    parts = "\n".join(fragment(box, MARGIN, MARGIN + box.up))
    return (
        f'<svg class="rail" role="group" aria-labelledby="{title}" width="{full}" height="{high}"'
        f' viewBox="0 0 {full} {high}">\n'
        f'<title id="{title}">Railroad diagram of the rule {safe(name)}</title>\n{parts}\n</svg>'
    )


def document(pictures: Iterable[tuple[str, tuple[str, ...], Box]], title: str) -> str:
    """One picture of all rules below each other: their names, their comments and their pictures."""
    parts: list[str] = []
    full, y = 0, MARGIN
    for name, comments, box in pictures:
        parts.append(f'<g id="{anchor(name)}"><title>{safe(f"the rule {name}")}</title>')
        for kind, said in (*(("note", one) for one in comments if one), ("name", name)):
            y += 20
            full = max(full, width(said))
            parts.append(text(said, MARGIN, y, kind))
        y += 12 + box.up
        parts += fragment(box, MARGIN, y)
        parts.append("</g>")
        full = max(full, box.width)
        y += box.down + 20
    full += 2 * MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rail" role="group" aria-labelledby="title"'
        f' width="{full}" height="{y}" viewBox="0 0 {full} {y}">\n'
        f'<title id="title">{safe(title)}</title>\n<style>\n{STYLE}</style>\n'
        f'<rect class="page" width="{full}" height="{y}"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


_USERS = 8  # rules that are listed as those which use one
_SHOWN = 160  # characters of a rule in the table
_LAYOUT = """\
body{margin:0 auto;max-width:64rem;padding:1rem;font:16px/1.5 system-ui,sans-serif}
code,pre{font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.9em}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%;table-layout:fixed}
th,td{border-bottom:1px solid;padding:.3rem .6rem;text-align:left;vertical-align:top;
overflow-wrap:anywhere}
th:nth-child(1),th:nth-child(3){width:22%}
section{margin:2.5rem 0;scroll-margin-top:1rem}
figure{margin:0;overflow-x:auto}
.note{margin:.2rem 0;white-space:pre-wrap;overflow-wrap:anywhere}
"""
_PAGE_PAINT = """\
body{{background:{page};color:{ink}}}
a,section:target h2{{color:{rule_edge}}}
pre,p.note{{color:{soft}}}
th,td{{border-color:{line}}}
"""
_STYLE = _LAYOUT + themed(_PAGE_PAINT)


def page(
    rules: Mapping[str, Rule],
    root: str,
    comments: Iterable[str],
    pictures: Mapping[str, Box],
    title: str,
) -> str:
    """The page, as HTML that needs nothing else."""
    reached = set(reachable(rules, root))
    users = _users(rules)
    table = "\n".join(
        _line(rule, users.get(name, []), name in reached) for name, rule in rules.items()
    )
    sections = "\n".join(_section(rule, pictures[name]) for name, rule in rules.items())
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{safe(title)}</title>
<style>
{STYLE}{_STYLE}</style>
</head>
<body>
<h1>{safe(title)}</h1>
<p>A text must match the rule {_link(root) if root in rules else safe(root)}.</p>
<nav aria-label="Rules">
<table>
<thead><tr><th scope="col">Rule</th><th scope="col">Definition</th>
<th scope="col">Used by</th></tr></thead>
<tbody>
{table}
</tbody>
</table>
</nav>
<main>
{sections}
{_notes(comments)}</main>
</body>
</html>
"""


def _users(rules: Mapping[str, Rule]) -> dict[str, list[str]]:
    """For each rule the names of those that refer to it."""
    found: dict[str, dict[str, None]] = {}
    for rule in rules.values():
        for ref in references(rule.options):
            found.setdefault(ref.name, {})[rule.name] = None
    return {name: list(users) for name, users in found.items()}


def _link(name: str) -> str:
    return f'<a href="#{anchor(name)}">{safe(name)}</a>'


def _line(rule: Rule, users: list[str], reached: bool) -> str:  # noqa: FBT001 - a column
    body = rule_text(rule).removeprefix(f"{rule.name} ::= ")
    by = ", ".join(map(_link, users[:_USERS]))
    by += f" and {len(users) - _USERS} others" if len(users) > _USERS else ""
    if not reached:
        by += f"{'; ' if by else ''}<em>not reached</em>"
    shown = safe(shortened(body, _SHOWN))
    return f"<tr><td>{_link(rule.name)}</td><td><code>{shown}</code></td><td>{by}</td></tr>"


def _section(rule: Rule, picture: Box) -> str:
    return (
        f'<section id="{anchor(rule.name)}">\n<h2>{safe(rule.name)}</h2>\n{_notes(rule.comments)}'
        f"<figure>\n{inline(picture, rule.name)}\n</figure>\n"
        f"<pre><code>{safe(rule_text(rule))}</code></pre>\n</section>"
    )


def _notes(comments: Iterable[str]) -> str:
    return "".join(f'<p class="note">{safe(comment)}</p>\n' for comment in comments if comment)


def draw(
    rules: Mapping[str, Rule],
    root: str,
    comments: tuple[str, ...],
    form: Literal["svg", "html"],
    title: str,
) -> str:
    """A picture of each rule: one below the other in an SVG file, or in an HTML page.

    `comments` are those after the last rule. Raises ValueError for another form.
    """
    if form not in {"svg", "html"}:
        raise ValueError(f"format must be 'svg' or 'html', not {form!r}")
    pictures = {name: picture(rule, rules) for name, rule in rules.items()}
    if form == "html":
        return page(rules, root, comments, pictures, title)
    return document(((name, rules[name].comments, box) for name, box in pictures.items()), title)
