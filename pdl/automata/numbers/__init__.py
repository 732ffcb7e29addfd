"""The texts of JSON numbers (RFC 8259, 6) whose values are in a range and multiples of something.

Values are compared as the decimals that are written, digit by digit, whatever their length.
"""

from pdl.automata.numbers.interval import Number
from pdl.automata.numbers.language import Spelling, numbers
from pdl.automata.numbers.multiples import READABLE, Digits

__all__ = ["READABLE", "Digits", "Number", "Spelling", "numbers"]
