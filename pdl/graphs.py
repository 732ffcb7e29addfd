"""Directed graphs: components, cycles, shortest paths, reachable nodes; iterative."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

_N = TypeVar("_N", bound="Hashable")


def strongly_connected_components(graph: Mapping[_N, Iterable[_N]]) -> list[list[_N]]:
    """The strongly connected components, each after all that can be reached from it.

    Source: Tarjan, Depth-first search and linear graph algorithms, 1972.
    """
    index: dict[_N, int] = {}
    low: dict[_N, int] = {}
    open_: dict[_N, None] = {}
    found: list[list[_N]] = []
    for root in graph:
        if root in index:
            continue
        pending = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        open_[root] = None
        while pending:
            node, following = pending[-1]
            step = next((one for one in following if one in graph), None)
            if step is None:
                pending.pop()
                if pending:
                    above = pending[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == index[node]:
                    found.append(_taken(open_, node))
            elif step not in index:
                index[step] = low[step] = len(index)
                open_[step] = None
                pending.append((step, iter(graph[step])))
            elif step in open_:
                low[node] = min(low[node], index[step])
    return found


def _taken(open_: dict[_N, None], last: _N) -> list[_N]:
    """The newest nodes up to one, which are open no more."""
    component: list[_N] = []
    while True:
        node, _ = open_.popitem()
        component.append(node)
        if node == last:
            return component


def shortest_path(graph: Mapping[_N, Iterable[_N]], start: _N, end: _N) -> list[_N]:
    """A shortest path from one node to another, both included, of one edge at least.

    Breadth-first search. Raises KeyError if there is none.
    """
    before: dict[_N, _N] = {}
    row = [start]
    while row:
        following: list[_N] = []
        for node in row:
            for step in graph.get(node, ()):
                if step not in before:
                    before[step] = node
                    following.append(step)
        if end in before:
            break
        row = following
    path = [end, before[end]]
    while path[-1] != start:
        path.append(before[path[-1]])
    return path[::-1]


def reachable(graph: Mapping[_N, Iterable[_N]], starts: Iterable[_N]) -> set[_N]:
    """Return the nodes that can be reached from some nodes, which are among them."""
    seen = set(starts)
    pending = list(seen)
    while pending:
        fresh = [node for node in graph.get(pending.pop(), ()) if node not in seen]
        seen.update(fresh)
        pending += fresh
    return seen


def find_cycle(graph: Mapping[_N, Iterable[_N]]) -> list[_N]:
    """Return the nodes of a cycle, each before one that it leads to; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle: list[_N] = error.args[1]
        return cycle[:0:-1]
    return []
