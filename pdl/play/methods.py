"""What the page can ask of the server: each method takes an object and returns one.

Modules that are slow to load are loaded when they are needed, and do not hold up other requests.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from pdl.errors import quoted
from pdl.play.access import RefusedError, text_of
from pdl.play.streams import Events
from pdl.play.workers import Workers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pdl._types import Json
    from pdl.play.files import OpenedFiles
    from pdl.play.server import Desk

    Answer = dict[str, Json] | Response
    Method = Callable[[dict[str, Any]], Awaitable[Answer]]


RUNS: Final = 4
"""The most runs at once."""

_RETRIES = 20
_LOADING = 30.0  # seconds that tokens may take, with a tokenizer that is read before
_PROCESSES = 2  # that look: one may be at work on what has changed meanwhile


class Methods:
    """The methods of a desk by their names."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        root = desk.files.root if desk.files is not None else None
        self._runs = 0
        self.workers = Workers(_PROCESSES, root, desk.seconds)
        self._counters = Workers(1, root, _LOADING)
        self.by_name: dict[str, Method] = {
            "hello": self.hello,
            "look": self.look,
            "files": self.files,
            "read": self.read,
            "save": self.save,
            "create": self.create,
            "run": self.run,
            "replies": self.replies,
            "case": self.case,
            "save_case": self.save_case,
            "tokens": self.tokens,
        }

    async def hello(self, params: dict[str, Any]) -> Answer:
        """What the page can do here."""
        del params
        return await asyncio.to_thread(self.desk.hello)

    async def look(self, params: dict[str, Any]) -> Answer:
        """Everything that the page shows of a prompt, its data and a reply."""
        reply = params.get("reply")
        if reply is not None and not isinstance(reply, str):
            raise RefusedError(400, "`reply` must be a text or null")
        options = params.get("options", {})
        if not isinstance(options, dict):
            raise RefusedError(400, "`options` must be an object")
        asked = {
            "prompt": text_of(params, "prompt", ""),
            "data": text_of(params, "data", ""),
            "reply": reply,
            "options": {"name": params.get("file"), **options},
            "base": self._folder_of(params),
        }
        answer = await self.workers.call("look", asked)
        return Response(answer, media_type="application/json")

    def _folder_of(self, params: dict[str, Any]) -> str | None:
        """The folder that files are read from, below the root; None if nothing is read."""
        files, name = self.desk.files, params.get("file") or None
        if name is not None and not isinstance(name, str):
            raise RefusedError(400, "`file` must be a name or null")
        return None if files is None else files.folder_of(name)

    async def files(self, params: dict[str, Any]) -> Answer:
        """The files that were opened."""
        del params
        if self.desk.files is None:
            return {"files": []}
        listed = await asyncio.to_thread(self.desk.files.list)
        return {"files": [asdict(one) for one in listed]}

    async def read(self, params: dict[str, Any]) -> Answer:
        """The text of a file, and the digest that a save must have."""
        text, digest = await asyncio.to_thread(self._opened.read, text_of(params, "name"))
        return {"text": text, "digest": digest}

    async def save(self, params: dict[str, Any]) -> Answer:
        """Replace the text of a file that has not changed since it was read."""
        given = [text_of(params, name) for name in ("name", "text", "digest")]
        return {"digest": await asyncio.to_thread(self._opened.save, *given)}

    async def create(self, params: dict[str, Any]) -> Answer:
        """Write a new file."""
        given = [text_of(params, name) for name in ("name", "text")]
        return {"digest": await asyncio.to_thread(self._opened.create, *given)}

    async def run(self, params: dict[str, Any]) -> Answer:
        """The events of a run."""
        retries = params.get("retries", 3)
        if type(retries) is not int or not 0 <= retries <= _RETRIES:
            raise RefusedError(400, f"`retries` must be a number from 0 to {_RETRIES}")
        asked = {
            "prompt": text_of(params, "prompt"),
            "data": text_of(params, "data", ""),
            "model": text_of(params, "model"),
            "file": params.get("file") or None,
            "retries": retries,
        }
        self._folder_of(params)
        if self._runs >= RUNS:
            raise RefusedError(429, f"there are {RUNS} runs already", "stop one of them")
        running = await asyncio.to_thread(import_module, "pdl.play.running")
        self._runs += 1
        desk = self.desk
        return Events(lambda put: running.run(asked, desk.choice, put, desk.hidden), self._ended)

    async def replies(self, params: dict[str, Any]) -> Answer:
        """The replies on record of a prompt."""
        if self.desk.files is None:
            return {"replies": []}
        name = text_of(params, "name")
        recorded = await asyncio.to_thread(import_module, "pdl.play.recorded")
        return {"replies": await asyncio.to_thread(recorded.replies_of, self.desk.files, name)}

    async def case(self, params: dict[str, Any]) -> Answer:
        """A reply as a case."""
        return {"text": (await self._written(params))["text"]}

    async def save_case(self, params: dict[str, Any]) -> Answer:
        """Add a reply to the cases of its prompt."""
        files, prompt = self._opened, text_of(params, "file")
        case = await self._written(params)
        recorded = await asyncio.to_thread(import_module, "pdl.play.recorded")
        saved: Answer = await asyncio.to_thread(
            recorded.save_case, files, prompt, case["text"], case["files"]
        )
        return saved

    async def _written(self, params: dict[str, Any]) -> dict[str, Any]:
        base = self._folder_of(params)
        names = ("name", "prompt", "data", "reply", "expect")
        given = {name: text_of(params, name, "") for name in names}
        asked = {**given, "file": params.get("file") or None, "base": base}
        found: dict[str, Any] = json.loads(await self.workers.call("case", asked))
        return found

    async def tokens(self, params: dict[str, Any]) -> Answer:
        """The tokens that may come at a place of a reply."""
        at, label = params.get("at"), text_of(params, "tokenizer")
        if type(at) is not int or at < 0:
            raise RefusedError(400, "`at` must be a number of characters")
        if label not in self.desk.labels:
            hint = "start `pdl play` with `--tokenizer FILE`"
            raise RefusedError(404, f"there is no tokenizer {quoted(label)}", hint)
        given = {name: text_of(params, name, "") for name in ("schema_prompt", "data", "reply")}
        path = str(self.desk.labels[label])
        asked: dict[str, Any] = {**given, "at": at, "tokenizer": path, "eos": self.desk.eos}
        asked["base"] = self._folder_of(params)
        self._counters.start()
        answer = await self._counters.call("tokens", asked)
        return Response(answer, media_type="application/json")

    def start(self) -> None:
        """Start what works for the page."""
        self.workers.start()

    async def close(self) -> None:
        """End what works for the page."""
        await self.workers.close()
        await self._counters.close()

    def _ended(self) -> None:
        self._runs -= 1

    @property
    def _opened(self) -> OpenedFiles:
        if self.desk.files is None:
            hint = "start `pdl play` with a file or a folder"
            raise RefusedError(404, "no file was opened", hint)
        return self.desk.files
