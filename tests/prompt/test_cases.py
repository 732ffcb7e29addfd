"""Prompt files, each beside what it renders to or the whole text of its error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from snapshots import CASES, Snapshot

import pdl

if TYPE_CHECKING:
    from pathlib import Path

VALID = sorted((CASES / "turns" / "valid").glob("*.pdl"))
INVALID = sorted((CASES / "turns" / "invalid").glob("*.pdl"))


def render(path: Path) -> pdl.Rendered:
    beside = path.with_suffix(".json")
    case: dict[str, Any] = json.loads(beside.read_text("utf-8")) if beside.exists() else {}
    options = case.get("options", {})
    text = path.read_bytes().decode("utf-8")
    loading = {"strict": options["strict"]} if "strict" in options else {}
    prompt = pdl.loads(text, name=path.name, base=path.parent / "files", **loading)
    return prompt.render(case.get("data", {}), **options)


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


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_an_invalid_prompt_says_why(path: Path, snapshot: Snapshot) -> None:
    with pytest.raises(pdl.PdlError) as raised:
        render(path)
    text = str(raised.value).replace(str(path.parent), "…").replace(str(path.parent.resolve()), "…")
    snapshot.check(path.with_suffix(".err"), f"{type(raised.value).__name__}\n{text}")
