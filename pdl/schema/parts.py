"""What every way to a schema results in, before it becomes a `Schema`.

`Origins` says where the schemas of a document stood before it was brought to one form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pdl.schema.pointers import located

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pdl._types import JsonSchema
    from pdl.errors import Problem
    from pdl.source import Source


_NOTHING: Mapping[str, str] = {}  # which, unlike a mapping proxy, can be pickled


class Origins(NamedTuple):
    """The keywords and places that were others in the document that the author wrote.

    `renamed` maps the JSON pointer of a keyword (`#/a/$defs`) to its older name (`definitions`), as
    many steps of a pointer for as many; `moved` the pointer of a schema to the author's pointer,
    with the URI in front where that is in another document. `source` is the text that the document
    was read from, as JSON from `start` on, if that is known.
    """

    renamed: Mapping[str, str] = _NOTHING
    moved: Mapping[str, str] = _NOTHING
    source: Source | None = None
    start: int = 0

    def located(self, problems: Iterable[Problem]) -> list[Problem]:
        """Problems with their places in the source, as far as they name pointers of the author."""
        return list(problems) if self.source is None else located(problems, self.source, self.start)

    def pointer(self, pointer: str) -> str:
        """The author's pointer of what a pointer names."""
        if not self.renamed and not self.moved:
            return pointer
        inner, behind = pointer, ""
        while True:
            if inner in self.moved:
                return self.moved[inner] + behind
            older = self.renamed.get(inner)
            if older is not None:
                behind = f"/{older}{behind}"
                inner = inner.rsplit("/", older.count("/") + 1)[0]
                continue
            inner, slash, step = inner.rpartition("/")
            if not slash:
                return step + behind
            behind = f"/{step}{behind}"

    def named(self, pointer: str, keyword: str) -> tuple[str, str]:
        """The pointer of a schema and the name of one of its keywords, as the author wrote them."""
        return self.pointer(pointer), self.renamed.get(f"{pointer}/{keyword}", keyword)


Form: TypeAlias = Literal["json", "text", "yesno", "code", "tasklist"]
"""How an answer is written: as JSON, or as one of the forms that are not JSON."""


class Parts(NamedTuple):
    """The fields of a `Schema`; that class says what they mean."""

    document: JsonSchema
    form: Form = "json"
    lang: str | None = None
    tasks: tuple[int | None, int | None] = (None, None)
    origins: Origins = Origins()


_WRITTEN = frozenset({"enum", "const", "x-gbnf"})


def json_form(document: JsonSchema) -> Form:
    """`text` for a root that is a free string, `json` for anything else.

    A string with `enum` or `const` is one of a few words, which the JSON form finds in a reply; one
    with a rule of its own is written as JSON, since that is what the rule is for.
    """
    free = document.get("type") == "string" and not _WRITTEN & document.keys()
    return "text" if free else "json"
