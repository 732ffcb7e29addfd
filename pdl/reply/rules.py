"""Rules of your own: `pdl.Rule`, and what a rule says as violations."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pdl.reply.phrases import say, shorten
from pdl.reply.result import Violation
from pdl.schema.annotations import RULES, name_of, with_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl._types import JsonPath

LONGEST = 500
"""Characters of a rule's own words: a model gets them, and may have caused them."""


class ConversionError(ValueError):
    """JSON that fits the schema of a type is not one of its values: `violations` say why."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__("; ".join(str(one) for one in violations))
        self.violations = violations


class Rule:
    """A rule of your own for a type: `Annotated[int, pdl.Rule(is_even, "must be even")]`.

    `function` gets the value, as an instance of the type. It accepts it by returning True or
    nothing. It refuses it by returning False, which `words` explain to the model; by raising
    ValueError, whose text does; or by returning or yielding `Violation`s, whose paths begin at the
    value. Anything else that it raises is an error of the program. The words also become part of
    the field's description, so a model can know them from the start. Works in pydantic's models
    too. Raises TypeError for a function that is async or can't be called.
    """

    __slots__ = ("function", "words")

    def __init__(self, function: Callable[[Any], object], words: str = "") -> None:
        for kind, given, is_right in (
            ("a function of one value", function, callable(function)),
            ("words in a str", words, isinstance(words, str)),
        ):
            if not is_right:
                raise TypeError(f"a rule must have {kind}, not {type(given).__name__}")
        if inspect.iscoroutinefunction(function):
            raise TypeError("a rule must not be async: give ask_async an async `validate` instead")
        self.function = function
        self.words = words

    def __repr__(self) -> str:
        return f"Rule({name_of(self.function)}, {self.words!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Callable[[Any], object], str]:
        return self.function, self.words

    @property
    def rule_words(self) -> str:
        """What the description of a field says of the rule."""
        return self.words

    def violations(self, value: Any, path: JsonPath = ()) -> tuple[Violation, ...]:
        """Return what is wrong with the value at a path; an empty tuple if nothing is."""
        words = self.words or f"must pass `{name_of(self.function)}`"
        return violations_of(lambda: self.function(value), words, path)

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """How pydantic runs the rule in its models."""
        from pydantic_core import core_schema  # noqa: PLC0415 - pydantic is asking

        def accepted(value: Any) -> Any:
            if found := self.violations(value):
                raise ConversionError(found)
            return value

        return core_schema.no_info_after_validator_function(accepted, handler(source))

    def __get_pydantic_json_schema__(self, source: Any, handler: Any) -> dict[str, Any]:
        """How pydantic describes the rule in the JSON Schema of its models."""
        found: dict[str, Any] = handler(source)
        if not self.words:
            return found
        rules = [*found.get(RULES, ()), self.words]
        return {**found, **with_rules(found, [self.words]), RULES: rules}


def violations_of(
    judge: Callable[[], object], words: str = "", path: JsonPath = ()
) -> tuple[Violation, ...]:
    """Return what a rule says of a value at a path, by what it returns, yields or raises.

    `words` are said if it returns False. Raises TypeError for a result of another kind, and what
    else the rule raises.
    """
    found: list[Violation] = []
    try:
        found.extend(_told(judge(), words, path))
    except ValueError as error:  # of a generator, too, which may have yielded some before
        found += of_error(error, path, words)
    return tuple(found)


def of_error(error: ValueError, path: JsonPath, words: str = "") -> Iterable[Violation]:
    """Yield what a ValueError says of the value at a path, or `words` if it says nothing.

    pydantic's has several errors, with the paths of their parts.
    """
    details: Any = getattr(error, "errors", None)
    if not (callable(details) and type(error).__module__.startswith("pydantic")):
        # attrs puts the attribute and the value behind the words.
        said = str(error.args[0]) if type(error) is ValueError and error.args else str(error)
        yield of_words(path, said or words or type(error).__name__)
        return
    for one in details(include_url=False, include_input=False):
        yield of_words((*path, *one["loc"]), words_of(one))


_PREFIXES = ("Value error, ", "Assertion failed, ")
"""What pydantic writes before the words of a validator."""


def words_of(details: Mapping[str, Any]) -> str:
    """Return what one of pydantic's errors says."""
    words = str(details["msg"])
    for prefix in _PREFIXES:
        words = words.removeprefix(prefix)
    return words or str(details["type"])


def _told(result: object, words: str, path: JsonPath) -> Iterable[Violation]:
    if result is None or result is True:
        return
    if result is False:
        yield of_words(path, words or "it breaks a rule")
        return
    found = (result,) if isinstance(result, Violation) else result
    if isinstance(found, str) or not isinstance(found, Iterable):
        kind = type(result).__name__
        raise TypeError(f"a rule must return a bool, None or pdl.Violations, not {kind}")
    for one in found:
        if not isinstance(one, Violation):
            raise TypeError(f"a rule must yield pdl.Violations, not {type(one).__name__}")
        yield of_words((*path, *one.path), one.message, one.keyword)


_PREDICATE = re.compile(r"(?:must|should|can(?:not|'t)?|may|is|has|does|needs?|contains)\b")


def of_words(path: JsonPath, words: str, keyword: str = "rule") -> Violation:
    """Return the violation of a rule with words of its own, which need not follow a subject."""
    said = shorten(" ".join(words.split()).rstrip("."), LONGEST)
    message = said if _PREDICATE.match(said) else say("breaks-rule", text=said)
    return Violation(path, message, keyword)
