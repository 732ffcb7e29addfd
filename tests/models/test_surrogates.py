"""A character that two events have halves of."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from models import hostile
from models.conftest import Serve, remote

import pdl
from pdl.models import ask
from pdl.models.payloads.reading import joined


@given(st.lists(st.text(st.sampled_from("a\ud83d\ude00\U0001f600"), max_size=3)))
def test_joined(pieces: list[str]) -> None:
    """Nothing is lost, and no two halves stand beside each other."""
    text = joined(pieces)
    whole = json.loads(json.dumps("".join(pieces)))
    assert text == whole


def test_in_a_stream(serve: Serve) -> None:
    rendered = pdl.loads("<|user|>\nHi\n").render()
    pieces = hostile.streamed("so \ud83d", "\ude00!")
    told: list[str] = []
    answer = ask(
        rendered,
        remote(serve(hostile.stream(*pieces))),
        on_delta=lambda delta: told.append(delta.text),
    )
    assert answer.attempts[-1].reply is not None
    assert answer.attempts[-1].reply.text == "so \U0001f600!" == "".join(told)
