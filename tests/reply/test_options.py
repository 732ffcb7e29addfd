"""What is no option of a check is refused where it is given, in words that say what one is."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import pytest

import pdl
from pdl.limits import Limits
from pdl.reply import Coercions, feedback_in, violations

if TYPE_CHECKING:
    from collections.abc import Callable

INT = pdl.Schema.parse("int")
BAD = pdl.check(INT, "none")


def told(words: Any) -> str:
    return feedback_in(words, INT, BAD)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Coercions(unwrap=1), "unwrap must be True or False, not 1"),  # type: ignore[arg-type]
        (lambda: Limits(reply_depth=-1), "reply_depth must be 0 or more, not -1"),
        (lambda: Limits(reply_depth=True), "reply_depth must be an int, not bool"),
        (lambda: Limits(reply_chars=1e6), "reply_chars must be an int, not float"),  # type: ignore[arg-type]
        (
            lambda: Limits(render_seconds="1"),  # type: ignore[arg-type]
            "render_seconds must be an int or a float, not str",
        ),
        (
            lambda: Limits(render_seconds=float("nan")),
            "render_seconds must be 0 or more, not nan",
        ),
        (
            lambda: pdl.check(INT, "5", coercions={"unwrap": True}),  # type: ignore[call-overload]
            "coercions must be a Coercions, not dict",
        ),
        (
            lambda: pdl.check(INT, "5", limits=5),  # type: ignore[call-overload]
            "limits must be a Limits, not int",
        ),
        (
            lambda: pdl.check(INT, "5", dialects=[]),  # type: ignore[call-overload]
            "dialects must be a Dialects, not list",
        ),
        (
            lambda: violations("int", 5),  # type: ignore[arg-type]
            "schema must be a pdl.Schema, not str: use pdl.Schema.parse for the schema DSL",
        ),
    ],
)
def test_options_are_looked_at_when_they_are_given(
    build: Callable[[], object], message: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(message)}$"):
        build()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (str.upper, "words must be a mapping, not method_descriptor"),
        ({5: "x"}, "no phrase has the key `5`"),
        ({"output": 5}, "phrase `output` must be a string or a function, not int"),
        (
            {"output": "{"},
            "phrase `output` is not a valid template: Single '{' encountered in format string",
        ),
        ({"holds-no": "{}"}, "phrase `holds-no` has no field ``, its fields are: wanted"),
        (
            {"holds-no": "{wanted!r}"},
            "phrase `holds-no` must have the field `wanted` as `{wanted}`",
        ),
        (
            {"holds-no": lambda: "x"},
            (
                "the function of phrase `holds-no` cannot be called with its fields:"
                " got an unexpected keyword argument 'wanted'; its fields are: wanted"
            ),
        ),
        (
            {"holds-no": lambda wanted: [wanted]},
            "phrase `holds-no` must return a string, not list",
        ),
    ],
)
def test_words_are_looked_at_before_they_are_said(words: object, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{re.escape(message)}$"):
        told(words)


def test_functions_that_do_not_tell_their_parameters_are_taken() -> None:
    assert told({"holds-no": lambda **fields: f"lacks {fields['wanted']}"}).startswith(
        "Your output lacks an int"
    )


def test_no_more_digits_are_allowed_than_python_reads() -> None:
    most = sys.get_int_max_str_digits()
    assert Limits(integer_digits=most).integer_digits == most
    with pytest.raises(ValueError, match=f"integer_digits must be at most {most}, not {most + 1}"):
        Limits(integer_digits=most + 1)


@pytest.mark.parametrize("reply", ["{}", "[{}]", "The answer is {}.", '"{}"', "{}.0", "0x{}"])
def test_a_lower_limit_of_python_is_a_reason_and_no_error(reply: str) -> None:
    """Also if it was set after ours."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        schema = pdl.Schema.parse("int | [int]" if "[" in reply else "int")
        check = pdl.check(schema, reply.format("9" * 700))
        assert check.reason in {"limit", "absent"}
        assert Limits().integer_digits == 640
    finally:
        sys.set_int_max_str_digits(before)
