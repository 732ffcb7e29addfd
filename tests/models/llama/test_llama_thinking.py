"""Reasoning is told from the answer behind it, however a reply comes in pieces."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pdl.models import Delta
from pdl.models.llama.constraint import ReasoningSplitter, template_of

TEMPLATES = ["<think>…</think>", "…</think>", "[THINK]…[/THINK]", "Thoughts: …\nAnswer:"]
CHARACTERS = st.text("<>/think[]THINKAnswer: \nab", max_size=30)


def parted(template: str, pieces: list[str]) -> tuple[str, str]:
    parting = ReasoningSplitter(template)
    found = [one for piece in pieces for one in parting.feed(Delta(text=piece))]
    reasoning = "".join(one.reasoning for one in found) + parting.close()
    return reasoning, "".join(one.text for one in found)


@given(
    template=st.sampled_from(TEMPLATES),
    thought=CHARACTERS,
    answer=CHARACTERS,
    cuts=st.lists(st.integers(0, 80), max_size=6),
)
@example(TEMPLATES[0], "a</thin", "</think>{}", [8, 9])
def test_any_pieces(template: str, thought: str, answer: str, cuts: list[int]) -> None:
    """The thought goes up to the first closing mark; the answer loses its leading line breaks."""
    opener, _, closer = template.partition("…")
    text = f"{opener}{thought}{closer}\n{answer}"
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[a:b] for a, b in pairwise(places)]
    found = parted(template, pieces)
    assert found == parted(template, [text])
    if closer not in thought + closer[:-1]:
        assert found == (thought, answer.lstrip("\n"))


def test_what_is_cut_off_is_reasoning() -> None:
    assert parted("<think>…</think>", ["<think>so", "</thi"]) == ("so</thi", "")
    assert parted("<think>…</think>", ["<thi"]) == ("<thi", "")


CHAT = "{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}"


@pytest.mark.parametrize(
    ("wish", "chat", "template"),
    [
        (None, CHAT, None),
        (False, CHAT, None),
        (True, CHAT, "…</think>"),
        (True, "", "<think>…</think>"),
        (True, CHAT.replace("<think>\n", "<think>\n\n</think>\n\n"), "<think>…</think>"),
        (True, "[THINK]{{ x }}[/THINK]", "[THINK]…[/THINK]"),
        ("<t>…</t>", CHAT, "<t>…</t>"),
    ],
)
def test_template(wish: str | bool | None, chat: str, template: str | None) -> None:  # noqa: FBT001 - a case
    assert template_of(wish, chat) == template
