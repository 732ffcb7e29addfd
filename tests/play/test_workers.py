"""Processes that work for the page: how they end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from pdl.play.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Sequence

LOOK: dict[str, Any] = {"prompt": "<|user|>\nHi", "data": "", "reply": None, "options": {}}


@pytest.mark.parametrize("turns", [0, 2, 4])
def test_no_process_is_left_by_calls_that_end_with_the_server(
    turns: int, caplog: pytest.LogCaptureFixture
) -> None:
    """A call that is cancelled while the processes are killed starts no other one."""

    async def main() -> Sequence[int]:
        workers = Workers(2, None, 20)
        workers.start()
        await workers.is_ready.wait()
        calls = [asyncio.ensure_future(workers.call("look", LOOK)) for _ in range(4)]
        await asyncio.sleep(0)
        closing = asyncio.ensure_future(workers.close())
        for _ in range(turns):
            await asyncio.sleep(0)
        for call in calls:
            call.cancel()
        await closing
        await asyncio.gather(*calls, return_exceptions=True)
        await asyncio.sleep(0.3)
        return workers.ids

    assert asyncio.run(main()) == []
    assert "never retrieved" not in caplog.text
