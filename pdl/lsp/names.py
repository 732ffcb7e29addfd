"""Requests about names: where they are defined and used, and how they are renamed."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcException


class RefusedError(JsonRpcException):
    """Something that cannot be done, for a reason that the editor shows."""

    CODE = types.LSPErrorCodes.RequestFailed
