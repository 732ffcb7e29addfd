"""Tools of a prompt that is asked: what becomes of replies with calls that are not meant."""

from __future__ import annotations

import pytest

import pdl
from pdl.models import ask
from pdl.tools import ToolSet

TOOLS = ToolSet.parse("ping(host: str)")
PROMPT = pdl.loads("<|user|>\nHow many?\n<|schema|>\n{ x: int }").render()
CALL = '{"tool": "ping", "args": {"host": "a"}}'
SPOKEN_OF = [f"I could write `{CALL}` but need not.", f"Earlier I called {CALL} and got 1."]


@pytest.mark.parametrize("words", SPOKEN_OF)
def test_an_answer_beside_a_call_that_is_spoken_of_is_not_lost(words: str) -> None:
    """The model is told, and says which of the two it means."""
    replies = [f'{{"x": 1}}\n{words}', '{"x": 1}']
    said = list(replies)
    answer = ask(PROMPT, lambda _: said.pop(0), tools=TOOLS)
    assert (answer.value, answer.calls, len(answer.attempts)) == ({"x": 1}, (), 2)
    said = [replies[0], CALL]
    answer = ask(PROMPT, lambda _: said.pop(0), tools=TOOLS)
    assert [call.name for call in answer.calls] == ["ping"]


def test_it_is_an_error_if_the_model_never_says() -> None:
    with pytest.raises(pdl.models.AskError) as caught:
        ask(PROMPT, lambda _: SPOKEN_OF[0], tools=TOOLS, retries=1)
    assert len(caught.value.attempts) == 2
