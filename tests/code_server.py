"""VS Code in a browser: code-server with the packaged extension, driven by Playwright."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ROOT = Path(__file__).parents[1]
SECONDS = 60.0  # what a busy machine takes for one step
_FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
_SETTINGS = {
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "security.workspace.trust.enabled": False,
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "extensions.autoUpdate": "off",
    "extensions.autoCheckUpdates": False,
    "files.simpleDialog.enable": True,
    "editor.minimap.enabled": False,
    "workbench.colorTheme": "Dark Modern",
}


def programs() -> tuple[str, str, Path]:
    """code-server, Chromium, and the packaged extension; skips the test if one is missing."""
    chromium = browser_path()
    server = os.environ.get("PDL_CODE_SERVER") or shutil.which("code-server")
    packages = sorted((ROOT / "editors" / "vscode").glob("pdl-prompts-*.vsix"))
    if server is None or not packages:
        missing = "code-server" if server is None else "a .vsix"
        pytest.skip(f"needs {missing}; scripts/install_editors.sh installs it")
    return server, chromium, packages[-1]


def browser_path() -> str:
    """Where Chromium is; skips the test if it or Playwright is missing."""
    pytest.importorskip("playwright", reason="needs playwright, of scripts/install_editors.sh")
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("needs chromium, which scripts/install_editors.sh expects on the PATH")
    return found


@contextmanager
def code_server(directory: Path) -> Iterator[str]:
    """The address of a server whose data is in a directory, with the extension installed."""
    server, _, package = programs()
    options = [f"--{name}-dir={directory / name}" for name in ("user-data", "extensions")]
    options.append("--disable-telemetry")
    # The server of the language is started in its environment, which must find this package.
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(directory)}
    environment.pop("PDL_MODEL", None)
    install = [server, *options, "--install-extension", str(package), "--force"]
    subprocess.run(install, check=True, env=environment, capture_output=True, timeout=120)  # noqa: S603 - as configured
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    more = ["--auth=none", f"--bind-addr=127.0.0.1:{port}", "--disable-update-check"]
    with (directory / "code-server.log").open("wb") as log:
        running = subprocess.Popen(  # noqa: S603 - as configured
            [server, *options, *more], env=environment, stdout=log, stderr=log
        )
        try:
            wait_for(lambda: _answers(f"{address}/healthz"), "code-server")
            yield address
        finally:
            running.terminate()
            running.wait(30)


def write_settings(directory: Path, settings: Mapping[str, Any]) -> None:
    """Set the user's settings, beside those that keep the window quiet."""
    file = directory / "user-data" / "User" / "settings.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**_SETTINGS, **settings}), "utf-8")


@contextmanager
def browser() -> Iterator[Any]:
    """A headless Chromium."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - an optional package

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser_path(), args=_FLAGS)
        yield running
        running.close()


def wait_for(condition: Callable[[], Any], what: str, seconds: float = SECONDS) -> Any:
    """The first true value of a condition."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.2)
    message = f"there is no {what} after {seconds} seconds"
    raise AssertionError(message)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=2):  # noqa: S310 - of this machine
            return True
    except OSError:
        return False


@dataclass(frozen=True)
class Editor:
    """A window of VS Code with a folder."""

    page: Any
    folder: Path

    @classmethod
    def open(cls, page: Any, address: str, folder: Path) -> Editor:
        """Open a folder, trusted."""
        page.set_default_timeout(SECONDS * 1000)
        page.goto(f"{address}/?folder={folder}")
        page.wait_for_selector(".monaco-workbench .explorer-folders-view")
        return cls(page, folder)

    def command(self, name: str) -> None:
        """Run a command of the palette."""
        self._pick("F1", name)

    def show(self, name: str) -> None:
        """Open a file of the folder."""
        self._pick("Control+p", name)
        self.page.wait_for_selector(f'.tab.active[data-resource-name="{name}"]')
        self.page.wait_for_selector(".editor-instance .view-line")

    def _pick(self, key: str, text: str) -> None:
        self.page.keyboard.press(key)
        box = self.page.wait_for_selector(".quick-input-widget:not([style*='none']) input")
        box.fill(f">{text}" if key == "F1" else text)
        row = f".quick-input-list .monaco-list-row[aria-label^='{text}']"
        self.page.wait_for_selector(row)
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector(".quick-input-widget", state="hidden")

    def go_to(self, word: str, line: int) -> None:
        """Put the cursor into a word of a line."""
        self.page.keyboard.press("Control+g")
        box = self.page.wait_for_selector(".quick-input-widget input")
        text = self.text(line)
        box.fill(f":{line}:{text.index(word) + 1}")
        self.page.keyboard.press("Enter")
        self.page.wait_for_selector(".quick-input-widget", state="hidden")

    def type(self, text: str) -> None:
        """Type as a user does."""
        self.page.keyboard.type(text, delay=20)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, line: int) -> str:
        """A line of the active file, as it was saved."""
        name: str = self.page.get_attribute(".tab.active", "data-resource-name")
        return (self.folder / name).read_text("utf-8").splitlines()[line - 1]

    def save(self, name: str, has: str) -> str:
        """The text of a saved file, as soon as it contains something."""
        file = self.folder / name

        def text() -> str:
            found = file.read_text("utf-8")
            return found if has in found else ""

        self.page.keyboard.press("Control+s")
        return str(wait_for(text, f"{has!r} in {name}"))

    def texts(self, selector: str) -> list[str]:
        """The texts of the elements that are there now, with plain spaces."""
        found = [one.text_content() or "" for one in self.page.query_selector_all(selector)]
        return [re.sub(r"\s+", " ", text).strip() for text in found]

    def wait(self, selector: str, pattern: str = "") -> list[str]:
        """The texts of elements as soon as one matches."""

        def found() -> list[str]:
            texts = self.texts(selector)
            return texts if any(re.search(pattern, text) for text in texts) else []

        texts: list[str] = wait_for(found, f"{selector} with {pattern!r}")
        return texts

    def problems(self, count: int) -> list[str]:
        """The codes in the Problems panel, as soon as there are enough of them."""
        self.command("Problems: Focus on Problems View")
        codes = ".markers-panel .marker-code"
        wait_for(lambda: len(self.texts(codes)) >= count, f"{count} problems")
        return self.texts(codes)

    def frame(self, selector: str, pattern: str = "") -> Any:
        """The frame of a webview that has an element with a text."""

        def found() -> Any:
            for frame in self.page.frames:
                for element in frame.query_selector_all(selector) if frame != self.page else []:
                    if re.search(pattern, element.text_content() or ""):
                        return frame
            return None

        return wait_for(found, f"frame with {selector} and {pattern!r}")

    def picture(self, name: str) -> None:
        """Save a screenshot, if PDL_SCREENSHOTS names a directory."""
        directory = os.environ.get("PDL_SCREENSHOTS")
        if directory:
            self.page.screenshot(path=Path(directory) / f"{name}.png")


INTERPRETER = {"pdl.interpreter": sys.executable}
