"""The playground's methods in a page: Python in a worker of the browser, without a server.

Files are kept in memory, in a folder of Pyodide's file system. Nothing here starts a thread or
opens a socket; models can't be run, and tokens can't be looked at.
"""

from __future__ import annotations

import json
import logging
import re
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pdl
from pdl.models.payloads import FAMILIES
from pdl.play.access import RefusedError, refusal_of, text_of
from pdl.play.files import OpenedFiles
from pdl.play.look import look, warm_up
from pdl.play.looking.bounds import PAGE_LIMITS

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl._types import Json
    from pdl.play.case import WrittenCase

    Params = dict[str, Any]
    Answer = dict[str, Json]

_DEEPEST = 200
"""Brackets in brackets of a reply or of data; far more end Python in a browser."""
_TOO_DEEP = "this is too deep or too large for a browser"
_WRITING = frozenset({"save", "create", "save_case"})


class Browser:
    """The methods of one page, over the files of a folder."""

    def __init__(self, root: str | Path) -> None:
        folder = Path(root)
        folder.mkdir(parents=True, exist_ok=True)
        self.files = OpenedFiles(folder)
        self._methods: dict[str, Callable[[Params], Answer]] = {
            "hello": self._hello,
            "look": self._look,
            "files": self._list,
            "read": self._read,
            "save": self._save,
            "create": self._create,
            "replies": self._replies,
            "case": self._case,
            "save_case": self._save_case,
        }
        warm_up()

    def call(self, method: str, params: str) -> str:
        """Return `{"status", "result"}` as JSON: what the method answers over HTTP.

        `params` is a JSON object. Where files may have changed, `files` has their texts by names.
        """
        try:
            status, result = 200, self._called(method, json.loads(params))
        except (RecursionError, MemoryError):
            refused = RefusedError(400, _TOO_DEEP)
            status, result = refused.status, refused.body
        except Exception as error:  # noqa: BLE001 - the page is told of all
            refused = refusal_of(error)
            status, result = refused.status, refused.body
        answer: Answer = {"status": status, "result": result}
        if method in _WRITING:
            answer["files"] = {one.name: self.files.read(one.name)[0] for one in self.files.list()}
        return json.dumps(answer)

    def _called(self, method: str, params: Params) -> Answer:
        if method not in self._methods:
            raise RefusedError(404, f"a page without a server has no method `{method[:40]}`")
        for name in ("data", "reply"):
            text = params.get(name)
            if isinstance(text, str) and _depth_of(text) > _DEEPEST:
                raise RefusedError(400, _TOO_DEEP)
        return self._methods[method](params)

    def put(self, files: str) -> None:
        """Write files, whatever they are now; `files` is a JSON object of names and texts."""
        for name, text in json.loads(files).items():
            file = self.files.root.joinpath(*name.split("/"))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")

    def language(self, send: Callable[[str], object]) -> Callable[[str], None]:
        """Start a language server for one editor; return what takes a message to it.

        `send` is called with each message from it.
        """
        from pdl.lsp.server import Server  # noqa: PLC0415 - the page shows a prompt before

        logging.getLogger("pygls").setLevel(logging.CRITICAL)
        protocol = Server(threads=False, longest=PAGE_LIMITS.source_chars).protocol
        protocol.set_writer(_Writer(send), include_headers=False)

        def take(message: str) -> None:
            read = json.loads(message, object_hook=protocol.structure_message)
            try:
                protocol.handle_message(read)
            except SystemExit:  # `exit`: the page forgets this server
                return

        return take

    def _hello(self, params: Params) -> Answer:
        del params
        return {
            "version": pdl.__version__,
            "files": True,
            "run": False,
            "tokenizers": [],
            "models": [],
            "families": sorted(FAMILIES),
            "root": self.files.label,
            "opened": None,
            "language": True,
            "notes": [_note()],
        }

    def _look(self, params: Params) -> Answer:
        reply, options = params.get("reply"), params.get("options", {})
        if reply is not None and not isinstance(reply, str):
            raise RefusedError(400, "`reply` must be a text or null")
        if not isinstance(options, dict):
            raise RefusedError(400, "`options` must be an object")
        prompt, data = text_of(params, "prompt", ""), text_of(params, "data", "")
        options = {"name": params.get("file"), **options}
        return look(prompt, data, reply, options, base=self._folder_of(params))

    def _folder_of(self, params: Params) -> str:
        """The folder that files are read from."""
        return str(self.files.root / self.files.folder_of(params.get("file") or None))

    def _list(self, params: Params) -> Answer:
        del params
        return {"files": [asdict(one) for one in self.files.list()]}

    def _read(self, params: Params) -> Answer:
        text, digest = self.files.read(text_of(params, "name"))
        return {"text": text, "digest": digest}

    def _save(self, params: Params) -> Answer:
        given = [text_of(params, name) for name in ("name", "text", "digest")]
        return {"digest": self.files.save(*given)}

    def _create(self, params: Params) -> Answer:
        return {"digest": self.files.create(*(text_of(params, name) for name in ("name", "text")))}

    def _replies(self, params: Params) -> Answer:
        from pdl.play.recorded import replies_of  # noqa: PLC0415 - not needed to start

        return {"replies": replies_of(self.files, text_of(params, "name"))}

    def _case(self, params: Params) -> Answer:
        return {"text": self._written(params).text}

    def _save_case(self, params: Params) -> Answer:
        from pdl.play.recorded import save_case  # noqa: PLC0415 - not needed to start

        prompt, case = text_of(params, "file"), self._written(params)
        return save_case(self.files, prompt, case.text, dict(case.files))

    def _written(self, params: Params) -> WrittenCase:
        from pdl.play.recorded import written_case  # noqa: PLC0415 - not needed to start

        names = ("name", "prompt", "data", "reply", "expect")
        given: Params = {name: text_of(params, name, "") for name in names}
        given["file"] = params.get("file") or None
        return written_case(given, self._folder_of(params))


def _depth_of(text: str) -> int:
    """How deep brackets of any kind nest, those in strings too."""
    depth = most = 0
    for bracket in re.findall(r"[\[{()}\]]", text):
        depth = depth + 1 if bracket in "[{(" else max(0, depth - 1)
        most = max(most, depth)
    return most


def _note() -> str:
    """What the page says about itself."""
    import regex  # noqa: PLC0415 - the stand-in, or the package

    stays = "Everything stays in this browser, which keeps the files that you save."
    if "stand_ins" not in Path(regex.__file__).parts:
        return stays
    return (
        f"{stays} Patterns are checked by Python's `re`, so \\p{{…}} and a few others are refused."
    )


class _Writer:
    """What the language server writes to."""

    def __init__(self, send: Callable[[str], object]) -> None:
        self._send = send

    def write(self, data: bytes) -> None:
        self._send(data.decode())

    def close(self) -> None:
        """Nothing is to be closed."""
