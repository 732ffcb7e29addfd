"""Comparisons of tools: whether the calls of models still fit, for handlers and on record."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pdl.compare.drafts import Draft, breaks_of
from pdl.compare.guesses import guesses
from pdl.compare.inclusion import includes
from pdl.compare.nodes import NOTHING, Part, Side, quoted
from pdl.compare.schemas import Naming, compare_parts
from pdl.compare.verdicts import Change, Comparison, Inclusion, No, Yes, verdict_of
from pdl.gbnf.limits_errors import Clock
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.schema.json_values import compact_json
from pdl.tools import ToolSet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.tools import Tool


def compare_tools(
    old: ToolSet | None, new: ToolSet | None, *, limits: Limits = DEFAULT_LIMITS
) -> Comparison:
    """Return all differences of two sets of tools; None is a set without tools.

    Paths name the tool and the argument (`search.query`). Witnesses are calls: objects with the
    `name` of the tool and its `arguments`. A tool that is new breaks programs, which have to handle
    its calls; one that was removed breaks recorded calls. `limits.grammar_seconds` bounds the
    whole. Raises TypeError for anything but tools and None.
    """
    for one in (old, new):
        if one is not None and not isinstance(one, ToolSet):
            raise TypeError(f"tools must be a pdl ToolSet or None, not {type(one).__name__}")
    before, after = old or ToolSet(()), new or ToolSet(())
    clock = Clock(limits, "comparing the tools")
    found = _guessed(before, after)
    changes: list[Change] = []
    wholes: list[tuple[Inclusion, Inclusion]] = []
    for name in dict.fromkeys((*before.names, *after.names)):
        bounded = replace(limits, grammar_seconds=clock.left)
        if name in before and name in after:
            compared = _changed(before[name], after[name], bounded)
        else:
            is_added = name in after
            tool = after[name] if is_added else before[name]
            compared = _alone(tool, found.get(name, ""), bounded, is_added=is_added)
        changes += compared.changes
        wholes.append((compared.forward, compared.backward))
    changes += _order(before, after)
    return Comparison(
        tuple(changes), _all(one for one, _ in wholes), _all(other for _, other in wholes)
    )


def _all(found: Iterator[Inclusion]) -> Inclusion:
    """Whether the calls of all tools are included: a call that is not, before what is unknown."""
    some = list(found)
    unknown = next((one for one in some if not one), Yes())
    return next((one for one in some if isinstance(one, No)), unknown)


def _changed(before: Tool, after: Tool, limits: Limits) -> Comparison:
    found = compare_parts(
        before.schema, after.schema, limits, Naming("tools", before.name, "argument")
    )
    changes = [
        replace(
            one,
            lost=None if one.lost is None else _call(before, one.lost),
            gained=None if one.gained is None else _call(before, one.gained),
        )
        if one.witnesses == "answer"
        else one
        for one in found.changes
    ]
    if before.description != after.description:
        was, now = quoted(before.description), quoted(after.description)
        message = f"description {was} became {now}"
        if not before.description:
            message = f"description added: {now}"
        elif not after.description:
            message = f"description removed: {was}"
        changes.insert(0, Change("tools", before.name, message, was, now, "compatible"))
    calls = [_as_calls(before, one) for one in (found.forward, found.backward)]
    return Comparison(tuple(changes), calls[0], calls[1])


def _as_calls(tool: Tool, found: Inclusion) -> Inclusion:
    return _call(tool, found) if isinstance(found, No) else found


def _call(tool: Tool, found: No) -> No:
    """A call with the arguments that a witness is."""
    call = {"name": tool.name, "arguments": found.value}
    return No(compact_json(call), call)


def _alone(tool: Tool, guess: str, limits: Limits, *, is_added: bool) -> Comparison:
    """A tool that only one side has: whether there is a call of it."""
    some = _as_calls(tool, includes(tool.schema, NOTHING, limits=limits))
    shown = some if isinstance(some, No) else None
    forward, backward = (Yes(), some) if is_added else (some, Yes())
    words = f"tool {'added' if is_added else 'removed'}: {_signature(tool)}"
    change = Change(
        "tools",
        tool.name,
        words,
        "" if is_added else _signature(tool),
        _signature(tool) if is_added else "",
        verdict_of(forward, backward),
        None if is_added else shown,
        shown if is_added else None,
        breaks_of("tools", forward, backward),
        guess,
    )
    return Comparison((change,), forward, backward)


def _signature(tool: Tool) -> str:
    """The tool with its arguments, on one line."""
    words = Side(tool.schema).words(tool.schema.document)
    inside = words.removeprefix("{").removesuffix("}").strip()
    return f"{tool.name}({inside})" if words.startswith("{") else f"{tool.name}: {words}"


def _order(before: ToolSet, after: ToolSet) -> Iterator[Change]:
    """The order in which models read the tools."""
    olds = [name for name in before.names if name in after]
    news = [name for name in after.names if name in before]
    if olds != news:
        was, now = (", ".join(f"`{name}`" for name in names) for names in (olds, news))
        message = f"order of tools {was} became {now}"
        yield Change("tools", "$", message, was, now, "compatible")


def _guessed(before: ToolSet, after: ToolSet) -> dict[str, str]:
    """The guesses for tools that were added, by their names."""
    drafts = [_draft(tool, "removed") for tool in before if tool.name not in after]
    drafts += [_draft(tool, "added") for tool in after if tool.name not in before]
    found = guesses(drafts)
    return {one.key: found[id(one)] for one in drafts if id(one) in found}


def _draft(tool: Tool, role: Literal["removed", "added"]) -> Draft:
    side = Side(tool.schema)
    holds = Part(side, side.document)
    return Draft(
        f"$.{tool.name}", "", role=role, key=tool.name, holds=holds, notes=tool.description
    )
