"""Regular expressions of ECMA-262, as JSON Schema's `pattern` has them, as automata."""

from pdl.automata.pattern.compile import pattern
from pdl.automata.pattern.read import Irregular

__all__ = ["Irregular", "pattern"]
