"""Changes of data that a caller can allow by name. None is made by default."""

from __future__ import annotations

from dataclasses import dataclass, fields

from pdl._types import options_repr
from pdl.errors import advised


@advised
@dataclass(frozen=True)
class Coercions:
    """The changes that the checker is allowed to make so that a value fits; all are off by default.

    Each change is reported as a `Repair` of the same name. A value that fits is never changed, nor
    is one that could fit in two ways. `Coercions(numbers_in_strings=True)`. Raises TypeError for
    anything but True and False.
    """

    numbers_in_strings: bool = False
    """`"5"` for 5, where a number is expected, and strings only as members of an enum."""
    thousands: bool = False
    """`"1,000"` for 1000; commas between groups of three digits. Needs `numbers_in_strings`."""
    words_in_strings: bool = False
    """`"true"` for true and `"null"` for null, and what Python calls them."""
    enum_case: bool = False
    """`"Bug"` for `"bug"`, where one value of an enum differs only in case and outer spaces."""
    key_case: bool = False
    """`{"userName": …}` for `user_name`: the same words, where no other key has them."""
    single_to_list: bool = False
    """A value where a list of such values is expected; not null, nor a string such as `a, b`."""
    json_in_strings: bool = False
    """An object or array written as JSON in a string, where a string is at most one of an enum."""
    unwrap: bool = False
    """The value inside a list of one item, or inside an object of one key that means the answer:
    `answer`, `result`, `value`, …, the name of the field, or the title of the schema."""
    null_to_absent: bool = False
    """`{"nick": null}` for `{}`, where the key is optional and null is not allowed."""

    __repr__ = options_repr

    def __post_init__(self) -> None:
        """Refuse values other than True and False."""
        for one in fields(self):
            allowed = getattr(self, one.name)
            if not isinstance(allowed, bool):
                raise TypeError(f"{one.name} must be True or False, not {allowed!r}")

    def __bool__(self) -> bool:
        """Whether any is allowed."""
        return self != NO_COERCIONS


NO_COERCIONS = Coercions()
