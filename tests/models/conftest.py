"""What the tests of models share: a prompt, a hostile server, a model that talks to it."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from models.hostile import Hostile, Script

import pdl
from pdl.limits import Limits
from pdl.models.connecting import connect
from pdl.models.faults import Backoff

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pdl.models import Model

KEY = "sk-secret-0123456789"
PROMPT = "<|user|>\nWho is it?\n<|schema|>\n{ name: str, age: int<0,120> }\n"


class Serve(Protocol):
    """Starts a server with a script for each connection; it stops when the test ends."""

    def __call__(self, *scripts: Script) -> Hostile: ...


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:
        yield lambda *scripts: stack.enter_context(Hostile(scripts))


@pytest.fixture
def rendered() -> pdl.Rendered:
    return pdl.loads(PROMPT).render()


def remote(server: Hostile, scheme: str = "openai", **limits: Any) -> Model:
    """A model that a server plays."""
    return connect(f"{scheme}:tiny", base_url=server.url, key=KEY, limits=Limits(**limits))


QUICK = Backoff(first=0.001, most=0.001)
"""Hardly a pause, for tests."""


@pytest.fixture
def bare() -> pdl.Rendered:
    return pdl.loads("<|user|>\nWho is coming?\n").render()
