"""The texts of JSON numbers (RFC 8259, 6) whose values are in a range and multiples of something.

Values are compared as the decimals that are written, digit by digit, whatever their length.
"""

from pdl.automata.numbers.digits import READABLE, Digits
from pdl.automata.numbers.exact import Number
from pdl.automata.numbers.language import Spelling, numbers

__all__ = ["READABLE", "Digits", "Number", "Spelling", "numbers"]
