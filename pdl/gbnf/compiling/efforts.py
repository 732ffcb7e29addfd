"""How much of what objects must satisfy is kept: all of it, unless that has too many states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.gbnf.compiling.plans import Effort, counts_twice, hull

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pdl.gbnf.compiling.demands import Demand, Loss
    from pdl.gbnf.compiling.plans import Plan


def efforts(demands: Sequence[Demand], keys: int) -> Iterator[tuple[Effort, Sequence[Demand]]]:
    """Ever smaller efforts, and what they are to be spent on; the last one always suffices."""
    for most in (keys, keys // 2):
        yield Effort(most), demands
    for most in (keys // 2, keys // 4):
        yield Effort(most, together=True), demands
    for longest in (None, 2, 0):
        yield Effort(0, together=True, longest=longest), demands
    yield Effort(0, together=True, longest=0, witnesses=0), demands
    yield Effort(0, together=True, longest=0, witnesses=0, counted=0), demands
    yield Effort(0, together=True), (hull(demands),)


def losses(demands: Sequence[Demand], planned: Sequence[Plan]) -> Iterable[Loss]:
    """What plans do not hold of the demands that they were made for."""
    found: dict[Loss, None] = {}
    if len(planned) < len(demands):
        found["anyOf", "too many combinations of keys tell its objects apart"] = None
    for demand, plan in zip(demands, planned, strict=False):
        kept = plan.demand
        for clause in sorted(demand.clauses - kept.clauses, key=sorted):
            keyword = "required" if all(there for _, there in clause) else "dependentRequired"
            found[keyword, "it asks for too many combinations of keys"] = None
        if len(kept.witnesses) < len(demand.witnesses):
            found["not", "it asks for too many members that some key or value sets apart"] = None
        if kept.least < demand.least:
            found["minProperties", "it takes too many states to count so many keys"] = None
        elif counts_twice(plan):
            found["minProperties", "a name that comes twice counts twice"] = None
        if kept.most is None and demand.most is not None:
            found["maxProperties", "it takes too many states to count so many keys"] = None
    return found


def bounds(planned: Sequence[Plan]) -> Iterable[Loss]:
    """Where plans ask for one order of keys that could come in any."""
    found: dict[Loss, None] = {}
    for plan in planned:
        chain = plan.sequence[plan.loose :]
        if len(chain) > 1:
            total = len(chain) + len(plan.tracked)
            why = (
                f"{len(chain)} of the {total} keys whose presence matters"
                " are taken in the order of the schema only"
            )
            found["required", why] = None
    return found
