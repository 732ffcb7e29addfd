"""What type checkers infer of asking."""

from dataclasses import dataclass

import pydantic

import pdl
from pdl.models import AskPartial
from pdl.reply import Partial


@dataclass
class Point:
    x: int


class Invoice(pydantic.BaseModel):
    number: str


bare = pdl.loads("<|user|>\nHi.\n").render()
typed = pdl.loads("<|user|>\nHi.\n").render(schema=Invoice)
schema = pdl.Schema.from_type(Point)


async def later() -> None:
    """The asynchronous version has the same types."""
    reveal_type(await pdl.ask_async(bare, "openai:x", Invoice))  # Answer[Invoice]
    reveal_type((await pdl.ask_async(typed)).value)  # Invoice
    reveal_type(await pdl.ask_async(bare, schema=schema))  # Answer[Point]
    async for partial in pdl.stream(bare, "openai:x", Invoice):
        reveal_type(partial)  # AskPartial[Invoice]


reveal_type(pdl.ask(bare, "openai:x", Invoice))  # Answer[Invoice]
reveal_type(pdl.ask(bare, "openai:x", Invoice, retries=1).value)  # Invoice
reveal_type(pdl.ask(bare, "openai:x", schema))  # Answer[Point]
reveal_type(pdl.ask(bare, schema=Invoice))  # Answer[Invoice]
reveal_type(pdl.ask(bare, ["openai:x", "anthropic:y"], list[int]).value)  # list[int]
reveal_type(pdl.ask(typed))  # Answer[Invoice]
reveal_type(pdl.ask(typed, "openai:x").value)  # Invoice
reveal_type(pdl.ask(typed, "openai:x", Point))  # Answer[Point]
reveal_type(pdl.ask(bare, "openai:x").value)  # Any
reveal_type(pdl.ask(typed).check)  # Check[Invoice] | None
names = ["openai:x", "anthropic:y"]
reveal_type(pdl.ask(typed, names, fallback=["answers"]).value)  # Invoice
maybe: int | None = pdl.ask(bare, "openai:x", int | None).value
reveal_type(pdl.stream(bare, "openai:x", Invoice))  # AskStream[Invoice]
reveal_type(pdl.stream(typed).answer.value)  # Invoice
reveal_type(pdl.stream(bare, schema=schema))  # AskStream[Point]
for partial in pdl.stream(bare, ["openai:x", "anthropic:y"], list[int], retries=1):
    reveal_type(partial.value)  # list[int] | None
    reveal_type(partial.answer)  # Answer[list[int]] | None


def show(partial: AskPartial[Invoice]) -> None:
    """What `on_partial` takes."""
    as_partial: Partial[Invoice] = partial
    reveal_type(as_partial.value)  # Invoice | None


pdl.ask(bare, "openai:x", Invoice, on_partial=show)
