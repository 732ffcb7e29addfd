"""The commands of the server: render a prompt, run it, show its grammar or its JSON Schema.

Each takes a URI and returns `{"title", "language", "text"}` (rendering also `"messages"`) or
`{"error"}`. An editor that does not show the text itself gets it as a temporary file.

`pdl.test` takes a case's name as well and returns `{"status", "text"}`, `pdl.cases` returns the
`{"uri"}` of the cases beside a prompt. What comes of these two, the server shows in every editor.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from pdl.lsp.documents import uri_of
from pdl.lsp.session import member

if TYPE_CHECKING:
    from pdl.edit.document import Document
    from pdl.edit.features.preview import Preview
    from pdl.edit.workspace import Workspace
    from pdl.lsp.server import Server

_OF_CASES = ("pdl.test", "pdl.cases")
NAMES = ("pdl.render", "pdl.run", "pdl.grammar", "pdl.schema", *_OF_CASES)
_PATIENCE = 60.0  # seconds: a command looks at the folders once
_INFO = types.MessageType.Info
_SUFFIXES = {"json": ".json", "gbnf": ".gbnf", "plaintext": ".txt"}


class Commands:
    """The commands for one editor."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.shows_itself = False
        """Whether the editor shows results by itself (`{"showDocuments": "client"}`)."""
        self._thread = server.executor(4, "pdl-command")
        self._folder: Path | None = None

    def close(self) -> None:
        """Run nothing more, and end the threads."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def register(self) -> None:
        """Offer the commands."""

        async def execute(params: types.ExecuteCommandParams) -> dict[str, Any]:
            return await self.execute(params)

        for name in NAMES:
            self.server.command(name)(execute)
        self.server.feature(types.WORKSPACE_EXECUTE_COMMAND)(execute)

    async def execute(self, params: types.ExecuteCommandParams) -> dict[str, Any]:
        """Run a command, in a thread, and show its result. Never fails."""
        try:
            result = await self._result(params)
        except Exception as error:  # noqa: BLE001 - an editor can do nothing about a bug
            self.server.report(error)
            result = {"error": f"{type(error).__name__}: {error}"}
        if not self.shows_itself or params.command in _OF_CASES:
            await self._show(result)
        return result

    async def _result(self, params: types.ExecuteCommandParams) -> dict[str, Any]:
        uri = next(iter(params.arguments or ()), None)
        view = self.server.session.view(uri) if isinstance(uri, str) else None
        if params.command not in NAMES:
            return {"error": f"there is no command `{params.command}`"}
        if view is None:
            return {"error": f"there is no prompt `{uri}`"}
        loop = asyncio.get_running_loop()
        from pdl.edit.workspace import Workspace  # noqa: PLC0415 - not needed to start

        workspace = Workspace(patience=_PATIENCE)
        workspace.take(self.server.session.workspace)
        if params.command in _OF_CASES:
            name = next(iter((params.arguments or ())[1:]), None)
            of_case = workspace, view.document, name if params.command == "pdl.test" else None
            return await loop.run_in_executor(self._thread, _of_cases, *of_case)
        arguments = params.command, workspace, view.document
        preview = await loop.run_in_executor(self._thread, _run, *arguments)
        if preview.error:
            return {"error": preview.error}
        result: dict[str, Any] = {
            "title": preview.title,
            "language": preview.language,
            "text": preview.text,
        }
        if params.command == "pdl.render":
            result["messages"] = [one._asdict() for one in preview.messages]
        return result

    async def _show(self, result: dict[str, Any]) -> None:
        """Show a result in the editor: as a document if it can, else as a message."""
        window = self.server.client_capabilities.window
        can_show = member(member(window, "show_document"), "support")
        if "error" in result:
            self._tell(result["error"], types.MessageType.Error)
        elif "status" in result:
            is_bad = result["status"] == "failed"
            self._tell(result["text"], types.MessageType.Error if is_bad else _INFO)
        elif "uri" in result:
            if can_show:
                params = types.ShowDocumentParams(result["uri"], take_focus=True)
                self.server.window_show_document(params)
            else:
                self._tell(f"The cases are in {result['uri']}", _INFO)
        elif can_show:
            file = self._write(result)
            params = types.ShowDocumentParams(uri_of(file), take_focus=False)
            self.server.window_show_document(params)
        else:
            self._tell(result["text"], types.MessageType.Info)

    def _tell(self, text: str, kind: types.MessageType) -> None:
        self.server.window_show_message(types.ShowMessageParams(kind, text))

    def _write(self, result: dict[str, Any]) -> Path:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="pdl-"))
        name: str = result["title"].replace(" ", "-") + _SUFFIXES.get(result["language"], ".txt")
        file = self._folder / name
        file.write_text(result["text"] + "\n", "utf-8", errors="replace")
        return file


def _of_cases(workspace: Workspace, document: Document, name: object) -> dict[str, Any]:
    """Run a case; without a name, find the cases of a prompt."""
    if name is None:
        from pdl.edit.features.cases_prompt import cases_of  # noqa: PLC0415 - as below

        found = cases_of(workspace, document)
        if found is None or found.path is None:
            return {"error": "there is no file of cases beside this prompt"}
        return {"uri": uri_of(found.path)}
    from pdl.edit.features.cases_run import run  # noqa: PLC0415 - as below

    tested = run(workspace, document, str(name))
    if tested.error:
        return {"error": tested.error}
    return {"status": tested.status, "text": tested.text}


def _run(command: str, workspace: Workspace, document: Document) -> Preview:
    from pdl.edit.features import preview  # noqa: PLC0415 - the server starts without grammars

    functions = {
        "pdl.render": preview.render,
        "pdl.run": preview.run,
        "pdl.grammar": preview.grammar,
        "pdl.schema": preview.json_schema,
    }
    return functions[command](workspace, document)
