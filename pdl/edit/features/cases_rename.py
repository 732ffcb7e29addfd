"""Renaming a prompt's inputs and the keys of its answer in the cases beside it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pdl.edit.document import Document, Edit
from pdl.edit.features.cases_keys import declared, doubts_of, keys_of
from pdl.edit.features.cases_prompt import cases_of, typed_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pdl.edit.features.cases_keys import Key
    from pdl.edit.workspace import Workspace

_PLAIN = re.compile(r"(?!(?:true|false|null|yes|no|on|off|y|n)\Z)[^\W\d][\w-]*", re.IGNORECASE)


def renamed(
    workspace: Workspace,
    edits: Mapping[Document, Iterable[Edit]],
    names: tuple[str, str],
    *,
    free: bool,
) -> dict[Document, list[Edit]] | str:
    """Return the changes of the cases beside changed prompts, or say why they are not certain.

    `names` are the old and the new one; `free` says that no turn declares the old one. Names in
    other files, such as tables of cases, stay.
    """
    old, new = names
    found: dict[Document, list[Edit]] = {}
    for prompt, each in edits.items():
        cases = cases_of(workspace, prompt)
        starts = {one.start for one in each}
        roles = {one.turn.role for one in prompt.typed if any(map(one.turn.body.holds, starts))} & {
            "input",
            "schema",
        }
        is_free = free and not any(one.role == "input" for one in prompt.turns)
        if cases is None or not (roles or is_free):
            continue
        keys = [one for one in keys_of(cases) if one.path[-1:] == (old,)]
        certain = [one for one in keys if _is_at(prompt, one, starts, all, free=is_free)]
        doubts = [one.range for one in keys if _is_at(prompt, one, starts, any, free=is_free)]
        doubts = [one for one in doubts if one not in {known.range for known in certain}]
        for place in [*doubts, *doubts_of(cases, old)]:
            where = f"{cases.source.name}:{cases.source.span(place.start).line}"
            return f"another `{old}` may be the key too, which is not certain: {where}"
        if certain:
            found[cases] = [_edit(cases, one, new) for one in certain]
            reason = _checked(cases, certain, found[cases], new)
            if reason:
                return reason
    return found


def _is_at(
    prompt: Document,
    key: Key,
    starts: set[int],
    how: Callable[[Iterable[bool]], bool],
    *,
    free: bool,
) -> bool:
    """Whether a key of cases is declared at some places: at all of those that it is, or at any."""
    typed = typed_of(prompt, key.role)
    if typed is None:  # an input that is used without being declared
        return free and key.role == "input" and len(key.path) == 1
    places = declared(typed, key.path) if typed.language == "dsl" else []
    return bool(places) and how(one.start in starts for one in places)


def _edit(cases: Document, key: Key, new: str) -> Edit:
    is_quoted = cases.text[key.range.start - 1 : key.range.start] in {'"', "'"}
    is_bare = is_quoted or key.is_attribute or _PLAIN.fullmatch(new)
    return Edit(*key.range, new if is_bare else json.dumps(new, ensure_ascii=False))


def _checked(cases: Document, keys: list[Key], edits: list[Edit], new: str) -> str:
    """Why a file would not have the same keys under the new name; nothing if it has."""
    out: list[str] = []
    at = 0
    for one in edits:
        out += (cases.text[at : one.start], one.text)
        at = one.end
    changed = Document("".join(out) + cases.text[at:], cases.path)
    changed_keys = {one.range: one for one in keys}
    expected = [
        (one.role, new if one.range in changed_keys else one.path[-1] if one.path else "")
        for one in keys_of(cases)
    ]
    found = [(one.role, one.path[-1] if one.path else "") for one in keys_of(changed)]
    if found == expected:
        return ""
    return f"`{new}` would be something else in {cases.source.name}"
