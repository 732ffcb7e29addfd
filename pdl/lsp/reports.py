"""Diagnostics: pulled by editors that ask for them, pushed to the others; never both.

Small texts are checked at once, large ones in a thread, so that typing never waits. What is found
in a text that has changed meanwhile is dropped.
"""

from __future__ import annotations

import asyncio
import hashlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types

from pdl.lsp.conversion import range_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from pdl.edit.document import Document
    from pdl.lsp.documents import View
    from pdl.lsp.server import Server
    from pdl.prompt.lint import Finding

_DEBOUNCE = 0.15  # seconds after a change
_LARGE = 20_000  # characters
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}

_Report = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport
_Item = (
    types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport
)


class _Result(NamedTuple):
    """What was found in a document; `generation` is that of the session when it was found."""

    document: Document
    generation: int
    items: Sequence[types.Diagnostic]
    id: str


class Reports:
    """The diagnostics of one editor's texts."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.session = server.session
        self.pulled = False
        self._thread = ThreadPoolExecutor(1, "pdl-check")
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks = set[asyncio.Task[None]]()
        self._results: dict[str, _Result] = {}

    def register(self) -> None:
        """Offer the requests of editors that pull."""
        feature = self.server.feature
        options = types.DiagnosticOptions(
            inter_file_dependencies=True, workspace_diagnostics=True, identifier="pdl"
        )
        nothing = types.RelatedFullDocumentDiagnosticReport([])
        pull = self._guarded(self.pull, nothing)
        feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(pull)
        everything = self._guarded(self.pull_all, types.WorkspaceDiagnosticReport([]))
        feature(types.WORKSPACE_DIAGNOSTIC)(everything)

    def _guarded(
        self, handler: Callable[[Any], Coroutine[Any, Any, Any]], nothing: Any
    ) -> Callable[[Any], Coroutine[Any, Any, Any]]:
        async def answer(params: Any) -> Any:
            try:
                return await handler(params)
            except Exception as error:  # noqa: BLE001 - an editor can do nothing about a bug
                self.server.report(error)
                return nothing

        return answer

    def changed(self, uri: str) -> None:
        """Look at a text that was opened or changed, and at those that can show it in them."""
        if not self.pulled:
            for other in [uri, *(one for one in self.session.texts if one != uri)]:
                self._schedule(other)

    def closed(self, uri: str) -> None:
        """Forget a text; what it includes from disk can be different."""
        self._results.pop(uri, None)
        timer = self._timers.pop(uri, None)
        if timer is not None:
            timer.cancel()
        if not self.pulled:
            self._publish(uri, None, [])
            self.all_changed()

    def all_changed(self) -> None:
        """Look at all texts again, since files or folders have changed."""
        if not self.pulled:
            for uri in self.session.texts:
                self._schedule(uri)
        elif _refreshes(self.server.client_capabilities):
            self.server.workspace_diagnostic_refresh(None)

    def _schedule(self, uri: str) -> None:
        timer = self._timers.pop(uri, None)
        if timer is not None:
            timer.cancel()
        loop = asyncio.get_running_loop()
        self._timers[uri] = loop.call_later(_DEBOUNCE, self._start, uri)

    def _start(self, uri: str) -> None:
        self._timers.pop(uri, None)
        task = asyncio.get_running_loop().create_task(self._push(uri))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _push(self, uri: str) -> None:
        view = self.session.view(uri)
        if view is None or uri not in self.session.texts:
            return
        result = await self._result(view)
        if self._is_current(view):
            self._publish(uri, view.version, result.items)

    def _publish(self, uri: str, version: int | None, items: Sequence[types.Diagnostic]) -> None:
        params = types.PublishDiagnosticsParams(uri, items, version)
        self.server.text_document_publish_diagnostics(params)

    def _is_current(self, view: View) -> bool:
        opened = self.session.texts.get(view.uri)
        return opened is not None and opened.document is view.document

    async def pull(self, params: types.DocumentDiagnosticParams) -> _Report:
        """Answer with what is wrong in a text."""
        uri = params.text_document.uri
        view = self.session.view(uri)
        if view is None:
            return types.RelatedFullDocumentDiagnosticReport([])
        if _is_large(view):
            await asyncio.sleep(_DEBOUNCE)  # the editor cancels this if another change comes
            view = self.session.view(uri) or view
        result = await self._result(view)
        if params.previous_result_id == result.id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result.id)
        return types.RelatedFullDocumentDiagnosticReport(result.items, result_id=result.id)

    async def pull_all(
        self, params: types.WorkspaceDiagnosticParams
    ) -> types.WorkspaceDiagnosticReport:
        """Answer with what is wrong in all prompts of the folders."""
        known = {one.uri: one.value for one in params.previous_result_ids}
        loop = asyncio.get_running_loop()
        workspace = self.session.workspace
        documents = await loop.run_in_executor(self._thread, lambda: list(workspace.documents()))
        items: list[_Item] = []
        for document in documents:
            view = self.session.view_of(document)
            result = await self._result(view, in_thread=True)
            version = view.version
            if known.get(view.uri) == result.id:
                items.append(
                    types.WorkspaceUnchangedDocumentDiagnosticReport(view.uri, result.id, version)
                )
            else:
                items.append(
                    types.WorkspaceFullDocumentDiagnosticReport(
                        view.uri, result.items, version, result_id=result.id
                    )
                )
        return types.WorkspaceDiagnosticReport(items)

    async def _result(self, view: View, *, in_thread: bool = False) -> _Result:
        """What is wrong in a document, which is remembered until anything changes."""
        generation = self.session.generation
        known = self._results.get(view.uri)
        if known is not None and known.document is view.document and known.generation == generation:
            return known
        if in_thread or _is_large(view):
            loop = asyncio.get_running_loop()
            items = await loop.run_in_executor(self._thread, self._found, view)
        else:
            items = self._found(view)
        digest = hashlib.sha256(repr(items).encode(errors="replace")).hexdigest()[:16]
        result = _Result(view.document, generation, items, digest)
        self._results[view.uri] = result
        return result

    def _found(self, view: View) -> list[types.Diagnostic]:
        """The diagnostics of a document; none if it is out of date already and none will ask."""
        if not self.pulled and not self._is_current(view):
            return []
        try:
            return diagnose(view)
        except Exception as error:  # noqa: BLE001 - as for all requests
            self.server.report(error)
            return []


def diagnose(view: View) -> list[types.Diagnostic]:
    """Return the findings of a document."""
    from pdl.prompt import lint  # noqa: PLC0415 - not needed to start

    document = view.document
    path = document.path
    base = path.parent if path is not None else None
    is_partial = path is not None and path.name.startswith("_")
    found = lint.lint_text(document.raw, document.source.name, base=base, partial=is_partial)
    return [_diagnostic(view, finding) for finding in found]


def _diagnostic(view: View, finding: Finding) -> types.Diagnostic:
    """A finding of a document; one in another file is at the beginning."""
    problem = finding.problem
    span = problem.location
    start, end = 0, 0
    if span is not None and span.source.name == view.document.source.name:
        start, end = span.start, span.end
    hint = f"\nhint: {problem.hint}" if problem.hint else ""
    unused = [types.DiagnosticTag.Unnecessary] if problem.code == "input/unused" else None
    return types.Diagnostic(
        range=range_of(view, start, end),
        message=problem.message + hint,
        severity=_SEVERITIES[finding.severity],
        code=problem.code,
        source="pdl",
        tags=unused,
        data={"hint": problem.hint} if problem.hint else None,
    )


def _is_large(view: View) -> bool:
    return len(view.document.raw) > _LARGE


def _refreshes(capabilities: types.ClientCapabilities) -> bool:
    workspace = capabilities.workspace
    diagnostics = workspace.diagnostics if workspace is not None else None
    return diagnostics is not None and bool(diagnostics.refresh_support)
