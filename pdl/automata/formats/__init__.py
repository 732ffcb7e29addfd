"""The strings of JSON Schema's formats (2020-12 validation, 7.3), as far as they are regular.

The rules are those by which answers are checked. Where a format is not regular, or is so only by
counting what no grammar should count, `Fit` says which way the language differs.
"""

from pdl.automata.formats.known import Fit, Format, format_of

__all__ = ["Fit", "Format", "format_of"]
