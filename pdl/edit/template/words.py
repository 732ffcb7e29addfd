"""What an editor says about the words of prompt files and of the schema DSL."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple


class Word(NamedTuple):
    """A sentence about a word, and an example of it."""

    text: str
    example: str = ""


TURNS = MappingProxyType(
    {
        "system": Word("Instructions for the model: at most one, before the other messages."),
        "user": Word("A message to the model. The last turn is usually one."),
        "assistant": Word(
            "A message of the model, as an example or from the conversation so far. "
            "As the last turn it has text only with `prefill=True`."
        ),
        "schema": Word(
            "The type of the answer: at most one. It can depend on data.",
            "{ answer: str<1,500>, sure: bool }",
        ),
        "input": Word(
            "The inputs of the prompt: an object with their types, defaults, and descriptions. "
            "It is read before rendering, so it has no template syntax.",
            '{ question: str, lang: str = "en" }',
        ),
        "tools": Word(
            "What the model can call: one signature per tool.",
            "weather(city: str, day?: date) // The forecast for one day",
        ),
        "config": Word(
            "Settings for the call, as `key: value` lines. Later turns win.", "temperature: 0.2"
        ),
        "reasoning": Word("Notes that are kept in `rendered.reasoning` and never sent."),
    }
)
"""The turns, in the order in which they are offered."""

MEDIA = MappingProxyType(
    {
        "media": Word(
            "Embeds a file below the prompt's directory, or names a URL, which pdl doesn't open.",
            "<|media(images/map.png)|>",
        ),
        "raw_media": Word("Embeds bytes in base64, of a kind.", "<|raw_media(png:iVBORw0…)|>"),
    }
)

TYPES = MappingProxyType(
    {
        "str": Word("A string. Bounds count characters.", "str<1,80>"),
        "int": Word("An integer.", "int<0,120>"),
        "float": Word("A number; integers are numbers, too.", "float<0,1.5>"),
        "bool": Word("`true` or `false`."),
        "null": Word("The value `null`. `T?` is short for `T | null`.", "str | null"),
        "any": Word("Any JSON value."),
        "date": Word("A date.", "2024-12-31"),
        "time": Word(
            "A time, with or without an offset; `{ zone: true }` demands one.", "23:59:59"
        ),
        "datetime": Word(
            "A date and time, with or without an offset; `{ zone: true }` demands one.",
            "2024-12-31T23:59:59",
        ),
        "duration": Word("An ISO 8601 duration.", "P1DT2H"),
        "email": Word("An email address.", "ann@example.org"),
        "uri": Word("A URI.", "https://example.org/a"),
        "uuid": Word("A UUID.", "123e4567-e89b-12d3-a456-426614174000"),
        "ipv4": Word("An IPv4 address.", "192.0.2.1"),
        "ipv6": Word("An IPv6 address.", "2001:db8::1"),
        "yesno": Word("The whole answer is yes or no; its value is `true` or `false`.", "yesno"),
        "code": Word("The whole answer is one fenced code block.", 'code { lang: "py" }'),
        "tasklist": Word(
            "The whole answer is a Markdown list of `- [ ]` items.", "tasklist { min: 3 }"
        ),
    }
)
ALIASES = MappingProxyType(
    {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
)
"""Other spellings of type words."""
FORMS = ("yesno", "code", "tasklist")

CONSTRAINTS = MappingProxyType(
    {
        "min": Word(
            "The least value, or the least number of characters, items, or keys.",
            "int { min: 0 }",
        ),
        "max": Word(
            "The greatest value, or the greatest number of characters, items, or keys.",
            "str { max: 80 }",
        ),
        "gt": Word("Values are greater than this.", "float { gt: 0 }"),
        "lt": Word("Values are less than this.", "float { lt: 1 }"),
        "multiple": Word("Values are multiples of this.", "int { multiple: 5 }"),
        "pattern": Word(
            "A regular expression (ECMA-262) that matches somewhere in the string.",
            "str { pattern: '^[A-Z]{3}$' }",
        ),
        "unique": Word("No item occurs twice.", "[int] { unique: true }"),
        "zone": Word("An offset from UTC is required.", "datetime { zone: true }"),
        "lang": Word("The info string of the code block.", 'code { lang: "py" }'),
        "gbnf": Word("A grammar for the string, in GBNF.", "str { gbnf: 'root ::= [a-z]+' }"),
    }
)

STATEMENTS = MappingProxyType(
    {
        "if": Word("Renders a part if a condition holds.", "{% if x %}…{% endif %}"),
        "elif": Word("Another condition of an `if`.", "{% elif x %}"),
        "else": Word("What an `if` renders otherwise, or a `for` without items.", "{% else %}"),
        "for": Word(
            "Renders a part for each item; `loop` has its number.",
            "{% for item in items %}…{% endfor %}",
        ),
        "set": Word("Names a value, or rendered text.", "{% set name = value %}"),
        "set_global": Word(
            "Names a value, also for what follows the loop.", "{% set_global n = n + 1 %}"
        ),
        "macro": Word(
            "Names a part with parameters, which is called as a function.",
            "{% macro row(item) %}…{% endmacro %}",
        ),
        "call": Word(
            "Calls a macro, which prints the part with `caller()`.",
            "{% call row(item) %}…{% endcall %}",
        ),
        "include": Word("Renders another file here.", '{% include "rules.txt" %}'),
        "import": Word("Makes the macros of a file known.", '{% import "macros.txt" as m %}'),
        "from": Word("Makes single macros of a file known.", '{% from "macros.txt" import row %}'),
        "extends": Word(
            "Renders another file, with the blocks of this one.", '{% extends "layout.pdl" %}'
        ),
        "block": Word(
            "A part that files which extend this one can replace.",
            "{% block rules %}…{% endblock %}",
        ),
        "filter": Word("Filters what a part renders.", "{% filter upper %}…{% endfilter %}"),
        "with": Word("Names values for a part.", "{% with n = items | length %}…{% endwith %}"),
        "raw": Word("A part without template syntax.", "{% raw %}{{ not a tag }}{% endraw %}"),
        "autoescape": Word(
            "Escapes values for HTML in a part.", "{% autoescape true %}…{% endautoescape %}"
        ),
        "break": Word("Ends the loop.", "{% break %}"),
        "continue": Word("Goes on with the next item of the loop.", "{% continue %}"),
    }
)
"""The statements; those with a part end with `end…`."""

OPERATORS = MappingProxyType(
    {
        "and": Word("Whether both hold; its value is the one that decides."),
        "or": Word("Whether one of them holds; its value is the one that decides."),
        "not": Word("Whether it does not hold."),
        "in": Word("Whether a list, an object, or a text contains it.", "x in items"),
        "is": Word("Whether a test holds.", "x is defined"),
        "if": Word("Chooses between two values.", "a if x else b"),
        "else": Word("The value if the condition does not hold.", "a if x else b"),
    }
)

FUNCTIONS = MappingProxyType(
    {
        "range": Word("The integers of a range, up to 1,000,000.", "range(1, 4)"),
        "dict": Word("An object of its named arguments.", "dict(a=1, b=2)"),
        "namespace": Word(
            "An object whose attributes can be set, also in loops.",
            "{% set ns = namespace(n=0) %}{% set ns.n = ns.n + 1 %}",
        ),
        "cycler": Word(
            "Gives its arguments in turn: `next()`, `current`, `reset()`.",
            "{% set row = cycler('odd', 'even') %}{{ row.next() }}",
        ),
        "joiner": Word(
            "Prints nothing the first time it is called, then its separator.",
            "{% set comma = joiner(', ') %}{{ comma() }}",
        ),
        "throw": Word("Stops rendering with a message.", '{{ throw(message="no items") }}'),
        "caller": Word("The part of the `call` that called this macro.", "{{ caller() }}"),
        "super": Word("The block of the file that is extended.", "{{ super() }}"),
    }
)

FILTERS = MappingProxyType(
    {
        "as_str": Word("The value as text."),
        "concat": Word("The list, and an item or the items of another list.", "a | concat(with=b)"),
        "date": Word("A date, or its ISO 8601 text, in a format.", 'd | date(format="%d.%m.%Y")'),
        "default": Word("Another value if this one is undefined.", 'x | default("none")'),
        "get": Word("A key of an object, or the default.", 'x | get(key="a", default=0)'),
        "linebreaksbr": Word("Line breaks become `<br>`."),
        "replace": Word("A text with one part replaced by another.", 'x | replace("a", "b")'),
        "round": Word(
            "The number rounded to some digits; `method` is `common`, `ceil`, or `floor`.",
            "x | round(2)",
        ),
        "slice": Word(
            "Part of a list with `start` and `end`; else the list in so many columns.",
            "x | slice(start=1, end=3)",
        ),
        "spaceless": Word("Removes whitespace between HTML tags."),
        "split": Word("The parts of a text between separators.", 'x | split(pat=",")'),
        "sum": Word(
            "The sum of the items, or of an attribute of theirs.", "x | sum(attribute='n')"
        ),
        "truncate": Word(
            "The beginning of a long text: by words, or by characters if only `length` and `end` "
            "are named.",
            "x | truncate(80)",
        ),
    }
)
"""Filters whose docstrings do not speak to authors of prompts."""

TESTS = MappingProxyType(
    {
        "containing": Word("Whether it contains a part.", 'x is containing("a")'),
        "defined": Word("Whether the name is defined.", "x is defined"),
        "divisibleby": Word("Whether a number divides it.", "n is divisibleby(3)"),
        "ending_with": Word("Whether a text ends with another.", 'x is ending_with(".")'),
        "matching": Word("Whether a regular expression is found in it.", 'x is matching("a+")'),
        "object": Word("Whether it is an object."),
        "sameas": Word("Whether it is the same value, not only an equal one.", "x is sameas(y)"),
        "starting_with": Word("Whether a text starts with another.", 'x is starting_with("#")'),
        "undefined": Word("Whether the name is not defined.", "x is undefined"),
    }
)
"""Tests whose docstrings do not speak to authors of prompts."""

VARIABLES = MappingProxyType(
    {
        "loop": Word("The round of the innermost loop.", "{{ loop.index }}"),
        "schema": Word("A description of the answer's type, for the model.", "{{ schema }}"),
    }
)

SETTINGS = MappingProxyType(
    {
        "model": "The provider and its model.",
        "temperature": "How random the answer is; 0 is the least.",
        "top_p": "Only the most probable tokens with this total probability are chosen from.",
        "top_k": "Only this many of the most probable tokens are chosen from.",
        "min_p": "Tokens below this share of the most probable one are left out.",
        "max_tokens": "The most tokens of an answer.",
        "max_completion_tokens": "The most tokens of an answer, reasoning included.",
        "max_output_tokens": "The most tokens of an answer, reasoning included.",
        "stop": "Texts that end the answer where they occur.",
        "stop_sequences": "Texts that end the answer where they occur.",
        "seed": "The same seed makes the same answer more likely.",
        "frequency_penalty": "Makes tokens less likely the more often they have occurred.",
        "presence_penalty": "Makes tokens less likely that have occurred.",
        "repeat_penalty": "Makes tokens less likely that have occurred lately.",
        "repetition_penalty": "Makes tokens less likely that have occurred.",
        "reasoning_effort": "How much the model thinks before it answers.",
        "thinking_budget": "The most tokens of reasoning.",
        "parallel_tool_calls": "Whether the model can call several tools at once.",
        "tool_choice": "Whether the model must call a tool, or which.",
        "response_format": "How the answer is written, in the provider's own words.",
        "logprobs": "Whether, or how many, probabilities of tokens are returned.",
        "num_ctx": "The tokens of context that the model is loaded with.",
        "n": "The number of answers.",
        "user": "Names the end user to the provider.",
        "keep_alive": "How long the model stays loaded.",
        "service_tier": "The provider's service tier.",
        "store": "Whether the provider keeps the answer.",
        "verbosity": "How long answers are.",
    }
)
"""What settings mean; the others are described in the API reference of their providers."""

PROVIDERS = MappingProxyType(
    {
        "anthropic": "Anthropic's Messages API.",
        "gemini": "Google's Gemini API.",
        "litellm": "A LiteLLM proxy.",
        "llama": "A GGUF file, run by llama.cpp within pdl.",
        "llama-server": "A running server of llama.cpp.",
        "ollama": "A running Ollama.",
        "openai": "OpenAI's chat completions, and servers with the same API.",
        "openai-responses": "OpenAI's Responses API.",
        "replay": "Recorded answers of a transcript, without a model.",
        "vllm": "A running vLLM server.",
    }
)
"""What the provider before the colon of a model's name is."""

SETTING_KINDS = MappingProxyType(
    {
        "number": "a number",
        "integer": "an integer",
        "boolean": "true or false",
        "text": "a string",
        "texts": "a string, or a list of strings",
        "object": "an object",
        "any": "",
    }
)
"""What the values of settings are, by `pdl.prompt.config.SETTINGS`."""
