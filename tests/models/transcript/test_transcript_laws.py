"""A transcript renders to the messages that were sent, whatever they hold."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import schemata
from hypothesis import assume, given, reject
from hypothesis import strategies as st

import pdl
from pdl.models import Attempt, Reply, Request
from pdl.models.transcript import Run, prompt_source
from pdl.prompt import Media, Message, Text

if TYPE_CHECKING:
    from random import Random

    from pdl._types import Json
    from pdl.prompt.messages import Role

WHEN = datetime(2026, 7, 1, 12, tzinfo=UTC)
PIECES = (
    *(
        "{{",
        "{%",
        "{#",
        "#}",
        "%}",
        "}}",
        "{{{",
        "{%-",
        "-}}",
        "{",
        "<",
        "|",
        ">",
        "<|",
        "|>",
        "<|>",
    ),
    *(
        "&lt;|",
        "|&gt;",
        "&amp;",
        "&",
        "amp;",
        "lt;",
        "|&gt;|>",
        '"',
        "\\",
        "\\n",
        "\r",
        "\r\n",
        "\n",
    ),
    *(
        "\n<|user|>\n",
        "\n<|schema|>\nint",
        "<|media(a.png)|>",
        "{% raw %}",
        "{% endraw %}",
        "\ud800",
    ),
    *("{{ schema }}", "{{ 1 + 1 }}", "{% include 'x' %}", "\0", "\ufeff", "\u2028", "\x85", "  "),
)
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=12).map("".join)
words = texts.map(lambda text: "".join(filter(str.isprintable, "".join(text.split()))))
pictures = st.just(Media("png", b"\x89PNG\r\n\x1a\n\x00")) | words.map(
    lambda rest: Media("", url=f"https://example.org/{rest}")
)
values: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
configs = st.dictionaries(st.sampled_from(["temperature", "stop", "a.b-c"]), values, max_size=2)


@st.composite
def messages(draw: st.DrawFn, role: Role) -> Message:
    """A message as prompts render to it: trimmed, with texts joined and none of them blank."""
    parts: list[Text | Media] = []
    for part in draw(st.lists(texts.map(Text) | pictures, min_size=1, max_size=4)):
        if parts and isinstance(part, Text) and isinstance(parts[-1], Text):
            parts[-1] = Text(parts[-1].text + part.text)
        else:
            parts.append(part)
    if isinstance(parts[0], Text):
        parts[0] = Text(parts[0].text.lstrip())
    if isinstance(parts[-1], Text):
        parts[-1] = Text(parts[-1].text.rstrip())
    kept = tuple(part for part in parts if not isinstance(part, Text) or part.text.strip())
    assume(kept)
    return Message(role, kept)


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    found = [draw(messages("system"))] if draw(st.booleans()) else []
    found.append(draw(messages("user")))
    for _ in range(draw(st.integers(0, 2))):
        found += [draw(messages("assistant")), draw(messages("user"))]
    return tuple(found)


def run(request: Request, *replies: Reply) -> Run:
    attempts = tuple(Attempt(request, reply) for reply in replies)
    return Run("odd #} name.pdl", "openai:x", WHEN, request, attempts)


@given(said=conversations(), config=configs, reply=texts, reasoning=texts)
def test_it_renders_to_what_was_sent(
    said: tuple[Message, ...], config: dict[str, Json], reply: str, reasoning: str
) -> None:
    """Messages, settings and schema; and the last reply, if one asks for it."""
    request = Request(said, pdl.Schema.parse("{ name: str }"), config=config)
    text = prompt_source(run(request, Reply(reply, reasoning)))
    assert text.encode()
    again = pdl.loads(text)
    rendered = again.render()
    assert rendered.messages == said
    assert rendered.schema == request.schema
    assert rendered.config == {"model": "openai:x", **config}
    if reply.strip():
        whole = again.render(replied=True, prefill=True)
        assert whole.messages == (*said, Message("assistant", (Text(reply.strip()),)))
        assert "".join(whole.reasoning) == reasoning.strip()


@given(
    st.lists(st.sampled_from(["{", "%", "#", "<", "|", ">", "&", "lt;", "amp;", "a"]), min_size=1)
)
def test_texts_that_follow_each_other_make_no_syntax(pieces: list[str]) -> None:
    """A message that was built by hand may have several: `{` and `{ x }}` are no expression."""
    said = Message("user", tuple(Text(piece) for piece in pieces))
    rendered = pdl.loads(prompt_source(run(Request((said,)), Reply("ok")))).render()
    assert rendered.messages == (Message("user", (Text("".join(pieces)),)),)


@given(rng=st.randoms(use_true_random=False))
def test_its_schema_is_the_same(rng: Random) -> None:
    """In the notation, or as JSON Schema where that lacks words."""
    try:
        schema = pdl.Schema.from_json_schema(schemata.document(rng))
    except pdl.SchemaError:
        reject()
    text = prompt_source(run(Request((Message("user", (Text("?"),)),), schema)))
    assert pdl.loads(text).render().schema == schema
