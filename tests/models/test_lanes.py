"""Lanes: calls of one provider at the same time and in a minute, by a clock that does not wait."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from pdl.models import lanes
from pdl.models.lanes import Lane, Lanes

if TYPE_CHECKING:
    from collections.abc import Coroutine


_REAL_SLEEP = asyncio.sleep


class World:
    """The time, which passes when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.sleepers.append((self.now + seconds, future))
        await future

    async def run(self, *calls: Coroutine[None, None, None]) -> None:
        """Run coroutines; the time advances to the next waking once all of them wait."""
        tasks = [asyncio.ensure_future(call) for call in calls]
        while not all(task.done() for task in tasks):
            for _ in range(20):
                await _REAL_SLEEP(0)
            if self.sleepers:
                self.sleepers.sort(key=lambda one: one[0])
                self.now, future = self.sleepers.pop(0)
                future.set_result(None)
        await asyncio.gather(*tasks)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.setattr(lanes, "time", made)
    monkeypatch.setattr(asyncio, "sleep", made.sleep)
    return made


def starts(world: World, lane: Lane, seconds: float, read: int, written: int) -> list[float]:
    """When each of five calls starts, after the first."""
    found: list[float] = []

    async def call() -> None:
        async with lane.slot(read):
            found.append(world.now)
            await world.sleep(seconds)
            lane.charge(written)

    asyncio.run(world.run(*(call() for _ in range(5))))
    return [one - found[0] for one in found]


@pytest.mark.parametrize(
    ("lane", "call", "expected"),
    [
        (Lane("openai", 2), (10, 0, 0), [0, 0, 10, 10, 20]),
        (Lane("replay", 8), (10, 0, 0), [0, 10, 20, 30, 40]),
        (Lane("openai", 8, rate=6), (0, 0, 0), [0, 10, 20, 30, 40]),
        (Lane("openai", 1, rate=6), (15, 0, 0), [0, 15, 30, 45, 60]),
        (Lane("openai", 8, None, 600), (0, 100, 0), [0, 10, 20, 30, 40]),
        (Lane("openai", 1, None, 600), (0, 100, 200), [0, 30, 60, 90, 120]),
        (Lane("openai", 8, 60, 600), (0, 90, 0), [0, 10, 20, 30, 40]),
    ],
    ids=["width", "in-order", "rate", "slow", "tokens", "written", "both"],
)
def test_when_calls_start(
    lane: Lane, call: tuple[float, int, int], expected: list[float], world: World
) -> None:
    """`call` is how long each takes, and what it reads and writes."""
    assert starts(world, lane, *call) == pytest.approx(expected)


def test_a_hold_puts_off_those_that_wait(world: World) -> None:
    """Also a call that waits already for its turn."""
    lane = Lane("openai", 8, rate=6)
    found: list[float] = []

    async def call() -> None:
        async with lane.slot():
            found.append(world.now)
            if len(found) == 1:
                lane.hold(25)

    asyncio.run(world.run(call(), call(), call()))
    assert [one - found[0] for one in found] == pytest.approx([0, 25, 35])


def test_each_provider_has_its_lane() -> None:
    both = Lanes(4)
    assert both.lane("openai:a") is both.lane("openai:b")
    assert both.lane("openai:a") is not both.lane("anthropic:a")
    assert both.lane("llama:x.gguf").width == 1
