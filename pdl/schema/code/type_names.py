"""The names of types: of prompts, of definitions, and of objects inside others."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from pdl.schema.json_schema import free_name
from pdl.schema.keywords import DEFINITIONS, nodes, reachable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pdl._types import JsonSchema
    from pdl.schema.code.named_types import PromptTypes


def class_name(text: str) -> str:
    """Return a name in CamelCase: `ExtractInvoice` for `extract-invoice`."""
    words = "".join(c if c.isidentifier() or c.isdecimal() else " " for c in text)
    words = words.replace("_", " ")
    name = "".join(word[:1].upper() + word[1:] for word in words.split())
    return name if name.isidentifier() else f"T{name}"


class TypeNames:
    """The names that are taken, and those of definitions by what they contain.

    `bases` are the names of the prompts, and `notes` say which names depend on other prompts.
    """

    def __init__(self, reserved: Iterable[str], prompts: Sequence[PromptTypes]) -> None:
        self._owners = dict.fromkeys(reserved, "")
        self.notes: dict[str, list[str]] = {}
        self.bases: list[str] = []
        self.roots: list[tuple[str, str]] = []
        self.shared: dict[str, str] = {}
        for prompt in prompts:
            stem = re.split(r"[/\\]", prompt.source)[-1].partition(".")[0]
            wanted = class_name(stem)
            base = free_name(wanted, self.bases)
            self.bases.append(base)
            same = f"its types are named `{base}`, since another prompt has the name `{wanted}`"
            self.notes[base] = [] if base == wanted else [same]
            self.roots.append((self.new(f"{base}Input", base), self.new(base, base)))
        self._contents: dict[str, set[str]] = {}
        for prompt in prompts:
            for schema in (prompt.inputs, prompt.answer):
                document = schema.document if schema is not None else {}
                for key in document.get("$defs", {}):
                    content = _content(document, key)
                    self._contents.setdefault(class_name(key), set()).add(content)

    def new(self, wanted: str, base: str) -> str:
        """A free name for a type of a prompt, which is taken from now on."""
        name = free_name(wanted, self._owners)
        if self._owners.get(wanted, base) not in (base, ""):
            note = f"a type is named `{name}`, since another prompt has the name `{wanted}`"
            self.notes[base].append(note)
        self._owners[name] = base
        return name

    def of_definition(
        self, document: JsonSchema, key: str, base: str, *, is_input: bool
    ) -> tuple[str, bool]:
        """The name of a definition, and whether it is new.

        That of an input differs from that of an answer if it has defaults, which make it optional.
        """
        content = _content(document, key)
        filled = is_input and '"default"' in content
        content += " as an input" if filled else ""
        if content in self.shared:
            return self.shared[content], False
        wanted = class_name(key)
        several = len(self._contents.get(wanted, ())) > 1
        wanted = base + wanted if several else wanted
        self.shared[content] = self.new(f"{wanted}Input" if filled else wanted, base)
        return self.shared[content], True


def _content(document: JsonSchema, key: str) -> str:
    """All that a definition says, with the definitions that it uses."""
    definitions = document["$defs"]
    names = {key, *reachable(definitions[key], definitions)}
    used = {name: definitions[name] for name in names if name in definitions}
    is_closed = len(used) == len(names) and not any(
        map(_leads_out, nodes({"allOf": [*used.values()]}))
    )
    return json.dumps([key, used, None if is_closed else document], sort_keys=True)


def _leads_out(node: JsonSchema) -> bool:
    reference = node.get("$ref", DEFINITIONS)
    return not str(reference).startswith(DEFINITIONS) or reference.count("/") > 2  # noqa: PLR2004
