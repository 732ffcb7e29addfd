"""Answers that are not JSON: whether replies in one form are still read in another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.compare.verdicts import Inclusion, No, Unknown
from pdl.reply import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.schema import Schema

_MOST = 10_000  # characters or tasks of a reply that is tried


def includes_form(old: Schema, new: Schema, found: Inclusion) -> Inclusion:
    """Return what is known of the replies, where `found` is known of their values.

    Replies of the old form are tried: a form has few that the rest of it does not bound. Two forms
    of one kind differ by nothing but the info string or the number of tasks, which these show.
    """
    is_json = {old.form, new.form} <= {"json", "text"}
    if isinstance(found, No) or is_json or _form(old) == _form(new):
        return found
    for reply in _replies(old, new):
        taken = check(old, reply)
        if taken.ok and not check(new, reply).ok:
            return No(reply, taken.data)
    if old.form == new.form:
        return found
    return Unknown("the forms of the answers differ")


def _form(schema: Schema) -> tuple[object, ...]:
    return (schema.form, schema.lang, schema.tasks, schema.document)


def _replies(old: Schema, new: Schema) -> Iterator[str]:
    """Some replies in the old form, the shortest first."""
    match old.form:
        case "yesno":
            yield from ("yes", "no")
        case "code":
            bounds = [one.document.get(name) for one in (old, new)
                      for name in ("minLength", "maxLength")]  # fmt: skip
            for size in _sizes(bounds):
                yield from (f"```{info}\n{'x' * size}\n```" for info in (old.lang or "", "a"))
        case "tasklist":
            for count in _sizes([*old.tasks, *new.tasks]):
                yield "\n".join(["- [ ] a"] * count)
        case _:
            yield from ("a", "aa", "0", "true")


def _sizes(bounds: list[int | None]) -> list[int]:
    """The sizes at which bounds begin or end."""
    ends = {1, *(end for end in bounds if end is not None)}
    return sorted({end + more for end in ends for more in (-1, 0, 1) if 0 <= end + more <= _MOST})
