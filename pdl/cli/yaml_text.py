"""YAML contexts. Imported when one is read, since PyYAML is an extra."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml
from yaml.reader import ReaderError

from pdl.errors import FileError, Problem

if TYPE_CHECKING:
    from pdl._types import Json
    from pdl.source import Source


def parse_yaml(source: Source) -> Json:
    """The value of a YAML document, by PyYAML's safe loader. Raises FileError where it is wrong."""
    try:
        return yaml.safe_load(source.text)
    except yaml.MarkedYAMLError as error:
        raise FileError(_marked_problem(error, source)) from error
    except ReaderError as error:
        message = f"this is not YAML: the character #x{error.character:04x} may not stand in it"
        problem = Problem("file/yaml", message, source.span(error.position))
        raise FileError(problem) from error
    except RecursionError as error:
        raise FileError(Problem("file/yaml", f"{source.name}: is nested too deeply")) from error
    except ValueError as error:
        # A date such as 2024-13-01, or an integer of more digits than Python reads.
        message = f"{source.name}: has a date or a number that cannot be read: {error}"
        raise FileError(Problem("file/yaml", message)) from error


def _marked_problem(error: yaml.MarkedYAMLError, source: Source) -> Problem:
    reason = error.problem or error.context or "it cannot be read"
    if reason.startswith("but "):
        reason = f"{error.context}, {reason}"
    mark = error.problem_mark or error.context_mark
    span = source.span(mark.index if mark is not None else 0)
    return Problem("file/yaml", f"this is not YAML: {reason}", span)
