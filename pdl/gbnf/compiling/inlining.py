"""Merge equal drafts, and inline short ones where they are used."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pdl.automata.charset import CharSet
from pdl.errors import LimitError, Problem
from pdl.gbnf.compiling.drafts import (
    Choice,
    ProductionDraft,
    Repeat,
    add,
    as_row,
    drafts,
    left_factor,
    looped,
    shortened,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pdl.gbnf.compiling.drafts import Alternative, Alternatives, Part

_TINY = 12
"""What is not wider is written wherever it is used."""
_SHORT = 160
"""What is used once and not wider has no rule of its own, alternatives"""
_LONG = 400
"""and single sequences."""
_DEEP = 8
"""Parentheses in parentheses."""
_DRAFTS = 20
"""For how many drafts there may be one rule in the end."""
_UNSEEN, _OPEN, _DONE, _SEALED = range(4)


def inline_and_merge(root: ProductionDraft, limit: int | None = None) -> list[ProductionDraft]:
    """Give each draft that can be reached the rows that are to be written; return all of them.

    Raises LimitError (`limit/grammar-rules`) where these are so many that no grammar of `limit`
    rules comes of them.
    """
    root.whole = True
    order = _merged(root, None if limit is None else limit * _DRAFTS)
    for draft in reversed(order):  # those that name a draft come before it
        copies = draft.uses if draft.glue and not draft.loops else 1
        for part in draft.inner:
            part.uses += copies
    for draft in order:
        _finish(draft)
    return order


def sealed(root: ProductionDraft) -> ProductionDraft:
    """A rule that is finished once for all grammars, each of which has it as a rule of its own.

    Nothing reads what `inline_and_merge` notes of it, so that it can be in several at a time.
    """
    inline_and_merge(root)
    waiting = [root]
    while waiting:
        draft = waiting.pop()
        if draft.seen != _SEALED:
            draft.seen = _SEALED
            draft.whole = True
            draft.inner = drafts(draft.rows)
            waiting += draft.inner
    return root


def is_sealed(draft: ProductionDraft) -> bool:
    """Whether a draft is finished, for all grammars."""
    return draft.seen == _SEALED


def release(order: Iterable[ProductionDraft]) -> None:
    """Let drafts no longer lead to each other, which would keep them until the next collection."""
    for draft in order:
        if not is_sealed(draft):
            draft.rows = ()
            draft.inner = []


def _merged(root: ProductionDraft, most: int | None) -> list[ProductionDraft]:
    """The drafts that the root reaches, targets first, of which no two say the same.

    Each names such drafts only.
    """
    known: dict[Alternatives, ProductionDraft] = {}
    order: list[ProductionDraft] = []
    root.inner = drafts(root.rows)
    root.seen = _OPEN
    stack = [(root, iter(root.inner))]
    while stack:
        draft, following = stack[-1]
        for step in following:
            if step.seen == _UNSEEN:
                step.inner = drafts(step.rows)
                step.seen = _OPEN
                stack.append((step, iter(step.inner)))
                break
            if step.seen == _OPEN:
                step.loops = True
        else:
            stack.pop()
            draft.seen = _DONE
            if _stands(draft, root, known):
                order.append(draft)
                if most is not None and len(order) > most:
                    raise LimitError(too_many(most // _DRAFTS))
    for draft in order:  # those that were met before they were told the same as others
        _rename(draft)
    return order


def _stands(
    draft: ProductionDraft, root: ProductionDraft, known: dict[Alternatives, ProductionDraft]
) -> bool:
    """Whether nothing that is known says the same; the root is always kept."""
    _rename(draft)
    short = shortened(draft.rows)
    if short is not draft.rows:
        draft.rows, draft.inner = short, drafts(short)
    if draft is root:
        return True
    if len(draft.rows) == 1 and len(draft.rows[0]) == 1:
        only = draft.rows[0][0]
        if isinstance(only, ProductionDraft) and only is not draft:
            draft.same = only
            return False
    found = known.setdefault(draft.rows, draft)
    if found is draft:
        return True
    draft.same = found
    found.whole |= draft.whole
    return False


def _rename(draft: ProductionDraft) -> None:
    for part in draft.inner:
        if part.same is not None:
            draft.rows = tuple(tuple(map(_same, row)) for row in draft.rows)
            draft.inner = drafts(draft.rows)
            return


def _same(part: Part) -> Part:
    if isinstance(part, ProductionDraft):
        while part.same is not None:
            part = part.same
        return part
    if isinstance(part, Choice):
        return Choice(tuple(tuple(map(_same, row)) for row in part.rows))
    if isinstance(part, Repeat):
        return Repeat(_same(part.part), part.least, part.most)
    return part


def _finish(draft: ProductionDraft) -> None:
    rows = draft.rows
    for part in draft.inner:
        if part.inline:
            rows = _written(rows)
            break
    if draft.loops:
        rows, loops = looped(draft, rows)
        draft.uses -= loops
    draft.rows = rows = _once(rows, left_factor(rows))
    if draft.whole or (draft.loops and draft in drafts(rows)):
        return
    if draft.glue:
        draft.inline = True
        return
    draft.inline = _is_inline(draft)
    if draft.inline and draft.uses > 1:
        for part in drafts(rows):
            part.uses += draft.uses - 1


def _is_inline(draft: ProductionDraft) -> bool:
    most = _TINY
    if draft.uses == 1:
        most = _LONG if len(draft.rows) == 1 else _SHORT
    width, depth = _measure(draft.rows, most)
    return depth < _DEEP and width <= most


def _once(before: Alternatives, rows: Alternatives) -> Alternatives:
    """Folded rows, with those of drafts in them that nothing but they name any more."""
    if rows is before or len(before) == 1:
        return rows
    fewer = Counter(drafts(before))
    fewer.subtract(drafts(rows))
    found = False
    for draft, count in fewer.items():
        if count:
            draft.uses -= count
            if draft.uses == 1 and not (draft.whole or draft.loops or draft.inline):
                draft.inline = _is_inline(draft)
                found |= draft.inline
    return left_factor(_written(rows)) if found else rows


def _written(rows: Alternatives) -> Alternatives:
    """Alternatives with those of inline drafts in them."""
    found: list[Alternative] = []
    for row in rows:
        if len(row) == 1:
            only = row[0]
            if isinstance(only, ProductionDraft) and only.inline:
                found.extend(only.rows)
                continue
            if isinstance(only, Choice):
                found.extend(_written(only.rows))
                continue
        parts: list[Part] = []
        for part in row:
            if type(part) is str or type(part) is CharSet:
                add(parts, part)
            else:
                for one in _spelled(part):
                    add(parts, one)
        found.append(tuple(parts))
    return tuple(found)


def _spelled(part: Part) -> Alternative:
    if isinstance(part, ProductionDraft):
        return as_row(part.rows) if part.inline else (part,)
    if isinstance(part, Choice):
        return as_row(left_factor(_written(part.rows)))
    if isinstance(part, Repeat):
        row = _spelled(part.part)
        if not row:
            return ()
        return (Repeat(row[0] if len(row) == 1 else Choice((row,)), part.least, part.most),)
    return (part,)


def _measure(rows: Alternatives, most: int) -> tuple[int, int]:
    """About how many characters rows take, and how many parentheses nest in them.

    What takes more than `most` is not looked at to its end.
    """
    width, deep = 3 * len(rows) - 3, 0
    for row in rows:
        for part in row:
            if type(part) is str:
                width += len(part) + 3
            elif type(part) is ProductionDraft:
                width += len(part.wish) + 1
            else:
                more, depth = _size(part, most - width)
                width += more + 1
                deep = max(deep, depth)
        if width > most:
            break
    return width, deep


def _size(part: Part, most: int) -> tuple[int, int]:
    if type(part) is CharSet:
        return 2 + 3 * min(len(part.ranges), 20), 0
    if type(part) is Choice:
        width, deep = _measure(part.rows, most)
        return width + 2, deep + 1
    if type(part) is Repeat:
        width, deep = _size(part.part, most)
        return width + 3, deep
    return len(part) + 2 if isinstance(part, str) else len(part.wish), 0


def too_many(limit: int) -> Problem:
    """That the grammar would have too many rules."""
    return Problem(
        "limit/grammar-rules",
        f"the grammar needs more than {limit:,} rules",
        hint="raise `Options.max_rules`, or simplify the schema: shorter enums, smaller counts",
    )
