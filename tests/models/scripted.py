"""A model that says one thing after the other, and how it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from models.conftest import QUICK

from pdl.models import Answer, Fault, Reply, ask

if TYPE_CHECKING:
    from collections.abc import Callable

    import pdl
    from pdl.prompt import Message

BAD = '{"name": "Ann", "age": 300}'
VALUE = {"name": "Ann", "age": 30}
"""What `hostile.GOOD` says."""


def says(*texts: str | Reply | Fault) -> Callable[[tuple[Message, ...]], str | Reply]:
    """A model that says one thing after the other."""
    left = iter(texts)

    def model(messages: tuple[Message, ...]) -> str | Reply:  # noqa: ARG001 - whatever it is told
        said = next(left)
        if isinstance(said, Fault):
            raise said
        return said

    return model


def asked(rendered: pdl.Rendered, model: Any, **options: Any) -> Answer:
    return ask(rendered, model, **{"backoff": QUICK, **options})
