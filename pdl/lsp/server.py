"""The language server: which function answers which request, and what it says about itself."""

from __future__ import annotations

import functools
import logging
import traceback
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer

from pdl.lsp import features
from pdl.lsp.commands import Commands
from pdl.lsp.in_place import InPlace
from pdl.lsp.names import RefusedError
from pdl.lsp.protocol import Protocol
from pdl.lsp.reports import Reports
from pdl.lsp.session import Session, folder_paths, member

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from pygls.server import ServerErrors

    from pdl.lsp.documents import View

_WATCHED = (
    "**/*.{pdl,txt,md,j2,jinja,json,jsonl,csv,yaml,yml,png,jpg,jpeg,gif,webp,svg,pdf,wav,mp3}"
)


def serve() -> int:
    """Answer requests on standard input until the editor ends; return the exit code."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    server = Server()
    server.start_io()
    return server.protocol.exit_code


class Server(LanguageServer):
    """A server for one editor; `threads` is false where there are none, as in a browser.

    A text of more than `longest` characters is kept, and nothing is said about it.
    """

    protocol: Protocol

    def __init__(self, *, threads: bool = True, longest: int | None = None) -> None:
        super().__init__("pdl", _version(), protocol_cls=Protocol)
        self._threads = threads
        self.session = Session(longest)
        self.reports = Reports(self)
        self.commands = Commands(self)
        self._causes: set[str] = set()
        notifications: dict[str, Callable[[Any], Any]] = {
            types.INITIALIZE: self.on_initialize,
            types.INITIALIZED: self.on_initialized,
            types.TEXT_DOCUMENT_DID_OPEN: self.on_open,
            types.TEXT_DOCUMENT_DID_CHANGE: self.on_change,
            types.TEXT_DOCUMENT_DID_CLOSE: self.on_close,
            types.TEXT_DOCUMENT_DID_SAVE: self.on_save,
            types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: self.on_folders,
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES: self.on_watched,
            types.WORKSPACE_DID_CHANGE_CONFIGURATION: self.on_configuration,
        }
        for method, handler in notifications.items():
            self.feature(method)(self.guarded(handler))
        self.commands.register()
        self.reports.register()
        for method, function, options in features.OF_TEXTS:
            self.feature(method, options)(self.guarded(functools.partial(self._answer, function)))
        for method, answer, options in features.OF_WORKSPACE:
            self.feature(method, options)(self.guarded(functools.partial(answer, self.session)))

    def close(self) -> None:
        """End its threads, without waiting for what they do."""
        self.reports.close()
        self.commands.close()

    def executor(self, most: int, name: str) -> Executor:
        """Return what runs functions in at most so many threads, or at once without threads."""
        return ThreadPoolExecutor(most, name) if self._threads else InPlace()

    def _answer(self, function: Callable[[Session, View, Any], Any], params: Any) -> Any:
        view = self.session.view(params.text_document.uri)
        return None if view is None else function(self.session, view, params)

    def guarded(self, handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return a handler that answers with nothing where another would fail."""

        def answer(params: Any) -> Any:
            try:
                return handler(params)
            except RefusedError:
                raise
            except Exception as error:  # noqa: BLE001 - an editor can do nothing about a bug
                self.report(error)
                return None

        return answer

    def report(self, error: BaseException) -> None:
        """Log an error with its traceback, once for each cause."""
        frames = traceback.extract_tb(error.__traceback__)
        cause = f"{type(error).__name__} {frames[-1] if frames else ''}"
        if cause not in self._causes:
            self._causes.add(cause)
            text = "".join(traceback.format_exception(error))
            self.log(text, types.MessageType.Error)

    def log(self, text: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Write to the log that the editor shows."""
        self.window_log_message(types.LogMessageParams(kind, text))

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Log what pygls could not read, instead of showing it; an answer has its own error."""
        if source is not FeatureRequestError:
            self.log(str(error) or type(error).__name__, types.MessageType.Error)

    def on_initialize(self, params: types.InitializeParams) -> None:
        """Learn what the editor can do."""
        session = self.session
        session.encoding = _encoding(params.capabilities)
        session.set_folders(folder_paths(params.workspace_folders, params.root_uri))
        self._learn(params.capabilities)
        self.reports.learn(params.capabilities)
        options = params.initialization_options
        session.settings = session.settings.updated(member(options, "pdl"))
        self.commands.shows_itself = member(options, "showDocuments") == "client"

    def _learn(self, capabilities: types.ClientCapabilities) -> None:
        session = self.session
        edits = member(capabilities.workspace, "workspace_edit")
        session.edits_versions = bool(member(edits, "document_changes"))
        texts = capabilities.text_document
        item = member(member(texts, "completion"), "completion_item")
        session.takes_snippets = bool(member(item, "snippet_support"))
        signature = member(member(texts, "signature_help"), "signature_information")
        labels = member(signature, "parameter_information")
        session.labels_offsets = bool(member(labels, "label_offset_support"))
        tokens = member(texts, "semantic_tokens")
        session.has_grammar = bool(member(tokens, "augments_syntax_tokens"))

    def on_initialized(self, params: types.InitializedParams) -> None:
        """Ask for news of files, and for settings."""
        del params
        wanted = []
        workspace = self.client_capabilities.workspace
        if member(member(workspace, "did_change_watched_files"), "dynamic_registration"):
            watchers = [types.FileSystemWatcher(_WATCHED)]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            wanted.append(types.Registration("pdl-files", method, options))
        if member(member(workspace, "did_change_configuration"), "dynamic_registration"):
            section = types.DidChangeConfigurationRegistrationOptions(section="pdl")
            method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
            wanted.append(types.Registration("pdl-settings", method, section))
        if wanted:
            self.client_register_capability(types.RegistrationParams(wanted))
        self._ask_settings()
        self.reports.warm_up()

    def _ask_settings(self) -> None:
        if member(self.client_capabilities.workspace, "configuration"):
            items = [types.ConfigurationItem(section="pdl")]
            future = self.workspace_configuration(types.ConfigurationParams(items))
            future.add_done_callback(self.guarded(self._set_settings))

    def _set_settings(self, future: Any) -> None:
        if not future.cancelled() and future.exception() is None and future.result():
            self.session.settings = self.session.settings.updated(future.result()[0])

    def on_configuration(self, params: types.DidChangeConfigurationParams) -> None:
        """Take the settings, or ask for them."""
        section = member(params.settings, "pdl")
        self.session.settings = self.session.settings.updated(section)
        self._ask_settings()

    def on_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Keep a text."""
        item = params.text_document
        with self.reports.changing(item.uri, opens=True):
            self.session.open(item.uri, item.version, item.text)

    def on_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Change a text."""
        item = params.text_document
        with self.reports.changing(item.uri):
            self.session.change(item.uri, item.version, params.content_changes)

    def on_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a text."""
        uri = params.text_document.uri
        with self.reports.changing(uri, opens=True):
            self.session.close(uri)
        self.reports.closed(uri)

    def on_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """Nothing: a text is known before it is saved."""

    def on_folders(self, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Add and remove folders."""
        removed = folder_paths(params.event.removed, None)
        kept = [path for path in self.session.workspace.roots if path not in removed]
        self.session.set_folders([*kept, *folder_paths(params.event.added, None)])
        self.reports.all_changed()

    def on_watched(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Look again at what includes files that have changed."""
        if any(change.uri not in self.session.texts for change in params.changes):
            self.session.refresh()
            self.reports.all_changed()


def _encoding(capabilities: types.ClientCapabilities) -> Any:
    known = ("utf-8", "utf-16", "utf-32")
    given = member(capabilities.general, "position_encodings") or ()
    return next((str(getattr(one, "value", one)) for one in given if one in known), "utf-16")


def _version() -> str:
    try:
        return version("pdl-prompts")
    except PackageNotFoundError:  # it is not installed
        return "0"
