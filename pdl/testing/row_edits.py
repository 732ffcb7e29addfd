"""Writing replies into the rows of tables of cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from pdl.errors import CasesError, Problem
from pdl.models.exchange import Reply
from pdl.prompt.template import source_of
from pdl.schema.json_values import json_line
from pdl.testing.edits import Edit, edited
from pdl.testing.forms import clear_refusal
from pdl.testing.replies import is_plain, record
from pdl.testing.tables import cells_at, is_json_lines, place_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl._types import Json
    from pdl.source import Source
    from pdl.testing.cases import Row


def changed_tables(
    changes: Iterable[tuple[Row, Sequence[Reply | str] | None, bool]],
) -> dict[Path, str]:
    """Return the new texts of tables by their paths, with what a model said to rows.

    With True, the replies of a row have their token counts, unless the table is CSV.
    Raises CasesError for a table that was changed meanwhile, and for a reply that CSV can't hold;
    OSError for one that can't be read.
    """
    by_source: dict[str, list[tuple[Row, Sequence[Reply | str], bool]]] = {}
    for row, said, has_usage in changes:
        if said:
            by_source.setdefault(row.span.source.name, []).append((row, said, has_usage))
    texts = {}
    for name, rows in by_source.items():
        source = rows[0][0].span.source
        raw = Path(name).read_bytes().decode()
        if source_of(raw, "").text != source.text:
            message = f"{name}: was changed since it was read; nothing is written"
            raise CasesError(Problem("test/changed", message))
        if is_json_lines(source):
            edits = [_json_edit(row, said, has_usage=one) for row, said, one in rows]
        else:
            edits = list(_csv_edits(source, [(row, said) for row, said, _ in rows]))
        texts[Path(name)] = edited(raw, edits)
    return texts


def refuse_reply(row: Row, said: Sequence[Reply | str]) -> None:
    """Raise CasesError for a reply that a table can't hold: in CSV, one that is not only text."""
    if not is_json_lines(row.span.source):
        _cells(row, said)


def _json_edit(row: Row, said: Sequence[Reply | str], *, has_usage: bool) -> Edit:
    """The edit of a row: of its reply alone, unless it has a refusal, too, or now has one."""
    text, (source, start, end) = row.span.text, row.span
    refusal = next((one for one in said if isinstance(one, str)), None)
    replies = [one for one in said if isinstance(one, Reply)]
    if refusal is not None or "refused" in row.values:
        kept = {key: one for key, one in row.values.items() if key not in {"reply", "refused"}}
        new = (
            {"reply": _json_of(replies, has_usage=has_usage)}
            if refusal is None
            else {"refused": clear_refusal(refusal)}
        )
        return Edit(start, end, json_line({**kept, **new}))
    reply = json_line(_json_of(replies, has_usage=has_usage))
    if "reply" in row.values:
        at = place_of(row, "reply").start
        return Edit(at, json.JSONDecoder().raw_decode(source.text, at)[1], reply)
    brace = start + text.rindex("}")
    comma = ", " if row.values else ""
    return Edit(brace, brace, f'{comma}"reply": {reply}')


def _json_of(replies: Sequence[Reply], *, has_usage: bool) -> Json:
    found = [one.text if is_plain(one) and not has_usage else record(one) for one in replies]
    return found[0] if len(found) == 1 else found


def _csv_edits(source: Source, rows: Sequence[tuple[Row, Sequence[Reply | str]]]) -> Iterator[Edit]:
    """The edits of cells; columns that the table doesn't have yet are added to all its rows."""
    columns = list(rows[0][0].values)
    said = {row.span.start: _cells(row, one) for row, one in rows}
    needed = {name for cells in said.values() for name, text in cells.items() if text}
    added = [name for name in ("reply", "refused") if name in needed and name not in columns]
    start = 0
    is_header = True
    while start < len(source.text):
        cells = cells_at(source.text, start)
        end = cells[-1].end
        new = said.get(start, {})
        if source.text[start:end].strip():
            for name in ("reply", "refused"):
                if name in columns and new:
                    cell = cells[columns.index(name)]
                    yield Edit(cell.start, cell.end, new[name])
            more = added if is_header else [new.get(name, "") for name in added]
            if added:
                yield Edit(end, end, "".join(f",{text}" for text in more))
            is_header = False
        start = end + 1


def _cells(row: Row, said: Sequence[Reply | str]) -> dict[str, str]:
    """What the cells of a row have of the last thing that the model said."""
    last = said[-1]
    if isinstance(last, str):
        return {"reply": "", "refused": _quoted(clear_refusal(last))}
    text = last.text
    if not is_plain(last) or not text or "\r" in text or _is_odd(text):
        message = "a cell can't hold this reply"
        hint = "use a table of JSON Lines, which can"
        raise CasesError(Problem("test/cases", message, row.span, hint))
    return {"reply": _quoted(text), "refused": ""}


def _is_odd(text: str) -> bool:
    """Whether a text has unpaired surrogates."""
    return not text.isascii() and any("\ud800" <= one <= "\udfff" for one in text)


def _quoted(text: str) -> str:
    return f'"{text.replace(chr(34), chr(34) * 2)}"'
