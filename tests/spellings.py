"""Ways to write a JSON value that change its spelling and never the value, drawn at random.

What a writer does to one value is drawn from hypothesis's data, so that a failing case shrinks.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence

WORDS = st.text("abcdefgh _-", min_size=1, max_size=8)
TEXTS = st.one_of(
    WORDS,
    st.text(max_size=10),
    st.sampled_from(
        [
            "", "it's", 'say "hi"', "a, b", "x: y", "{", "}", "[1]", "// no comment", "# none",
            "...", "null", "True", "5",
            "a\nb", "\\d+", "```", "<think>", "“so”", "etc.", "a\tb", "é 😀",
        ]
    ),
)  # fmt: skip
KEYS = st.one_of(
    st.text("abcxyz_", min_size=1, max_size=5).filter(lambda key: not key.startswith("_")),
    st.sampled_from(["a-b", "two words", "ключ", "id", "1st"]),
)
NUMBERS = st.one_of(
    st.integers(-(10**12), 10**12),
    st.floats(-1e6, 1e6, allow_nan=False).filter(lambda number: str(number)[-2:] != ".0"),
)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4)


VALUES = containers(st.recursive(SCALARS, containers, max_leaves=12))


def schema_of(value: Any, *, closed: bool) -> dict[str, Any]:
    """A schema that says of each part of a value what type it is."""
    if isinstance(value, dict):
        return {
            "type": "object",
            "properties": {key: schema_of(part, closed=closed) for key, part in value.items()},
            "required": list(value),
            **({"additionalProperties": False} if closed else {}),
        }
    if isinstance(value, list):
        items = [schema_of(part, closed=closed) for part in value]
        exact = {"prefixItems": items, "items": False} if closed and items else {}
        return {"type": "array", **exact}
    names = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null"}
    return {"type": names[type(value)]}


@dataclass
class Writer:
    """Writes a value with spellings that `data` draws; `kinds` says which may be drawn."""

    data: st.DataObject
    kinds: Sequence[str]
    used: set[str] = field(default_factory=set)

    def maybe(self, kind: str) -> bool:
        if kind not in self.kinds or not self.data.draw(st.booleans(), label=kind):
            return False
        self.used.add(kind)
        return True

    def write(self, value: Any) -> str:
        if isinstance(value, dict):
            members = [f"{self.key(key)}{self.colon()}{self.write(value[key])}" for key in value]
            return "{" + self.joined(members) + "}"
        if isinstance(value, list):
            return "[" + self.joined([self.write(item) for item in value]) + "]"
        return self.scalar(value)

    def joined(self, parts: list[str]) -> str:
        text = ""
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            comma = "" if last and not self.maybe("trailing-comma") else ","
            if comma and self.maybe("full-width"):
                comma = "，"
            text += self.blank() + part + comma
        return text + self.blank()

    def blank(self) -> str:
        if self.maybe("comment"):
            return self.data.draw(
                st.sampled_from(["/* so, {it} is */", " // it's [one]\n", "\n# x\n"])
            )
        if self.maybe("blank"):
            return self.drawn(" ", "\n", "\t", "\u00a0", "\u3000", "\r\n")
        return ""

    def drawn(self, *texts: str) -> str:
        return self.data.draw(st.sampled_from(texts))

    def colon(self) -> str:
        return "：" if self.maybe("full-width") else ": "

    def key(self, key: str) -> str:
        plain = key.replace("_", "a").isascii() and key.replace("_", "a").isalpha()
        return key if plain and self.maybe("bare-key") else self.string(key)

    def string(self, value: str) -> str:
        written = json.dumps(value, ensure_ascii=self.data.draw(st.booleans()))[1:-1]
        if self.maybe("raw"):
            written = (
                written.replace("\\n", "\n").replace("\\t", "\t")
                if "\\\\" not in written
                else written
            )
        if self.maybe("quotes"):
            return "'" + written.replace('\\"', '"').replace("'", "\\'") + "'"
        if (
            "“" not in value
            and "”" not in value
            and '"' not in value
            and self.maybe("smart-quotes")
        ):
            return f"“{written}”"
        return f'"{written}"'

    def scalar(self, value: Any) -> str:
        if isinstance(value, str):
            return self.string(value)
        written = json.dumps(value)
        if isinstance(value, bool) or value is None:
            return str(value) if self.maybe("python-literal") else written
        if value >= 0 and self.maybe("plus"):
            return f"+{written}"
        if written.startswith("0.") and self.maybe("bare-fraction"):
            return written[1:]
        return written


SPELLINGS = (
    "trailing-comma", "full-width", "comment", "blank", "bare-key", "raw", "quotes", "smart-quotes",
    "python-literal", "plus", "bare-fraction",
)  # fmt: skip

WRAPPINGS = (
    "{}", "\n{}\n", "```json\n{}\n```", "```\n{}\n```\n", "~~~json\n{}\n~~~", "Here you go:\n\n{}",
    "Sure! The answer is below.\n```json\n{}\n```\nLet me know if you need more.",
    '<think>\nMaybe {{"a": 1}} or [2]?\n</think>\n{}', "{}<|im_end|>", "{}</s>",
    "<answer>\n{}\n</answer>", "<tool_call>\n{}\n</tool_call>", "\ufeff{}",
    "<|channel|>analysis<|message|>Try [1].<|end|><|start|>assistant<|channel|>final<|message|>{}",
    "[THINK]hm[/THINK]{}", "Reasoning without an opener.\n</think>\n\n{}", "**Answer:**\n\n{}\n",
    "1. Here:\n   ```json\n   {}\n   ```", "As noted in [1], it is this:\n{}\n\n[1] source.pdf",
)  # fmt: skip
