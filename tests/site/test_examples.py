"""What readers can do with the examples of a page."""

from __future__ import annotations

import base64
import json
import re
import zlib
from typing import TYPE_CHECKING

import pytest
from website.examples import Page, packed
from website.sources import ADDRESS, blocks

if TYPE_CHECKING:
    from pathlib import Path

PROMPT = "```jinja a.pdl\n<|user|>\n{{ text }}\n```\n"
CASES = """\
```jinja a.tests.pdl
<|case|> b
<|data|> {"text": "é"}
<|reply|>
Yes
<|expect|> str
```
"""
COMMAND = "```console\n$ echo 'Yes' | pdl check a.pdl --set text=é --reply -\nYes\n```\n"


def unpacked(html: str) -> dict[str, str]:
    """What the playground reads from the address of a link."""
    found = re.search(rf'href="{ADDRESS}playground/#s=([\w-]+)"', html)
    assert found
    data = base64.urlsafe_b64decode(found[1] + "=" * (-len(found[1]) % 4))
    state: dict[str, str] = json.loads(zlib.decompress(data, -15))
    return state


def after(text: str, name: str = "b.md") -> list[str]:
    page = Page(name, text, play=True)
    return [page.after(number, block) for number, block in enumerate(blocks(text))]


@pytest.mark.parametrize("use", [CASES, COMMAND])
def test_a_prompt_opens_with_the_data_and_the_reply_of_its_page(use: str) -> None:
    state = unpacked(after(PROMPT + use)[0])
    assert state["prompt"] == "<|user|>\n{{ text }}\n"
    assert json.loads(state["data"]) == {"text": "é"}
    assert state["reply"].strip() == "Yes"


def test_a_prompt_without_use_opens_alone() -> None:
    assert unpacked(after(PROMPT)[0]) == {
        "prompt": "<|user|>\n{{ text }}\n",
        "data": "",
        "reply": "",
    }


def test_a_prompt_that_needs_files_has_no_link() -> None:
    assert after('```jinja a.pdl\n<|user|>\n{% include "b.txt" %}\n```\n') == [""]


def test_without_a_playground_nothing_is_added() -> None:
    page = Page("a.md", f"{PROMPT}```python\nprint(1)\n```\n", play=False)
    assert [page.after(number, block) for number, block in enumerate(page.blocks)] == ["", ""]


@pytest.mark.parametrize(
    ("code", "runnable"),
    [
        (["import pdl", "pdl.loads('')"], {0, 1}),
        (["import httpx", "print(1)"], {1}),
        (["import httpx\na = 1", "print(a)", "a = 2", "print(a)"], {2, 3}),
        (["import asyncio", "from pdl.masks import Vocabulary", "await pdl.ask_async(1)"], set()),
        (["def f(): ...\nimport socket", "class A: x = f()", "A"], set()),
    ],
)
def test_what_runs_in_a_browser(code: list[str], runnable: set[int]) -> None:
    text = "".join(f"```python\n{one}\n```\n" for one in code)
    assert Page("a.md", text, play=True).runnable == runnable


def test_the_steps_of_a_page(tmp_path: Path) -> None:
    text = f"{PROMPT}```python\nimport ssl\n```\n```python\nprint(1)\n```\n```text\n1\n```\n"
    page = Page("api/a.md", text, play=True)
    page.write_steps(tmp_path)
    steps = json.loads((tmp_path / "assets" / "examples" / "api-a.json").read_text("utf-8"))
    assert [step.get("file") or step.get("language") for step in steps] == [
        "a.pdl",
        None,
        "python",
        None,
    ]
    assert 'data-page="api-a" data-block="2"' in page.after(2, page.blocks[2])


def test_a_state_in_an_address() -> None:
    assert re.fullmatch(r"[\w-]+", packed({"prompt": "<|user|>\n" + "é" * 99}))
