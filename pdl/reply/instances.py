"""From JSON that fits a type's schema to an instance of the type.

What pydantic defines, it also makes and validates; the conversions of all other types are here, so
they are the same with and without pydantic. Durations are those of ISO 8601 (RFC 3339, appendix A).
"""

from __future__ import annotations

import collections
import collections.abc
import datetime as dt
import enum
import math
import os
import re
import types
from collections.abc import Set as AbstractSet
from decimal import Decimal, InvalidOperation
from functools import cached_property, lru_cache, partial
from itertools import repeat
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin
from uuid import UUID

from pdl._types import format_path
from pdl.reply.phrases import say, shorten
from pdl.reply.result import Violation
from pdl.reply.rules import LONGEST, ConversionError, Rule, of_error, of_words
from pdl.reply.validation.compiled import validator_of
from pdl.schema.annotations import has_pydantic, name_of, scalar_schema, unwrapped
from pdl.schema.checks import checks_of
from pdl.schema.model import schema_of_type
from pdl.schema.records import NO_DEFAULT, extra_items, is_pydantic, is_record, members

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pdl._types import Json, JsonPath
    from pdl.schema.checks import Check


def duration(text: str) -> dt.timedelta:
    """`P1DT2H`. Raises ValueError for years and months, which have no fixed length."""
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a duration such as `P1DT2H`")
    if match["years"] or match["months"]:
        raise ValueError(f"{text!r} has years or months, which have no fixed length")
    named = ("weeks", "days", "hours", "minutes", "seconds")
    return dt.timedelta(**{name: int(match[name]) for name in named if match[name]})


_DURATION = re.compile(
    r"P(?:(?P<weeks>\d+)W|(?:(?P<years>\d+)Y)?(?:(?P<months>\d+)M)?(?:(?P<days>\d+)D)?"
    r"(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+)S)?)?)"
)
_FROM_STR: Mapping[Any, Callable[[str], Any]] = types.MappingProxyType(
    {
        dt.datetime: dt.datetime.fromisoformat,
        dt.date: dt.date.fromisoformat,
        dt.time: dt.time.fromisoformat,
        dt.timedelta: duration,
        UUID: UUID,
    }
)
COLLECTIONS: Mapping[Any, Callable[[Any], Any]] = types.MappingProxyType(
    {
        set: set,
        frozenset: frozenset,
        collections.deque: collections.deque,
        collections.abc.Set: frozenset,
        collections.abc.MutableSet: set,
        collections.OrderedDict: collections.OrderedDict,
    }
)
"""Containers that are a list or an object in JSON, and their constructors."""


def convert(
    form: Any,
    value: Json,
    text: str = "",
    *,
    is_json: bool = False,
    digits: Digits | None = None,
) -> Any:
    """Convert JSON that fits the schema of a type to an instance, and run the type's rules.

    `text` is what the model wrote, where it is known: a Decimal has all its digits, of which a
    float keeps 15 to 17 (in pydantic's models it has those of a float); `digits` are those of the
    text, if they are known already. `is_json`: the text is exactly the JSON of the value. Parts
    without a type stay as they are. Raises ConversionError with all violations; what a rule raises
    other than ValueError; RecursionError for a value that is nested beyond all limits.
    """
    make = _validated(form) if is_json else None
    if make is not None:
        return make(value, text)
    conversion = _Conversion(text, digits)
    made = conversion.convert(form, value, ())
    if conversion.violations:
        raise ConversionError(tuple(conversion.violations))
    return made


@lru_cache(maxsize=256)
def _validated(form: Any) -> Callable[[Json, str], Any] | None:
    """What makes an instance of a type that pydantic defines."""
    if not is_pydantic(form):
        return None
    from pdl.reply.pydantic_values import validated  # noqa: PLC0415 - imports pydantic

    return partial(validated, form)


_FAILED: Any = object()
"""The instance of a part that has violations; what contains it isn't made."""


class Digits:
    """The numbers of a text outside its strings, with all the digits of each."""

    def __init__(self, text: str = "") -> None:
        self._found: dict[float, Decimal | None] = {}  # None for two with one float
        self.add(text)

    def add(self, text: str) -> None:
        """Read more text, which continues no number."""
        for token in _TOKEN.finditer(text):
            if token["number"]:
                self._note(token["number"])
            elif not token["end"]:  # it opens no string, and no other quote follows
                for number in _NUMBER.findall(token["string"]):
                    self._note(number)

    def _note(self, number: str) -> None:
        near = float(number)
        if math.isfinite(near):
            exact = _decimal(number)
            known = self._found.get(near, exact)
            self._found[near] = known if known == exact else None

    def of(self, value: float) -> Decimal:
        """Return the number that was read as a float. Raises ValueError if it isn't certain."""
        exact = self._found.get(value, Decimal(repr(value)))
        if exact is None:
            raise ValueError("its digits are not certain, since another number is too similar")
        return exact


def _decimal(number: str) -> Decimal | None:
    """A number in digits; None if its exponent is beyond those of decimals."""
    try:
        return Decimal(number)
    except InvalidOperation:
        return None


class _Demands(NamedTuple):
    """What the metadata of `Annotated` demands of an instance."""

    is_pydantic: bool
    checks: tuple[Check, ...]
    rules: tuple[Rule, ...]


@lru_cache(maxsize=256)
def _demands(metadata: tuple[Any, ...]) -> _Demands:
    rules = tuple(one for one in metadata if isinstance(one, Rule))
    return _Demands(has_pydantic(metadata), checks_of(metadata), rules)


class _Conversion:
    """One conversion, which goes on after a violation to find all of them."""

    def __init__(self, text: str, digits: Digits | None) -> None:
        self._text = text
        self._given = digits
        self.violations: list[Violation] = []

    @cached_property
    def _digits(self) -> Digits:
        return Digits(self._text) if self._given is None else self._given

    def convert(self, form: Any, value: Json, path: JsonPath) -> Any:
        form = unwrapped(form)
        origin, arguments = get_origin(form), get_args(form)
        if origin is Annotated:
            return self._annotated(form, value, path)
        if origin in (Union, types.UnionType):
            return self._union(arguments, value, path)
        if origin is Literal:
            return _literal(arguments, value)
        if is_pydantic(form):
            return self._pydantic(form, value, path)
        return self._plain(form, value, path)

    def _plain(self, form: Any, value: Json, path: JsonPath) -> Any:
        if isinstance(value, list):
            return self._list(form, value, path)
        if not isinstance(value, dict):
            return self._made(lambda: self._scalar(form, value), form, path)
        is_of_fields = is_record(get_origin(form) or form)
        return (self._record if is_of_fields else self._map)(form, value, path)

    def _annotated(self, form: Any, value: Json, path: JsonPath) -> Any:
        try:
            demands = _demands(form.__metadata__)
        except TypeError:  # metadata without a hash
            demands = _demands.__wrapped__(form.__metadata__)
        if demands.is_pydantic:
            return self._pydantic(form, value, path)
        made = self.convert(form.__origin__, value, path)
        if made is _FAILED:
            return _FAILED
        words = [said for check in demands.checks if (said := check(made))]
        found = [of_words(path, one, "constraint") for one in words]
        for rule in demands.rules:
            found += () if found else rule.violations(made, path)
        self.violations += found
        return _FAILED if found else made

    def _union(self, forms: tuple[Any, ...], value: Json, path: JsonPath) -> Any:
        """An instance of the first type that the value fits and whose rules it follows.

        Types that any text fits come last.
        """
        order = sorted(forms, key=_breadth)
        fitting = [one for one in order if fits(one, value)] or [Any]
        before = len(self.violations)
        for one in fitting:
            made = self.convert(one, value, path)
            if made is not _FAILED:
                del self.violations[before:]
                return made
            if one is fitting[0]:
                first = self.violations[before:]
            del self.violations[before:]
        self.violations += first
        return _FAILED

    def _pydantic(self, form: Any, value: Json, path: JsonPath) -> Any:
        from pdl.reply.pydantic_values import validated  # noqa: PLC0415 - imports pydantic

        try:
            return validated(form, value, path=path)
        except ConversionError as error:
            self.violations += error.violations
            return _FAILED

    def _made(self, make: Callable[[], Any], form: Any, path: JsonPath) -> Any:
        """What a function makes; a violation if the value is not one of the type."""
        try:
            return make()
        except (ValueError, ArithmeticError) as error:
            words = shorten(" ".join(str(error).split()), LONGEST)
            known = (scalar_schema(form) or {}).get("format", name_of(form)).removeprefix("x-")
            message = say("is-no-instance", name=known, why=words or type(error).__name__)
            self.violations.append(Violation(path, message, "type"))
            return _FAILED

    def _scalar(self, form: Any, value: Json) -> Any:
        if form is Decimal and isinstance(value, float):
            return self._digits.of(value)
        return _of_text(form, value) if isinstance(value, str) else _of_scalar(form, value)

    def _list(self, form: Any, value: list[Json], path: JsonPath) -> Any:
        kind, arguments = get_origin(form) or form, get_args(form)
        forms: Iterable[Any] = repeat(arguments[0] if arguments else Any)
        if kind is tuple and len(arguments) == len(value) and Ellipsis not in arguments:
            forms = arguments
        made = [
            self.convert(one, item, (*path, at))
            for at, (one, item) in enumerate(zip(forms, value, strict=False))
        ]
        if any(one is _FAILED for one in made):
            return _FAILED
        make = tuple if kind is tuple else COLLECTIONS.get(kind, list)
        found = self._made(lambda: make(made), kind, path)
        if isinstance(found, AbstractSet) and len(found) < len(made):
            at = next(at for at, one in enumerate(made) if one in made[:at])
            same = format_path((*path, made.index(made[at])))
            self.violations.append(Violation((*path, at), say("same", path=same), "uniqueItems"))
            return _FAILED
        return found

    def _map(self, form: Any, value: dict[str, Json], path: JsonPath) -> Any:
        kind, arguments = get_origin(form) or form, get_args(form)
        of_key, of_value = arguments or (Any, Any)
        pairs = [
            (self.convert(of_key, key, (*path, key)), self.convert(of_value, one, (*path, key)))
            for key, one in value.items()
        ]
        if any(_FAILED is part for pair in pairs for part in pair):
            return _FAILED
        made = dict(pairs)
        if len(made) < len(pairs):
            words = "two of its keys mean the same"
            self.violations.append(Violation(path, say("breaks-rule", text=words), "uniqueItems"))
            return _FAILED
        if kind is collections.defaultdict:
            factory = get_origin(of_value) or of_value
            return collections.defaultdict(factory if callable(factory) else None, made)
        return COLLECTIONS.get(kind, dict)(made)

    def _record(self, form: Any, value: dict[str, Json], path: JsonPath) -> Any:
        cls: Any = get_origin(form) or form
        table = {one.key: one for one in members(form)}
        extra = extra_items(cls)
        others = Any if extra is NO_DEFAULT else extra
        made = {
            key: self.convert(table[key].form if key in table else others, one, (*path, key))
            for key, one in value.items()
        }
        if any(one is _FAILED for one in made.values()):
            return _FAILED
        if issubclass(cls, dict):
            return made
        named = [(table[key].argument, one) for key, one in made.items()]
        try:  # the class itself fixes the value of a tag, which is no argument
            return cls(**{name: one for name, one in named if name is not None})
        except ValueError as error:
            self.violations += of_error(error, path)
            return _FAILED


def _breadth(form: Any) -> int:
    """How much fits a type: 2 for what keeps a value unchanged, 1 for what takes any text."""
    form = unwrapped(form)
    while get_origin(form) is Annotated:
        form = unwrapped(form.__origin__)
    if form in (str, Any, object):
        return 2
    return int(isinstance(form, type) and issubclass(form, os.PathLike))


_NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_TOKEN = re.compile(
    rf""""(?P<string>(?:[^"\\]|\\.)*)(?:(?P<end>")|\Z)|(?P<number>{_NUMBER.pattern})""",
    re.DOTALL | re.ASCII,
)


def fits(form: Any, value: Json) -> bool:
    """Whether JSON fits the schema of a type."""
    return validator_of(schema_of_type(form).document).is_valid(value)


def _literal(choices: tuple[Any, ...], value: Json) -> Any:
    """The member that equals a value: of its own type if there is one, else 1 for 1.0."""
    equal = [one for one in choices if _is_same(getattr(one, "value", one), value)]
    return next((one for one in equal if type(one) is type(value)), equal[0] if equal else value)


def _is_same(one: Any, value: Json) -> bool:
    return bool(one == value) and isinstance(one, bool) == isinstance(value, bool)


def _of_text(form: Any, value: str) -> Any:
    if form in _FROM_STR:
        return _FROM_STR[form](value)
    if isinstance(form, type) and issubclass(form, enum.Enum):
        return _member(form, value)
    is_path = isinstance(form, type) and issubclass(form, os.PathLike)
    if is_path or getattr(form, "__module__", "") == "ipaddress":
        return (os.fspath if is_path and form is os.PathLike else form)(value)
    return value


def _of_scalar(form: Any, value: Json) -> Any:
    if isinstance(form, type) and issubclass(form, enum.Enum):
        return _member(form, value)
    if form is float and isinstance(value, int) and not isinstance(value, bool):
        made = float(value)
        if made != value:
            raise ValueError(f"a number with a fraction cannot represent {value}")
        return made
    if form is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if form is Decimal and isinstance(value, int) and not isinstance(value, bool):
        return Decimal(value)
    return value


def _member(form: type[enum.Enum], value: Json) -> enum.Enum:
    """The member with a value, which its constructor need not find: it may take other arguments."""
    same = [one for one in form if _is_same(one.value, value)]
    return same[0] if same else form(value)
