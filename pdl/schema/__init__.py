"""The schema of an answer: read from the schema DSL, JSON Schema and Python types, and written."""

from pdl.schema.model import Schema
from pdl.schema.parts import Form

__all__ = ["Form", "Schema"]
