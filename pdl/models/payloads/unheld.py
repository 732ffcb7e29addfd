"""`UnheldError`: a part of a schema that a subset has no form for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pdl.models.exchange import Dropped
from pdl.schema.keywords import pointer

if TYPE_CHECKING:
    from pdl._types import JsonPath


class UnheldError(Exception):
    """Raised where a schema cannot be narrowed: neither as it is nor without a keyword."""

    def __init__(self, path: JsonPath, keyword: str, why: str) -> None:
        super().__init__(path, keyword, why)
        self.path = path
        self.keyword = keyword
        self.why = why

    def dropped(self, more: str = "") -> Dropped:
        """The same, as something that is left to the check."""
        return Dropped(pointer(self.path), self.keyword, self.why + more)
