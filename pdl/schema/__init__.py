"""The schema of an answer: read from the notation, from JSON Schema, from Python types; written."""

from pdl.schema.model import Schema
from pdl.schema.parts import Form

__all__ = ["Form", "Schema"]
