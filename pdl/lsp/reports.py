"""Diagnostics: pulled by editors that ask for them, pushed to the others; never both.

Texts are checked in a thread, if the server has any, so that typing never waits. What is found in a
text that has changed meanwhile is dropped.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types

from pdl.lsp.conversion import locations, offsets_of, range_of, workspace_edit
from pdl.lsp.documents import path_of
from pdl.lsp.session import member

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Sequence

    from pdl.edit.document import Document
    from pdl.edit.features.actions import Action
    from pdl.edit.features.diagnostics import Diagnostic
    from pdl.edit.workspace import Workspace
    from pdl.lsp.documents import View
    from pdl.lsp.server import Server

_DEBOUNCE = 0.15  # seconds after a change
_LARGE = 20_000  # characters of a text that is not checked before typing pauses
_PATIENCE = 5.0  # seconds for which files on disk are taken to be the same
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "note": types.DiagnosticSeverity.Information,
}
_KINDS: dict[str, str] = {
    "quickfix": types.CodeActionKind.QuickFix.value,
    "refactor": types.CodeActionKind.Refactor.value,
    "source": types.CodeActionKind.SourceFixAll.value,
}

_Report = types.RelatedFullDocumentDiagnosticReport | types.RelatedUnchangedDocumentDiagnosticReport
_Item = (
    types.WorkspaceFullDocumentDiagnosticReport | types.WorkspaceUnchangedDocumentDiagnosticReport
)


class _Result(NamedTuple):
    """What was found in a document, when, and after how many changes of the session."""

    document: Document
    generation: int
    until: float
    items: Sequence[types.Diagnostic]
    id: str


class Reports:
    """The diagnostics of one editor's texts."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.session = server.session
        self.pulled = False
        self.explains = False
        """Whether the editor shows related places."""
        self._thread = server.executor(1, "pdl-check")
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks = set[asyncio.Task[None]]()
        self._results: dict[str, _Result] = {}

    @cached_property
    def _workspace(self) -> Workspace:
        """What the thread knows: that of the session, whenever it begins."""
        from pdl.edit.workspace import Workspace  # noqa: PLC0415 - not needed to start

        return Workspace(patience=_PATIENCE)

    def register(self) -> None:
        """Offer code actions, which need what is found in a text."""
        kinds = [*_KINDS.values()]
        actions = self._guarded(self.actions, None)
        self.server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(kinds))(
            actions
        )

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        """Answer with what can be done about the findings in a range, and with the text there."""
        view = self.session.view(params.text_document.uri)
        if view is None:
            return None
        only = tuple(str(getattr(one, "value", one)) for one in params.context.only or ())
        loop = asyncio.get_running_loop()
        where = offsets_of(view, params.range)
        found = await loop.run_in_executor(self._thread, self._actions, view, where, only)
        return [
            types.CodeAction(
                title=one.title,
                kind=_KINDS[one.kind],
                diagnostics=[self._diagnostic(view, of) for of in one.fixes] or None,
                is_preferred=one.is_preferred or None,
                edit=workspace_edit(self.session, view, one.edits),
            )
            for one in found
            if not only or _KINDS[one.kind].startswith(only)
        ]

    def _actions(self, view: View, where: tuple[int, int], only: tuple[str, ...]) -> list[Action]:
        from pdl.edit.document import Range  # noqa: PLC0415
        from pdl.edit.features.actions import Action, actions, fix_all  # noqa: PLC0415 - not needed to start
        from pdl.edit.features.diagnostics import diagnostics  # noqa: PLC0415

        self._workspace.take(self.session.workspace)
        if only and all(one.startswith("source") for one in only):
            edits = fix_all(self._workspace, view.document)
            title = "fix all that can be fixed"
            return [Action(title, "source", {view.document.path: edits})] if edits else []
        known = diagnostics(self._workspace, view.document)
        return actions(self._workspace, view.document, Range(*where), known)

    def learn(self, capabilities: types.ClientCapabilities) -> None:
        """Learn whether the editor pulls, and offer the requests if so."""
        texts = capabilities.text_document
        pull, push = member(texts, "diagnostic"), member(texts, "publish_diagnostics")
        self.pulled = pull is not None
        self.explains = bool(member(pull if self.pulled else push, "related_information"))
        if not self.pulled:
            return
        feature = self.server.feature
        options = types.DiagnosticOptions(
            inter_file_dependencies=True, workspace_diagnostics=True, identifier="pdl"
        )
        nothing = types.RelatedFullDocumentDiagnosticReport([])
        feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(self._guarded(self.pull, nothing))
        nowhere = types.WorkspaceDiagnosticReport([])
        feature(types.WORKSPACE_DIAGNOSTIC)(self._guarded(self.pull_all, nowhere))

    def close(self) -> None:
        """Check nothing more, and end the thread."""
        for timer in self._timers.values():
            timer.cancel()
        for task in self._tasks:
            task.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def warm_up(self) -> None:
        """Load what the first text needs, in the thread, while the editor is busy too."""
        self._thread.submit(import_module, "pdl.edit.features.diagnostics")

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

    @contextmanager
    def changing(self, uri: str, *, opens: bool = False) -> Iterator[None]:
        """Look again at a text after it has changed, and at those that it was or is shown in.

        A text that is opened or closed makes a difference to them too: what is wrong in it is shown
        in them while it is not open.
        """
        before = self._related(uri) if opens or not self.pulled else []
        yield
        if not self.pulled:
            for other in dict.fromkeys((uri, *before, *self._related(uri))):
                if other in self.session.texts:
                    self._schedule(other)
        elif opens and (before or self._related(uri)):
            self.all_changed()

    def _related(self, uri: str) -> list[str]:
        """The other open texts that include a text, or are included, however indirectly.

        And files of cases of such prompts, or with judges that are.
        """
        from pdl.edit.features.cases_findings import prompts_named  # noqa: PLC0415 - not needed to start

        workspace, path = self.session.workspace, path_of(uri)
        others = [one for one in self.session.texts.values() if one.uri != uri and one.path]
        if not others or path is None:
            return []
        graph = workspace.graph()
        left = [workspace.canonical(path)]
        seen = set(left)
        for path in left:
            near = [one.target for one in graph.targets.get(path, ())]
            near += [one.includer for one in graph.includers.get(path, ())]
            left += [one for one in dict.fromkeys(near) if one not in seen]
            seen.update(near)
        named = {one.uri: (one.path, *prompts_named(one.document)) for one in others}
        return [
            uri
            for uri, paths in named.items()
            if any(path and workspace.canonical(path) in seen for path in paths)
        ]

    def closed(self, uri: str) -> None:
        """Forget a text."""
        self._results.pop(uri, None)
        timer = self._timers.pop(uri, None)
        if timer is not None:
            timer.cancel()
        if not self.pulled:
            self._publish(uri, None, [])

    def all_changed(self) -> None:
        """Look at all texts again, since files or folders have changed."""
        if not self.pulled:
            for uri in self.session.texts:
                self._schedule(uri)
            return
        workspace = self.server.client_capabilities.workspace
        if member(member(workspace, "diagnostics"), "refresh_support"):
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
        opened, view = self.session.texts.get(uri), self.session.view(uri)
        if opened is None:
            return
        if view is None:
            self._publish(uri, opened.version, [])
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
        if view is not None and len(view.document.raw) > _LARGE:
            await asyncio.sleep(_DEBOUNCE)  # the editor cancels this if another change comes
            view = self.session.view(uri)
        if view is None:
            return types.RelatedFullDocumentDiagnosticReport([])
        result = await self._result(view)
        if params.previous_result_id == result.id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result.id)
        return types.RelatedFullDocumentDiagnosticReport(result.items, result_id=result.id)

    async def pull_all(
        self, params: types.WorkspaceDiagnosticParams
    ) -> types.WorkspaceDiagnosticReport:
        """Answer with what is wrong in all prompts of the folders, and in what they include."""
        known = {one.uri: one.value for one in params.previous_result_ids}
        loop = asyncio.get_running_loop()
        paths = await loop.run_in_executor(self._thread, self._paths)
        items: list[_Item] = []
        for path in paths:
            view = self.session.view_of_path(path)
            if view is None:
                continue
            result = self._known(view) or await self._result(view)
            uri, version = view.uri, view.version
            if known.get(uri) == result.id:
                items.append(
                    types.WorkspaceUnchangedDocumentDiagnosticReport(uri, result.id, version)
                )
            else:
                items.append(
                    types.WorkspaceFullDocumentDiagnosticReport(
                        uri, result.items, version, result_id=result.id
                    )
                )
        return types.WorkspaceDiagnosticReport(items)

    def _paths(self) -> list[Any]:
        self._workspace.take(self.session.workspace)
        return [*self._workspace.graph().bases]

    def _known(self, view: View) -> _Result | None:
        """What was found in a document, if nothing has changed that the editor told of."""
        known = self._results.get(view.uri)
        if known is None or known.document is not view.document or time.monotonic() > known.until:
            return None
        return known if known.generation == self.session.generation else None

    async def _result(self, view: View) -> _Result:
        """What is wrong in a document."""
        generation, until = self.session.generation, time.monotonic() + _PATIENCE
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._thread, self._found, view)
        items = [self._diagnostic(view, one) for one in found]
        digest = hashlib.sha256(repr(items).encode(errors="replace")).hexdigest()[:16]
        result = _Result(view.document, generation, until, items, digest)
        self._results[view.uri] = result
        return result

    def _found(self, view: View) -> list[Diagnostic]:
        """The findings of a document; none if it is out of date already and nobody will ask."""
        from pdl.edit.features.diagnostics import diagnostics  # noqa: PLC0415 - not needed to start

        if not self.pulled and not self._is_current(view):
            return []
        try:
            self._workspace.take(self.session.workspace)
            return diagnostics(self._workspace, view.document)
        except Exception as error:  # noqa: BLE001 - as for all requests
            self.server.report(error)
            return []

    def _diagnostic(self, view: View, one: Diagnostic) -> types.Diagnostic:
        """A finding as the editor shows it, with its hint, which has the words of a fix."""
        related = [
            types.DiagnosticRelatedInformation(location, words)
            for place, words in (one.related if self.explains else ())
            for location in locations(self.session, view, [place])
        ]
        return types.Diagnostic(
            range=range_of(view, *one.range),
            message=f"{one.message}\nhint: {one.hint}" if one.hint else one.message,
            severity=_SEVERITIES[one.severity],
            code=one.code,
            source="pdl",
            tags=[types.DiagnosticTag.Unnecessary] if one.is_unnecessary else None,
            related_information=related or None,
            data={"hint": one.hint} if one.hint else None,
        )
