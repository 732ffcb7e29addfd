"""Bytes as text, with the position of what is not UTF-8."""

from __future__ import annotations

from typing import Final

from pdl.errors import Problem, error_from
from pdl.source import Source, encoding_fault

SAVE_AS_UTF8: Final = "save the file as UTF-8"
"""The hint for bytes that are something else."""


def decoded(
    data: bytes, name: str, code: str = "file/encoding", *, keep_mark: bool = False
) -> Source:
    """Return the text of a UTF-8 file, by default without its byte order mark.

    Raises the error of the code, with the position of the first byte that is not UTF-8.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        span = Source(before + "\N{REPLACEMENT CHARACTER}", name).span(len(before))
        raise error_from([Problem(code, encoding_fault(error), span, SAVE_AS_UTF8)]) from error
    return Source(text if keep_mark else text.removeprefix("\ufeff"), name)
