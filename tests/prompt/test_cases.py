"""Prompt files, each beside what it renders to or the whole text of its error."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest
from snapshots import CASES, Snapshot

import pdl

if TYPE_CHECKING:
    from pathlib import Path

VALID = sorted((CASES / "turns" / "valid").glob("*.pdl"))
INVALID = sorted((CASES / "turns" / "invalid").glob("*.pdl"))


def case(path: Path) -> tuple[pdl.Prompt, dict[str, Any], dict[str, Any]]:
    """A prompt, the data that it is rendered with, and the options."""
    beside = path.with_suffix(".json")
    given: dict[str, Any] = json.loads(beside.read_text("utf-8")) if beside.exists() else {}
    options = given.get("options", {})
    text = path.read_bytes().decode("utf-8")
    loading = {"strict": options["strict"]} if "strict" in options else {}
    prompt = pdl.loads(text, name=path.name, base=path.parent / "files", **loading)
    return prompt, given.get("data", {}), options


def render(path: Path) -> pdl.Rendered:
    prompt, data, options = case(path)
    return prompt.render(data, **options)


def dump(rendered: pdl.Rendered) -> str:
    out = []
    for message in rendered.messages:
        out.append(f"[{message.role}]")
        out += [part.text if isinstance(part, pdl.Text) else repr(part) for part in message.parts]
    if rendered.schema is not None:
        out += ["[schema]", json.dumps(rendered.schema.to_json_schema())]
    out += [f"[reasoning]\n{text}" for text in rendered.reasoning]
    out += [f"[tools]\n{rendered.tools.to_text()}"] if rendered.tools is not None else []
    out += [f"[config]\n{json.dumps(rendered.config)}"] if rendered.config else []
    out += [f"[warning]\n{problem}" for problem in rendered.warnings]
    return "\n".join(out)


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_a_valid_prompt_renders(path: Path, snapshot: Snapshot) -> None:
    snapshot.check(path.with_suffix(".out"), dump(render(path)))


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_a_pickled_prompt_renders_the_same(path: Path) -> None:
    prompt, data, options = case(path)
    again = pickle.loads(pickle.dumps(prompt))  # noqa: S301 - our own
    assert again == prompt
    assert again.render(data, **options) == prompt.render(data, **options)


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_an_invalid_prompt_says_why(path: Path, snapshot: Snapshot) -> None:
    with pytest.raises(pdl.PdlError) as raised:
        render(path)
    text = str(raised.value).replace(str(path.parent), "…").replace(str(path.parent.resolve()), "…")
    snapshot.check(path.with_suffix(".err"), f"{type(raised.value).__name__}\n{text}")
