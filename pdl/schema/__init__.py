"""The schema of an answer: read from the schema DSL, JSON Schema and Python types, and written."""

from typing import TYPE_CHECKING

from pdl._lazy import lazy
from pdl.schema.model import Schema
from pdl.schema.parts import Form

if TYPE_CHECKING:
    from pdl.schema.constraints import Absent, AnswerForm, Constraints, record

__all__ = ["Absent", "AnswerForm", "Constraints", "Form", "Schema", "record"]

__getattr__ = lazy(
    __name__,
    dict.fromkeys(("Absent", "AnswerForm", "Constraints", "record"), "pdl.schema.constraints"),
)
