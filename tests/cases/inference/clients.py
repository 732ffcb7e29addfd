"""What type checkers infer of functions as models, and of prompts that are chat messages."""

from collections.abc import AsyncIterator, Iterator

import pdl
from pdl.models import Delta, Reply, deltas_from

made = pdl.Rendered.from_messages([{"role": "user", "content": "Hi"}], schema=int)


def of_messages(messages: tuple[pdl.Message, ...]) -> str:
    """A function of the messages is a model."""
    return messages[0].text


def of_request(request: pdl.Request) -> Reply:
    """So is one of the request."""
    reveal_type(request.openai())  # dict[str, Any]
    reveal_type(request.messages)  # tuple[Message, ...]
    reveal_type(request.seed)  # int | None
    return pdl.reply_from({}, "openai")


def of_pieces(request: pdl.Request) -> Iterator[Delta]:
    """It may return pieces."""
    return deltas_from([request.openai()], "openai")


def generated(request: pdl.Request) -> Iterator[str]:
    """It may be a generator."""
    yield request.model


async def later(request: pdl.Request) -> str:
    """It may be asynchronous."""
    return request.model


async def generated_later(request: pdl.Request) -> AsyncIterator[Delta]:
    """It may be both."""
    yield Delta(request.model)


reveal_type(made)  # Rendered[int]
reveal_type(pdl.Rendered.from_messages([]))  # Rendered[Any]
reveal_type(made.to("openai"))  # dict[str, Any]
reveal_type(pdl.ask(made, of_messages).value)  # int
reveal_type(pdl.ask(made, of_request).value)  # int
reveal_type(pdl.ask(made, of_pieces).value)  # int
reveal_type(pdl.ask(made, generated).value)  # int
reveal_type(pdl.ask(made, later).value)  # int
reveal_type(pdl.ask(made, generated_later).value)  # int
reveal_type(pdl.ask(made, lambda messages: messages[-1].text).value)  # int
reveal_type(pdl.ask(made, lambda request: pdl.reply_from(request.openai(), "openai")).value)  # int
