"""JSON-RPC as pygls does it, except where a client would wait forever or its texts would be wrong.

pygls keeps texts of its own, whose positions are wrong after a last line without an end and at
VT, FF, NEL and U+2028; it leaves requests unanswered that it cannot read; and it loses the exit
code.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NoReturn

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcInvalidRequest
from pygls.protocol import LanguageServerProtocol, lsp_method

_UNREADABLE = SimpleNamespace(jsonrpc="")
"""A message to which nothing more is done."""
_NOT_INITIALIZED = -32002
_OWN = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
    types.WORKSPACE_EXECUTE_COMMAND,
)


class Protocol(LanguageServerProtocol):
    """Reads messages and answers them."""

    exit_code = 1
    """0 after `shutdown` and `exit`."""
    _is_initialized = False

    def _register_builtin_features(self) -> None:
        super()._register_builtin_features()  # type: ignore[no-untyped-call]
        for method in _OWN:
            del self.fm.builtin_features[method]

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Read a message; a request that is none is answered at once."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                refusal = JsonRpcInvalidParams.of(error.__cause__ or error)
                self._send_response(data["id"], error=refusal.to_response_error())
            if "method" in data:
                self._server.report_server_error(error, JsonRpcInvalidParams)
            return _UNREADABLE

    def handle_message(self, message: Any) -> None:
        """Answer a message, unless it comes too early or too late."""
        method = getattr(message, "method", "")
        refusal: JsonRpcException | None = None
        if self._shutdown:
            refusal = JsonRpcInvalidRequest("the server has shut down")
        elif not self._is_initialized and method != types.INITIALIZE:
            refusal = JsonRpcException("the server is not initialized", code=_NOT_INITIALIZED)
        if refusal is not None and method != types.EXIT:
            if method and hasattr(message, "id"):
                self._send_response(message.id, error=refusal.to_response_error())
            return
        self._is_initialized = self._is_initialized or method == types.INITIALIZE
        super().handle_message(message)

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> NoReturn:
        """End the server; the process ends with the code that the protocol asks for."""
        self.exit_code = 0 if self._shutdown else 1
        raise SystemExit
