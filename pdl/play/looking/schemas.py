"""The schema of the answer: in words, in the notation, as types, as a grammar with a picture."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from random import Random
from typing import TYPE_CHECKING, Any, get_args

from pdl import gbnf
from pdl import reply as replies
from pdl.edit.features.stand_ins import example
from pdl.errors import LimitError, PdlError, Problem
from pdl.gbnf.diagram import document
from pdl.gbnf.limits_errors import within_stack
from pdl.gbnf.nodes import rule_text
from pdl.gbnf.railroad import picture
from pdl.play.looking.bounds import KEPT, MOST_DRAWN, MOST_GRAMMAR, MOST_LISTED, PAGE_LIMITS
from pdl.play.looking.kept import Recent, kept
from pdl.play.looking.subject import content_key
from pdl.schema.code import PromptTypes, Target, write_types

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.gbnf import Compiled, Grammar
    from pdl.play.looking.subject import Draft, Subject
    from pdl.schema import Schema

_OPTIONS = gbnf.Options(escapes="canonical", numbers="canonical", max_rules=5_000, max_states=1_000)
"""Those of `gbnf.Options.generate`, with less room."""


class _Views:
    """What is known of a schema, whatever prompt has it."""

    def __init__(self, schema: Schema[Any]) -> None:
        self.schema = schema

    @kept
    def compiled(self) -> Compiled:
        """The grammar."""
        return gbnf.compile(self.schema, _OPTIONS, limits=PAGE_LIMITS)

    @kept
    def text(self) -> str:
        """The text of the grammar. Raises LimitError for one that is too long to be shown."""
        text = str(self.compiled.grammar)
        if len(text) > MOST_GRAMMAR:
            message = f"the grammar has {len(text):,} characters, which are too many to show"
            hint = "`pdl gbnf compile` writes it"
            raise LimitError(Problem("limit/grammar-rules", message, None, hint))
        return text

    @kept
    def words(self) -> dict[str, Json]:
        """What does not depend on the name of the prompt."""
        return {
            "form": self.schema.form,
            "words": self.schema.describe(),
            "notation": str(self.schema),
            "json_schema": self.schema.to_json_schema(),
        }

    @kept
    def example(self) -> str | None:
        """A reply that is an answer, if one is found."""
        try:
            if self.schema.form == "json":
                made = example(self.schema)
                text = json.dumps(made, ensure_ascii=False, indent=2)
            else:
                text = self.compiled.grammar.generate(Random(7), size=40)  # noqa: S311 - no secret
        except PdlError:
            return None
        return text if replies.check(self.schema, text, limits=PAGE_LIMITS).ok else None


_VIEWS: Recent[_Views] = Recent(KEPT)
_TYPES: Recent[dict[str, Json]] = Recent(KEPT)


def _views(schema: Schema[Any]) -> _Views:
    return _VIEWS.get(content_key(schema), lambda: _Views(schema))


def check_grammar(found: Schema[Any]) -> None:
    """Raise PdlError for a schema whose grammar takes too long, before a server's is written."""
    _ = _views(found).compiled


def schema(subject: Subject) -> Json:
    """Return the schema; its types are those of the whole prompt, as `pdl types` prints them."""
    found = subject.filled.schema
    if found is None:
        return None
    views = _views(found)
    is_constant, _ = subject.draft.constant_schema
    types = _types(subject.draft, found)
    return {**views.words, "types": types, "example": views.example, "uses_data": not is_constant}


def _types(draft: Draft, answer: Schema[Any]) -> dict[str, Json]:
    """The types of a prompt by their targets; null for a target that has none for it."""
    declared = draft.prompt.inputs
    inputs = declared.schema if declared is not None else None
    source = PurePosixPath(draft.name).name

    def make() -> dict[str, Json]:
        prompts = [PromptTypes(source, inputs, answer)]
        return {one: _code(prompts, one) for one in get_args(Target)}

    return _TYPES.get((source, content_key(inputs), content_key(answer)), make)


def _code(prompts: list[PromptTypes], target: Target) -> Json:
    try:
        return write_types(prompts, target).text
    except PdlError:
        return None


def grammar(subject: Subject) -> Json:
    """Return the grammar of the answer, what of the schema it enforces, and one rule drawn."""
    found = subject.filled.schema
    if found is None:
        return None
    views = _views(found)
    compiled, text = views.compiled, views.text
    entries = [*compiled.report]
    return {
        "text": text,
        "exact": compiled.report.is_exact,
        "report": [
            {"path": one.pointer, "keyword": one.keyword, "verdict": one.level, "why": one.why}
            for one in entries[:MOST_LISTED]
        ],
        "more": max(len(entries) - MOST_LISTED, 0),
        "rules": [*compiled.grammar.rule],
        "diagram": _diagram(compiled.grammar, subject.options.rule),
    }


def _diagram(grammar: Grammar, wanted: str) -> dict[str, Json]:
    """The picture of a rule, of the root rule by default; `note` says why there is none."""
    name = wanted if wanted in grammar.rule else grammar.root
    rule = grammar.rule[name]
    size = len(rule_text(rule))
    if size > MOST_DRAWN:
        note = f"the rule has {size:,} characters, which are too many to draw"
        return {"rule": name, "svg": None, "note": note}
    try:
        svg = _drawn(grammar, name)
    except PdlError as error:
        return {"rule": name, "svg": None, "note": error.problem.message}
    return {"rule": name, "svg": svg, "note": ""}


@within_stack
def _drawn(grammar: Grammar, name: str) -> str:
    rule = grammar.rule[name]
    box = picture(rule, grammar.rule)
    return document([(name, rule.comments, box)], f"the rule {name}")
