"""How an app uses pdl: load once, render, ask, tell the model what was wrong, keep the value.

Run it with `python examples/app.py`. It needs no network: the model is a list of recorded replies,
and `Model` is all that a real client has to look like.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import pdl

Messages: TypeAlias = list[dict[str, str]]
Model: TypeAlias = Callable[[Messages, Mapping[str, Any]], str]
"""From messages and the prompt's configuration (max_tokens …) to what the model says."""

PROMPT = pdl.load(Path(__file__).parents[1] / "prompts" / "search_filter.pdl")


@dataclass(frozen=True)
class SearchFilter:
    """What the prompt's schema describes, as the app wants it."""

    what: str
    brand: str | None = None
    colour: str | None = None
    size: str | None = None
    price: Mapping[str, float] = field(default_factory=dict)
    features: tuple[str, ...] = ()


def search_filter(model: Model, query: str) -> SearchFilter:
    """The filters of a search. Raises OutputError if the model never answers as it should."""
    value = ask(model, PROMPT.render(query=query))
    return SearchFilter(**{**value, "features": tuple(value.get("features", ()))})


def ask(model: Model, rendered: pdl.Rendered, tries: int = 3) -> Any:
    """The checked answer. A reply that is none goes back to the model with the reason.

    Raises OutputError, with the last check, after so many tries.
    """
    messages = [{"role": m.role, "content": m.text} for m in rendered.messages]
    while True:
        reply = model(messages, rendered.config)
        check = rendered.check(reply)
        if check.ok:
            return check.value
        tries -= 1
        if tries < 1:
            raise pdl.OutputError(check)
        messages += [
            {"role": "assistant", "content": reply},
            {"role": "user", "content": check.feedback},
        ]


def recorded(replies: Iterable[str]) -> Model:
    """A model that says one recorded reply after the other, and prints the talk."""
    pending = iter(replies)

    def model(messages: Messages, config: Mapping[str, Any]) -> str:  # noqa: ARG001 - none is set
        reply = next(pending)
        print(f"--- user\n{messages[-1]['content']}")
        print(f"--- model\n{reply}")
        return reply

    return model


def main() -> None:
    """Ask once; the first answer is wrong in two places."""
    model = recorded(
        [
            'Sure! {"what": "hiking boot", "color": "brown", "price": {"max": "150"}}',
            '{"what": "hiking boot", "colour": "brown", "price": {"max": 150}}',
        ]
    )
    print(f"--- app\n{search_filter(model, 'brown hiking boots, max 150')}")


if __name__ == "__main__":
    main()
