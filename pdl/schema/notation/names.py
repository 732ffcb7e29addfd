"""The names of a schema: which stand for themselves, and which no value can ever complete."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pdl._types import JsonSchema

PREFIX = "#/$defs/"


def reachable(root: JsonSchema, definitions: Mapping[str, JsonSchema]) -> set[str]:
    """The names that the root uses, directly or through others."""
    found: set[str] = set()
    pending = [root]
    while pending:
        for node in _nodes(pending.pop()):
            name = _target(node)
            if name is not None and name not in found:
                found.add(name)
                pending.append(definitions.get(name, {}))
    return found


def alias_cycle(definitions: Mapping[str, JsonSchema]) -> list[str]:
    """Names that stand for each other with nothing between: `A = B  B = A | int`. Empty if none."""
    direct = {name: list(_direct(schema)) for name, schema in definitions.items()}
    return _cycle(direct)


def endless_cycle(definitions: Mapping[str, JsonSchema]) -> list[str]:
    """Names of which no value can be complete, each needing the next. Empty if none.

    A name is complete once what it requires is, so completeness spreads from the leaves; each
    requirement is looked at once (as unit propagation on Horn clauses does it: Dowling and
    Gallier, 1984).
    """
    gates = {name: _Gate(1) for name in definitions}
    ready: deque[_Gate] = deque()
    for name, schema in definitions.items():
        _wire(schema, gates[name], gates, ready)
    while ready:
        for parent in ready.popleft().parents:
            parent.missing -= 1
            if parent.missing == 0:
                ready.append(parent)
    endless = {name for name, gate in gates.items() if gate.missing > 0}
    needed = {
        name: [other for other in _required(definitions[name]) if other in endless]
        for name in definitions
        if name in endless
    }
    return _cycle(needed)


@dataclass(eq=False)
class _Gate:
    """Something that is complete when `missing` more of what it waits for are."""

    missing: int
    parents: list[_Gate] = field(default_factory=list)


def _wire(
    schema: JsonSchema, above: _Gate, gates: Mapping[str, _Gate], ready: deque[_Gate]
) -> None:
    pending = [(schema, above)]
    while pending:
        node, parent = pending.pop()
        target = _target(node)
        needs = [] if target is not None else list(_needs(node))
        gate = _Gate(1 if target is not None or "anyOf" in node else len(needs))
        gate.parents.append(parent)
        if target is not None and target in gates:
            gates[target].parents.append(gate)
        elif not gate.missing or target is not None:
            ready.append(gate)
        pending += [(inner, gate) for inner in needs]


def _needs(node: JsonSchema) -> Iterator[JsonSchema]:
    """The schemas that a value holds for certain; of the branches of an `anyOf`, one."""
    if "anyOf" in node:
        yield from node["anyOf"]
    if not isinstance(node.get("type"), str):
        return
    if "prefixItems" in node:
        yield from node["prefixItems"]
    elif node.get("minItems") and "items" in node:
        yield node["items"]
    for key in node.get("required", ()):
        yield node["properties"][key]


def _required(schema: JsonSchema) -> Iterator[str]:
    pending = [schema]
    while pending:
        node = pending.pop()
        target = _target(node)
        if target is not None:
            yield target
        pending += _needs(node)


def _nodes(schema: JsonSchema) -> Iterator[JsonSchema]:
    pending = [schema]
    while pending:
        node = pending.pop()
        yield node
        pending += node.get("anyOf", ())
        pending += node.get("prefixItems", ())
        pending += node.get("properties", {}).values()
        rest = (node.get("items"), node.get("additionalProperties"))
        pending += [inner for inner in rest if isinstance(inner, dict)]


def _direct(schema: JsonSchema) -> Iterator[str]:
    for branch in (schema, *schema.get("anyOf", ())):
        target = _target(branch)
        if target is not None:
            yield target


def _target(node: JsonSchema) -> str | None:
    reference = node.get("$ref")
    return reference.removeprefix(PREFIX) if isinstance(reference, str) else None


def _cycle(edges: Mapping[str, list[str]]) -> list[str]:
    """The first cycle of a graph, each name before the one that it leads to."""
    done: set[str] = set()
    for start in edges:
        path: dict[str, Iterator[str]] = {}
        following: str | None = start if start not in done else None
        while following is not None or path:
            if following is not None:
                path[following] = iter(edges.get(following, ()))
            last = next(reversed(path))
            following = next((name for name in path[last] if name not in done), None)
            if following in path:
                return list(path)[list(path).index(following) :]
            if following is None:
                done.add(last)
                del path[last]
    return []
