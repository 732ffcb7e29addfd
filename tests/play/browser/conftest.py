"""The playground in a real browser, with files of its own."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from code_server import browser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    Visits = Callable[..., AbstractContextManager["Visit"]]

SECONDS = 30  # for one step, on a busy machine
_SANDBOX = re.compile("Blocked script execution in 'about:srcdoc'")
"""What Chromium says of a picture's frame when it is tested: scripts can't run there."""

PROMPT = """\
<|input|>
{ review: str<1,2000>, stars?: int<1,5> }

<|system|>
You read reviews of products.

<|user|>
How does this review sound? {{ review }}

<|schema|>
{ mood: "good" | "bad", tags: [str]<1,3> }
"""
CASES = """\
<|data|> {"review": "It broke."}

<|case|> recorded
<|reply|>
{"mood": "bad", "tags": ["broken"]}
<|expect|> {"mood": "bad", "tags": ["broken"]}
"""


@dataclass
class Visit:
    """A page of a browser, and what happened in it."""

    page: Any
    served: Any
    folder: Path
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @property
    def prompt(self) -> Any:
        return self.page.get_by_role("textbox", name="Prompt", exact=True)

    @property
    def reply(self) -> Any:
        return self.page.get_by_role("textbox", name="Reply of a model")

    def tab(self, name: str) -> Any:
        return self.page.get_by_role("tab", name=name)

    def open(self, name: str) -> Any:
        """Click a tab, and return its panel."""
        self.tab(name).click()
        return self.page.get_by_role("tabpanel", name=name)

    def write(self, editor: Any, text: str) -> None:
        """Put a text into an editor in place of what is there."""
        editor.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.press("Delete")  # else Chromium keeps the style of what it replaces
        self.page.keyboard.insert_text(text)

    def listen(self) -> None:
        """Note what the page asks for, and what the browser complains about."""
        self.page.on("request", lambda one: self.requests.append(one.url))
        self.page.on("websocket", lambda one: self.requests.append(one.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._told)

    def _told(self, message: Any) -> None:
        if message.type in {"error", "warning"} and not _SANDBOX.search(message.text):
            self.complaints.append(f"{message.text} ({message.location.get('url')})")

    def elsewhere(self) -> list[str]:
        """Requests that left the address of the page."""
        own = {"blob", "data"}
        parts = ((url, urlsplit(url)) for url in self.requests)
        return [
            url for url, one in parts if one.scheme not in own and one.netloc != self.served.host
        ]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser; only one module at a time has one, as Playwright demands."""
    with browser() as running:
        from playwright.sync_api import expect  # noqa: PLC0415 - an optional package

        expect.set_options(timeout=SECONDS * 1000)
        yield running


@pytest.fixture
def visits(chromium: Any, start: Any, tmp_path: Path) -> Visits:
    """A function that opens the page; whatever is done there, no request goes elsewhere."""

    @contextmanager
    def visit(
        width: int = 1440, height: int = 900, scheme: str = "light", **options: Any
    ) -> Iterator[Visit]:
        folder = tmp_path / "prompts"
        folder.mkdir(exist_ok=True)
        (folder / "review.pdl").write_text(PROMPT, "utf-8")
        (folder / "review.tests.pdl").write_text(CASES, "utf-8")
        size = {"width": width, "height": height}
        context = chromium.new_context(viewport=size, color_scheme=scheme)
        with start(folder, **{"seconds": 2 * SECONDS, **options}) as served:
            context.set_default_timeout(SECONDS * 1000)
            found = Visit(context.new_page(), served, folder)
            found.listen()
            found.page.goto(served.desk.access.address)
            found.page.wait_for_selector("html[data-ready=true]")
            try:
                yield found
            finally:
                context.close()
        assert found.elsewhere() == []
        assert found.complaints == []

    return visit
