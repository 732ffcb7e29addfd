"""JSON files of models."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pdl.masks.saved import reason, unreadable
from pdl.masks.sources.found import refused

if TYPE_CHECKING:
    from pathlib import Path


def read_object(path: Path) -> dict[str, Any]:
    """The object that a file holds; an empty one if there is no such file.

    Raises FileError if it cannot be read, VocabularyError if it holds something else.
    """
    try:
        found = json.loads(path.read_bytes()) if path.is_file() else {}
    except OSError as error:
        raise unreadable(path, reason(error)) from error
    except (ValueError, RecursionError) as error:
        raise refused(str(path), f"this is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise refused(str(path), "this JSON is no object")
    return found
