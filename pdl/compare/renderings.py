"""The comparison of what two versions of a prompt render to with the same data."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from pdl.compare.parts import Given, Settings, config_changes, schema_changes, tools_changes
from pdl.compare.prompts import PromptComparison
from pdl.compare.sections import Section
from pdl.compare.turns import placed, turn_changes
from pdl.compare.words import Effect
from pdl.limits import DEFAULT_LIMITS, Limits
from pdl.prompt.messages import Media, Message
from pdl.prompt.rendered import Rendered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_DIGEST = 12  # hexadecimal digits


def compare_rendered(
    old: Rendered[Any], new: Rendered[Any], *, limits: Limits = DEFAULT_LIMITS
) -> PromptComparison:
    """Return what changed between two renderings: messages, reasoning, settings, schema, tools.

    Media are compared by their bytes. Raises TypeError for anything but renderings.
    """
    for given in (old, new):
        if not isinstance(given, Rendered):
            raise TypeError(f"old and new must be renderings, not {type(given).__name__}")
    messages = turn_changes(placed(list(_messages(old))), placed(list(_messages(new))))
    thoughts = [
        placed([Section("reasoning", one) for one in each.reasoning]) for each in (old, new)
    ]
    reasoning = turn_changes(thoughts[0], thoughts[1], Effect("reasoning"))
    told = [*sorted(messages, key=lambda one: one.position)]
    told += sorted(reasoning, key=lambda one: one.position)
    tools = tools_changes(old.tools, new.tools, limits)
    config = config_changes(Settings(old.config), Settings(new.config))
    schema = schema_changes(Given(old.schema), Given(new.schema), limits)
    changes = (*(one.change for one in told), *tools.changes, *config, *schema.changes)
    return PromptComparison(changes, schema.comparison, None, tools.comparison)


def _messages(rendered: Rendered[Any]) -> Iterator[Section]:
    for message in rendered.messages:
        yield Section(message.role, "".join(_parts(message)))


def _parts(message: Message) -> Iterator[str]:
    """The parts as text: media by their digests, others as a transcript shows them."""
    for part in message.parts:
        if isinstance(part, Media) and part.data:
            digest = sha256(part.data).hexdigest()[:_DIGEST]
            yield f"[{part.kind}, {len(part.data):,} bytes, {digest}]"
        else:
            yield Message(message.role, part).transcript
